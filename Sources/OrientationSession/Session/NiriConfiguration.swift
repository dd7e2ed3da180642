// SPDX-License-Identifier: Apache-2.0

import POSIX

/// What niri's configuration says about rotation, in the language KDL; its IPC says nothing about that.
///
/// A niri that can rotate outputs itself claims the sensor in any case, but rotates only outputs with `auto-rotate`.
struct NiriConfiguration {
    private enum Token: Equatable {
        case word(String), open, close, end
    }

    /// How many files may include each other.
    private static let deepest = 10

    /// The names of the outputs that niri rotates.
    private(set) var rotated: Set<String> = []

    /// Whether this is a session of niri that leaves an output as it is, by the configuration of the user or the system.
    ///
    /// A section for a make and model may be that of any output. While the output is unknown, so is whether niri rotates it.
    static func leaves(_ output: String?) -> Bool {
        guard Compositor.detected == .niri else { return false }
        guard let output = output?.lowercased() else { return true }
        let user = AgentConfiguration.configurationFolder.map { $0 + "/niri/config.kdl" }
        var configuration = NiriConfiguration()
        for path in [user, "/etc/niri/config.kdl"].compactMap({ $0 }) {
            if configuration.read(path, depth: 0) { break }
        }
        return !configuration.rotated.contains { $0 == output || $0.utf8.contains(UInt8(ascii: " ")) }
    }

    /// Returns whether there is such a file.
    private mutating func read(_ path: String, depth: Int) -> Bool {
        guard depth < Self.deepest, let text = try? FileDescriptor.contents(of: path, limit: 1 << 20) else {
            return false
        }
        read(text) { included, configuration in
            let isWhole = included.hasPrefix("/")
            _ = configuration.read(isWhole ? included : FileDescriptor.folder(of: path) + included, depth: depth + 1)
        }
        return true
    }

    /// Reads a text; `include` is called with the names of other files, at the places where these count.
    mutating func read(_ text: [UInt8], include: (String, inout NiriConfiguration) -> Void) {
        var rest = (text + [UInt8(ascii: "\n")])[...]
        var node: [String] = [], parents: [[String]] = []
        while let token = Self.token(&rest) {
            if case .word(let word) = token {
                node.append(word)
                continue
            }
            if parents.isEmpty, node.count > 1, node[0] == "include" { include(node[node.count - 1], &self) }
            if parents.count == 1, parents[0].count > 1, parents[0][0] == "output",
                node.first == "auto-rotate" || node.first == "auto_rotate"
            {
                let output = parents[0][1].lowercased()
                if node.last == "false" { rotated.remove(output) } else { rotated.insert(output) }
            }
            if token == .open { parents.append(node) }
            if token == .close { _ = parents.popLast() }
            node = []
        }
    }

    /// Removes the first token; nil at the end.
    ///
    /// What `/-` disables begins with that, as a node of another name or as an argument.
    private static func token(_ rest: inout ArraySlice<UInt8>) -> Token? {
        while let first = rest.first {
            switch first {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): rest.removeFirst()
            case UInt8(ascii: "/") where rest.starts(with: "//".utf8): rest = rest.drop { $0 != UInt8(ascii: "\n") }
            case UInt8(ascii: "/") where rest.starts(with: "/*".utf8): removeText(before: Array("*/".utf8), &rest)
            case UInt8(ascii: "\n"), UInt8(ascii: ";"):
                rest.removeFirst()
                return .end
            case UInt8(ascii: "{"), UInt8(ascii: "}"):
                rest.removeFirst()
                return first == UInt8(ascii: "{") ? .open : .close
            default: return .word(word(&rest))
            }
        }
        return nil
    }

    /// Removes a bare word, a string or a raw string such as `r#"..."#`; escapes stay as they are.
    private static func word(_ rest: inout ArraySlice<UInt8>) -> String {
        let quote = UInt8(ascii: "\"")
        let bare = rest.prefix { !" \t\r\n;{}\"".utf8.contains($0) }
        rest = rest.dropFirst(bare.count)
        let hashes = bare.drop { $0 == UInt8(ascii: "r") }
        guard rest.first == quote, hashes.allSatisfy({ $0 == UInt8(ascii: "#") }) else {
            return String(decoding: bare, as: UTF8.self)
        }
        rest.removeFirst()
        let text = removeText(before: [quote] + hashes, isRaw: !bare.isEmpty, &rest)
        return String(decoding: text, as: UTF8.self)
    }

    /// Removes what comes before `end`, and `end`, and returns the former.
    ///
    /// Unless the text is raw, a backslash escapes the next byte.
    @discardableResult
    private static func removeText(
        before end: [UInt8],
        isRaw: Bool = true,
        _ rest: inout ArraySlice<UInt8>
    ) -> [UInt8] {
        var text: [UInt8] = []
        while let byte = rest.first, !rest.starts(with: end) {
            let count = !isRaw && byte == UInt8(ascii: "\\") ? 2 : 1
            text += rest.prefix(count)
            rest = rest.dropFirst(count)
        }
        rest = rest.dropFirst(end.count)
        return text
    }
}
