// SPDX-License-Identifier: Apache-2.0

/// Divides what arrives in pieces into lines, none of which is longer than a limit.
package struct LineBuffer {
    private let longest: Int
    private var rest: [UInt8] = []

    /// `longest` is the limit in bytes, without the newline.
    package init(longest: Int) { self.longest = longest }

    /// Adds what has arrived; returns the lines that are complete now, without their newlines.
    ///
    /// Nil once a line is too long, whether it is complete or not: nothing may be added any more.
    package mutating func add(_ bytes: ArraySlice<UInt8>) -> [[UInt8]]? {
        var (bytes, lines) = (bytes, [[UInt8]]())
        while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            guard rest.count + (end - bytes.startIndex) <= longest else { return nil }
            lines.append(rest + bytes[..<end])
            rest = []
            bytes = bytes[(end + 1)...]
        }
        guard rest.count + bytes.count <= longest else { return nil }
        rest += bytes
        return lines
    }
}
