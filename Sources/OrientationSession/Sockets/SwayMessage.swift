// SPDX-License-Identifier: Apache-2.0

/// A message of sway's IPC, which is i3's: a mark, the length and the type, then JSON or a command.
package struct SwayMessage: Hashable, Sendable {
    package enum Kind: UInt32 {
        case runCommand = 0
        case subscribe = 2
        case getInputs = 100
        case inputEvent = 0x8000_0015
        case workspaceEvent = 0x8000_0000
    }

    package var kind: UInt32
    package var payload: [UInt8]

    package init(kind: UInt32, payload: [UInt8]) {
        self.kind = kind
        self.payload = payload
    }

    init(_ kind: Kind, _ text: String = "") {
        self.init(kind: kind.rawValue, payload: Array(text.utf8))
    }

    package var bytes: [UInt8] { Self.mark + Self.word(UInt32(payload.count)) + Self.word(kind) + payload }

    fileprivate static let mark = Array("i3-ipc".utf8)
    fileprivate static let headerSize = 14

    /// Both ends have the machine's byte order.
    private static func word(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
}

/// Divides what sway sends into messages.
package struct SwayMessageBuffer {
    /// The longest payload that is accepted, in bytes.
    package static let limit = 1 << 22

    private var rest: [UInt8] = []

    package init() {}

    /// Returns the messages that `bytes` complete; throws if they are none of sway's.
    package mutating func take(_ bytes: [UInt8]) throws(MessageError) -> [SwayMessage] {
        rest += bytes
        var messages: [SwayMessage] = []
        while !rest.isEmpty {
            guard rest.prefix(SwayMessage.mark.count) == SwayMessage.mark.prefix(rest.count) else {
                throw MessageError("does not speak sway's protocol")
            }
            guard rest.count >= SwayMessage.headerSize else { break }
            let length = Int(word(at: 6))
            guard length <= Self.limit else { throw MessageError("announced a message of \(length) bytes") }
            let end = SwayMessage.headerSize + length
            guard rest.count >= end else { break }
            messages.append(SwayMessage(kind: word(at: 10), payload: Array(rest[SwayMessage.headerSize..<end])))
            rest.removeFirst(end)
        }
        return messages
    }

    private func word(at index: Int) -> UInt32 {
        rest.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index, as: UInt32.self) }
    }
}
