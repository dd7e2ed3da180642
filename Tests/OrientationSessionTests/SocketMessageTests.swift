// SPDX-License-Identifier: Apache-2.0

import OrientationSession
import Testing

@Suite struct SocketMessageTests {
    private let messages = [
        SwayMessage(kind: 100, payload: []),
        SwayMessage(kind: 0x8000_0015, payload: Array("{}".utf8)),
        SwayMessage(kind: 0, payload: Array(repeating: 0x69, count: 300)),
    ]

    @Test(arguments: [1, 5, 13, 14, 15, 400])
    func `messages of sway are found however they arrive`(size: Int) throws {
        var rest = messages.flatMap { $0.bytes }[...]
        var buffer = SwayMessageBuffer()
        var found: [SwayMessage] = []
        while !rest.isEmpty {
            found += try buffer.take(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        #expect(found == messages)
    }

    @Test(arguments: ["HTTP/1.1", "i3", "i3-ipx", "i3-ipc\u{FF}\u{FF}\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}"])
    func `bytes that are no message of sway are an error as soon as they show it`(text: String) throws {
        var buffer = SwayMessageBuffer()
        if "i3-ipc".hasPrefix(text) {
            #expect(try buffer.take(Array(text.utf8)) == [])
        } else {
            #expect(throws: MessageError.self) { try buffer.take(Array(text.utf8)) }
        }
    }

    @Test func `lines are found however they arrive`() throws {
        let text = Array("one\n\ntwo\nrest".utf8)
        for size in 1...text.count {
            var buffer = LineBuffer()
            var rest = text[...]
            var lines: [[UInt8]] = []
            while !rest.isEmpty {
                lines += try buffer.take(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            #expect(lines == [Array("one".utf8), [], Array("two".utf8)])
        }
    }

    @Test func `a line without an end is an error`() throws {
        var buffer = LineBuffer()
        #expect(try buffer.take([UInt8](repeating: 0x61, count: LineBuffer.limit)) == [])
        #expect(throws: MessageError.self) { try buffer.take([0x61]) }
    }
}
