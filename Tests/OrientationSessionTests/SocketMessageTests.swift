// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationSession

@Suite struct SocketMessageTests {
    private let messages = [
        SwayMessage(kind: 100, payload: []),
        SwayMessage(kind: 0x8000_0015, payload: Array("{}".utf8)),
        SwayMessage(kind: 0, payload: Array(repeating: 0x69, count: 300)),
    ]

    @Test(arguments: [1, 5, 13, 14, 15, 400])
    func `messages of sway are found however they arrive`(size: Int) throws {
        let bytes = messages.flatMap { $0.bytes }
        #expect(try divided(bytes, by: SwayMessage.size, arriving: size).map { SwayMessage($0) } == messages)
    }

    /// Divides bytes that arrive `size` at a time.
    private func divided(
        _ bytes: [UInt8],
        by framing: UnixSocket.Framing,
        arriving size: Int
    ) throws -> [[UInt8]] {
        var (first, known, found): (Int, Int, [[UInt8]]) = (0, 0, [])
        for start in stride(from: 0, to: bytes.count, by: size) {
            let received = bytes[..<min(start + size, bytes.count)]
            while let size = try framing(received[first...], known) {
                found.append(Array(received[first..<first + size]))
                (first, known) = (first + size, 0)
            }
            known = received.count - first
        }
        return found
    }

    @Test(arguments: ["HTTP/1.1", "i3", "i3-ipx", "i3-ipc\u{FF}\u{FF}\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}"])
    func `bytes that are no message of sway are an error as soon as they show it`(text: String) throws {
        let bytes = Array(text.utf8)[...]
        if "i3-ipc".hasPrefix(text) {
            #expect(try SwayMessage.size(in: bytes, known: 0) == nil)
        } else {
            #expect(throws: MessageError.self) { try SwayMessage.size(in: bytes, known: 0) }
        }
    }

    @Test func `lines are found however they arrive`() throws {
        let text = Array("one\n\ntwo\nrest".utf8)
        for size in 1...text.count {
            let lines = try divided(text, by: UnixSocket.line, arriving: size)
            #expect(lines == ["one\n", "\n", "two\n"].map { Array($0.utf8) })
        }
    }
}
