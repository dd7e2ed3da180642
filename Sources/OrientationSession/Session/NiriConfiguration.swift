// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// Whether niri rotates an output itself, by its configuration: its IPC does not tell.
///
/// A niri that can do so claims the sensor in any case, but rotates only outputs with `auto-rotate`.
enum NiriConfiguration {
    /// How many files are read at most: they may include each other.
    private static let most = 50

    /// Whether this is a session of niri in whose configuration, of the user or else of the system, no output rotates.
    static var leavesAllOutputs: Bool {
        guard Compositor.detected == .niri else { return false }
        let user = (userConfigurationFolder ?? "") + "/niri/config.kdl"
        var files = [access(user, F_OK) == 0 ? user : "/etc/niri/config.kdl"]
        var count = 0
        while count < min(files.count, most) {
            let file = files[count]
            let (rotates, included) = read((try? FileDescriptor.contents(of: file, limit: 1 << 20)) ?? [])
            if rotates { return false }
            files += included.map { $0.hasPrefix("/") ? $0 : FileDescriptor.folder(of: file) + $0 }
            count += 1
        }
        return true
    }

    /// Whether a text in the language KDL sets `auto-rotate`, for whichever output, and the files that it includes.
    ///
    /// A string is taken to end on its line. What `/-` disables is another word.
    static func read(_ text: [UInt8]) -> (rotates: Bool, included: [String]) {
        var (rotates, included) = (false, [String]())
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let words = line.split { " \t\r{};\"".utf8.contains($0) }.map { String(decoding: $0, as: UTF8.self) }
                .prefix { !$0.hasPrefix("//") }
            if let place = words.firstIndex(where: { $0 == "auto-rotate" || $0 == "auto_rotate" }),
                words[(place + 1)...].first != "false"
            {
                rotates = true
            }
            guard words.first == "include" else { continue }
            let strings = line.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
            if strings.count > 1 { included.append(String(decoding: strings[1], as: UTF8.self)) }
        }
        return (rotates, included)
    }
}
