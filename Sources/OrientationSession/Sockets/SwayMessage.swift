// SPDX-License-Identifier: Apache-2.0

/// A message of sway's IPC, which is i3's: a mark, the length and the type, then JSON or a command.
struct SwayMessage: Hashable, Sendable {
    enum Kind: UInt32 {
        case runCommand = 0
        case subscribe = 2
        case getVersion = 7
        case getInputs = 100
        case inputEvent = 0x8000_0015
        case workspaceEvent = 0x8000_0000
    }

    var kind: UInt32
    var payload: [UInt8]

    /// The framing of messages, with their headers; an error for what is none of sway's.
    static func size(in received: ArraySlice<UInt8>, known: Int) throws(MessageError) -> Int? {
        guard received.prefix(mark.count).elementsEqual(mark.prefix(received.count)) else {
            throw MessageError("does not speak sway's protocol")
        }
        guard received.count >= headerSize else { return nil }
        let size = headerSize + Int(word(of: received, at: 6))
        guard size <= UnixSocket.limit else { throw MessageError("announced a message of \(size) bytes") }
        return received.count < size ? nil : size
    }

    var bytes: [UInt8] { Self.mark + Self.word(UInt32(payload.count)) + Self.word(kind) + payload }

    private static let mark = Array("i3-ipc".utf8)
    private static let headerSize = 14

    /// Both ends have the machine's byte order.
    private static func word(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

    private static func word(of bytes: ArraySlice<UInt8>, at index: Int) -> UInt32 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index, as: UInt32.self) }
    }
}

extension SwayMessage {
    init(_ bytes: [UInt8]) {
        self.init(kind: Self.word(of: bytes[...], at: 10), payload: Array(bytes[Self.headerSize...]))
    }
}
