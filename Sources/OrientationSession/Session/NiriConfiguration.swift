// SPDX-License-Identifier: Apache-2.0

import POSIX

/// Which outputs niri rotates itself, by its configuration: its IPC does not tell.
///
/// A niri that can do so claims the sensor in any case, but rotates only outputs with `auto-rotate`.
struct NiriConfiguration {
    /// How many files are read at most.
    private static let most = 50

    private var files = 0

    /// The names of the outputs that niri rotates, in lower case.
    private(set) var rotated: Set<String> = []

    /// Whether this is a session of niri that leaves an output as it is, by the configuration of the user or the system.
    ///
    /// A section for a make and model may be that of any output. While the output is unknown, so is whether niri rotates it.
    static func leaves(_ output: String?) -> Bool {
        guard Compositor.detected == .niri else { return false }
        guard let output = output?.lowercased() else { return true }
        var configuration = NiriConfiguration()
        let user = (userConfigurationFolder ?? "") + "/niri/config.kdl"
        if !configuration.read(user) { _ = configuration.read("/etc/niri/config.kdl") }
        return !configuration.rotated.contains { $0 == output || $0.utf8.contains(UInt8(ascii: " ")) }
    }

    /// Returns whether there is such a file.
    private mutating func read(_ path: String) -> Bool {
        files += 1
        let text = files <= Self.most ? try? FileDescriptor.contents(of: path, limit: 1 << 20) : nil
        read(text ?? []) { included, configuration in
            let folder = included.hasPrefix("/") ? "" : FileDescriptor.folder(of: path)
            _ = configuration.read(folder + included)
        }
        return text != nil
    }

    /// Reads a text in the language KDL; calls `include` with the name of each other file, where it counts.
    ///
    /// A string is taken to end on its line. What `/-` disables is a node of another name.
    mutating func read(_ text: [UInt8], include: (String, inout NiriConfiguration) -> Void) {
        var node: [String] = [], parents: [[String]] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            for word in Self.words(line) + [";"] {
                guard ["{", "}", ";"].contains(word) else {
                    node.append(word)
                    continue
                }
                if let parent = parents.first, parents.count == 1, parent.count > 1, parent[0] == "output",
                    node.first == "auto-rotate" || node.first == "auto_rotate"
                {
                    let output = parent[1].lowercased()
                    if node.last == "false" { rotated.remove(output) } else { rotated.insert(output) }
                }
                if parents.isEmpty, node.count > 1, node[0] == "include" { include(node[node.count - 1], &self) }
                if word == "{" { parents.append(node) }
                if word == "}" { _ = parents.popLast() }
                node = []
            }
        }
    }

    /// The words and strings of a line before its comment, and its braces and semicolons.
    private static func words(_ line: ArraySlice<UInt8>) -> [String] {
        var words: [String] = []
        let parts = line.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index % 2 == 1 {
                words.append(String(decoding: part, as: UTF8.self))
                continue
            }
            let spaced = part.flatMap { byte -> [UInt8] in
                "{};".utf8.contains(byte) ? [0x20, byte, 0x20] : [byte]
            }
            for word in spaced.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) {
                if word.starts(with: "//".utf8) { return words }
                words.append(String(decoding: word, as: UTF8.self))
            }
        }
        return words
    }
}
