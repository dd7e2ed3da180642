// SPDX-License-Identifier: Apache-2.0

import CInih

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

/// Parses an ini text with inih.
///
/// inih reports only the first bad line, splits lines longer than its buffer, and cuts section names after 49 bytes.
/// So each line is checked first: an empty line replaces one that inih cannot read, and section names are read here.
/// The section of a bad header has the empty name.
package final class IniParser {
    private var rest: ArraySlice<UInt8>
    private var lines: [IniLine] = []

    private var number = 0
    private var section = ""
    /// Whether inih was given a line that must be an assignment.
    private var awaitsAssignment = false

    private init(_ text: [UInt8]) {
        rest = text[...]
    }

    package static func lines(of text: [UInt8]) -> [IniLine] {
        let parser = IniParser(text)
        let result = ini_parse_stream(
            { buffer, size, parser in
                guard let buffer, let parser else { return nil }
                let isLine = Unmanaged<IniParser>.fromOpaque(parser).takeUnretainedValue().nextLine(into: buffer, size)
                return isLine ? buffer : nil
            },
            Unmanaged.passUnretained(parser).toOpaque(),
            { parser, _, key, value in
                guard let parser, let key else { return 0 }
                Unmanaged<IniParser>.fromOpaque(parser).takeUnretainedValue().assign(
                    String(cString: key),
                    value.map { String(cString: $0) } ?? ""
                )
                return 1
            },
            Unmanaged.passUnretained(parser).toOpaque()
        )
        // Negative only if inih was built to allocate its line buffer on the heap.
        precondition(result >= 0, "no memory for a line of text")
        return withExtendedLifetime(parser) { parser.lines }
    }

    private static let empty: ArraySlice<UInt8> = [UInt8(ascii: "\n")]

    /// Copies the next line to `buffer` with a terminating NUL; false at the end of the text.
    private func nextLine(into buffer: UnsafeMutablePointer<CChar>, _ size: Int32) -> Bool {
        if awaitsAssignment { report("neither a [Section], a Key=value nor a comment") }
        guard !rest.isEmpty else { return false }
        let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
        let line = rest[..<end]
        rest = rest[end...]
        number += 1
        let replacement = replacement(for: line, longest: Int(size) - 3)
        for (index, byte) in replacement.enumerated() { buffer[index] = CChar(bitPattern: byte) }
        buffer[replacement.count] = 0
        return true
    }

    /// Returns what inih reads in place of `line`: at most `longest` bytes.
    private func replacement(for line: ArraySlice<UInt8>, longest: Int) -> ArraySlice<UInt8> {
        // inih skips a byte order mark, which some editors write.
        let mark = number == 1 && line.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard let start = line.dropFirst(mark).firstIndex(where: { !Self.isBlank($0) }) else { return Self.empty }
        if line[start] == UInt8(ascii: "[") {
            section = name(ofSection: line[(start + 1)...]) ?? ""
            return [UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\n")]
        }
        if line.count > longest {
            report("the line is longer than \(longest) bytes")
        } else if line.contains(0) {
            report("the line holds a NUL byte")
        } else {
            awaitsAssignment = line[start] != UInt8(ascii: ";") && line[start] != UInt8(ascii: "#")
            return line
        }
        return Self.empty
    }

    private func name(ofSection line: ArraySlice<UInt8>) -> String? {
        if let end = line.firstIndex(of: UInt8(ascii: "]")), !line.contains(0) {
            return String(decoding: line[..<end], as: UTF8.self)
        }
        report(line.contains(0) ? "the line holds a NUL byte" : "the section's name has no closing bracket")
        return nil
    }

    private func report(_ problem: String) {
        awaitsAssignment = false
        lines.append(IniLine(number: number, content: .problem(problem)))
    }

    private func assign(_ key: String, _ value: String) {
        awaitsAssignment = false
        lines.append(IniLine(number: number, content: .assignment(section: section, key: key, value: value)))
    }

    /// As isspace(3) in the C locale.
    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (9...13).contains(byte)
    }
}
