// SPDX-License-Identifier: Apache-2.0

/// A message of sway's IPC, which is i3's: a mark, the length and the type, then JSON or a command.
struct SwayMessage: Hashable, Sendable {
    enum Kind: UInt32 {
        case runCommand = 0
        case subscribe = 2
        case getInputs = 100
        case inputEvent = 0x8000_0015
        case workspaceEvent = 0x8000_0000
    }

    var kind: UInt32
    var payload: [UInt8]

    /// Removes the first message from what was received; nil if it is incomplete, an error if it is none of sway's.
    static func next(in bytes: inout [UInt8]) throws(MessageError) -> [UInt8]? {
        guard bytes.prefix(mark.count) == mark.prefix(bytes.count) else {
            throw MessageError("does not speak sway's protocol")
        }
        guard bytes.count >= headerSize else { return nil }
        let end = headerSize + Int(word(of: bytes, at: 6))
        guard end <= UnixSocket.limit else { throw MessageError("announced a message of \(end) bytes") }
        guard bytes.count >= end else { return nil }
        defer { bytes.removeFirst(end) }
        return Array(bytes[..<end])
    }

    var bytes: [UInt8] { Self.mark + Self.word(UInt32(payload.count)) + Self.word(kind) + payload }

    private static let mark = Array("i3-ipc".utf8)
    private static let headerSize = 14

    /// Both ends have the machine's byte order.
    private static func word(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

    private static func word(of bytes: [UInt8], at index: Int) -> UInt32 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index, as: UInt32.self) }
    }
}

extension SwayMessage {
    /// Reads what ``next(in:)`` returns.
    init(_ bytes: [UInt8]) {
        self.init(kind: Self.word(of: bytes, at: 10), payload: Array(bytes[Self.headerSize...]))
    }
}
