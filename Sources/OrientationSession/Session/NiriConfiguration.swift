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
    /// A string is taken to end on its line.
    static func read(_ text: [UInt8]) -> (rotates: Bool, included: [String]) {
        var (rotates, included) = (false, [String]())
        for line in enabled(text).split(separator: UInt8(ascii: "\n")) {
            let words = line.split { " \t\r{};\"".utf8.contains($0) }.map { String(decoding: $0, as: UTF8.self) }
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

    /// Returns a text without comments, and without the nodes that `/-` disables.
    private static func enabled(_ text: [UInt8]) -> [UInt8] {
        enum Part { case text, string, line, comment(depth: Int), node(depth: Int) }
        var (kept, part, rest) = ([UInt8](), Part.text, text[...])
        while let byte = rest.popFirst() {
            switch (part, Unicode.Scalar(byte), Unicode.Scalar(rest.first ?? 0)) {
            case (.text, "/", "/"): part = .line
            case (.text, "/", "-"): part = .node(depth: 0)
            case (.text, "/", "*"): (part, rest) = (.comment(depth: 1), rest.dropFirst())
            case (.comment(let depth), "/", "*"): (part, rest) = (.comment(depth: depth + 1), rest.dropFirst())
            case (.comment(let depth), "*", "/"):
                (part, rest) = (depth == 1 ? .text : .comment(depth: depth - 1), rest.dropFirst())
            case (.node, "\"", _):
                while let next = rest.popFirst(), next != UInt8(ascii: "\"") {
                    if next == UInt8(ascii: "\\") { rest = rest.dropFirst() }
                }
            case (.node(let depth), "{", _): part = .node(depth: depth + 1)
            case (.node(1), "}", _): part = .text
            case (.node(let depth), "}", _) where depth > 1: part = .node(depth: depth - 1)
            case (.node(0), "\n", _), (.node(0), ";", _), (.node(0), "}", _), (.line, "\n", _), (.string, "\n", _),
                (.string, "\"", _):
                kept.append(byte)
                part = .text
            case (.text, "\"", _):
                kept.append(byte)
                part = .string
            case (.string, "\\", _):
                kept += [byte] + rest.prefix(1)
                rest = rest.dropFirst()
            case (.text, _, _), (.string, _, _): kept.append(byte)
            case (.line, _, _), (.comment, _, _), (.node, _, _): break
            }
        }
        return kept
    }
}
