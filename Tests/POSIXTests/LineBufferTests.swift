// SPDX-License-Identifier: Apache-2.0

import POSIX
import Testing

@Suite struct LineBufferTests {
    @Test(arguments: 1...20)
    func `the lines do not depend on the pieces in which they arrive`(size: Int) throws {
        let expected = (0..<40).map { [UInt8](repeating: 0x78, count: $0 * 7 % 23) }
        let text = expected.flatMap { $0 + [0x0A] } + Array("no line".utf8)
        var (buffer, lines) = (LineBuffer(longest: 22), [[UInt8]]())
        for start in stride(from: 0, to: text.count, by: size) {
            let complete = buffer.add(text[start..<min(start + size, text.count)])
            lines += try #require(complete)
        }
        #expect(lines == expected)
    }

    @Test(arguments: [["12345\n"], ["123", "45"], ["1\n\n12345"], ["123", "45\n"]])
    func `a line that is too long is refused, complete or not`(pieces: [String]) {
        for (longest, isAccepted) in [(5, true), (4, false)] {
            var buffer = LineBuffer(longest: longest)
            let results = pieces.map { buffer.add(Array($0.utf8)[...]) }
            #expect(results.contains { $0 == nil } != isAccepted)
        }
    }
}
