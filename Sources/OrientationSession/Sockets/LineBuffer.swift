// SPDX-License-Identifier: Apache-2.0

/// Divides a stream of bytes into lines.
package struct LineBuffer {
    /// The longest line that is accepted, in bytes.
    package static let limit = 1 << 20

    private var rest: [UInt8] = []

    package init() {}

    /// Returns the lines that `bytes` complete, without their newlines; throws if a line is too long.
    package mutating func take(_ bytes: [UInt8]) throws(MessageError) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for part in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            lines.append(rest + part)
            rest = []
        }
        rest = lines.popLast() ?? []
        guard rest.count <= Self.limit else { throw MessageError("sent a line of more than \(Self.limit) bytes") }
        return lines
    }
}

/// What is wrong with a message, as words that follow the socket's name.
package struct MessageError: Error, Hashable, Sendable {
    package let problem: String

    package init(_ problem: String) {
        self.problem = problem
    }
}
