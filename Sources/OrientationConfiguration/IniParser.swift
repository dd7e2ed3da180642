// SPDX-License-Identifier: Apache-2.0

import POSIX

/// An assignment, or a line that was not understood; blank lines, comments and section headers are neither.
package struct IniLine: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case assignment(section: String, key: String, value: String)
        /// Why the line was not understood.
        case problem(String)
    }

    /// Counted from 1.
    package let number: Int
    package let content: Content
}

/// Parses ini texts: lines `[Section]`, and below them `Key=value` or `Key: value`.
///
/// White space around lines, keys and values is ignored. A line that begins with `#` or `;` is a comment, and so is the
/// rest of a line from a `;` after white space, or from either of them after a header. The section of a bad header has the
/// empty name. A line may have 4096 bytes.
package enum IniParser {
    private static let longestLine = 4096

    package static func lines(of text: [UInt8]) -> [IniLine] {
        // Some editors begin a file with a byte order mark.
        let text = text.dropFirst(text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        var section = ""
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return zip(1..., lines).compactMap { number, line in
            content(of: trimmed(line), &section).map { IniLine(number: number, content: $0) }
        }
    }

    /// Parses a line in `section`, which a header changes; nil for a line that assigns nothing.
    private static func content(of line: ArraySlice<UInt8>, _ section: inout String) -> IniLine.Content? {
        guard let first = line.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else { return nil }
        let isHeader = first == UInt8(ascii: "[")
        if isHeader { section = "" }
        guard line.count <= longestLine else { return .problem("the line has more than \(longestLine) bytes") }
        guard !line.contains(0) else { return .problem("the line holds a NUL byte") }
        if isHeader {
            let name = line.dropFirst().prefix { $0 != UInt8(ascii: "]") }
            guard name.endIndex < line.endIndex else { return .problem("the section's name has no closing bracket") }
            section = String(decoding: name, as: UTF8.self)
            let rest = trimmed(line[(name.endIndex + 1)...])
            guard let start = rest.first, start != UInt8(ascii: ";"), start != UInt8(ascii: "#") else { return nil }
            return .problem("the text after [\(section)] is ignored; a setting has a line of its own")
        }
        let comment = line.indices.dropFirst().first { line[$0] == UInt8(ascii: ";") && isSpace(line[$0 - 1]) }
        let assignment = line[..<(comment ?? line.endIndex)]
        guard let sign = assignment.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }) else {
            return .problem("neither a [Section], a Key=value nor a comment")
        }
        let (key, value) = (trimmed(assignment[..<sign]), trimmed(assignment[(sign + 1)...]))
        guard !key.isEmpty else { return .problem("the key before the value is missing") }
        return .assignment(
            section: section,
            key: String(decoding: key, as: UTF8.self),
            value: String(decoding: value, as: UTF8.self)
        )
    }
}
