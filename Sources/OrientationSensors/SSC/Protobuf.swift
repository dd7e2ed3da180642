// SPDX-License-Identifier: Apache-2.0

/// The value of a field of a message in the format of Protocol Buffers, version 2.
enum ProtobufValue: Equatable {
    case varint(UInt64)
    case fixed64(UInt64)
    /// A text, bytes, a message, or numbers that are packed.
    case bytes(ArraySlice<UInt8>)
    case fixed32(UInt32)

    /// A message in a field.
    static func message(_ bytes: [UInt8]) -> ProtobufValue { .bytes(bytes[...]) }

    /// Calls `body` with each number of a repeated `float`, which may be packed or not.
    func forEachFloat(_ body: (Float) -> Void) {
        switch self {
        case .fixed32(let bits): body(Float(bitPattern: bits))
        case .bytes(var bytes): while let bits = bytes.takeInteger(of: UInt32.self) { body(Float(bitPattern: bits)) }
        case .varint, .fixed64: break
        }
    }

    /// The bytes of a field with this value, for a message.
    func field(_ number: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .varint(let value):
            bytes.addVarint(number << 3)
            bytes.addVarint(value)
        case .fixed64(let value):
            bytes.addVarint(number << 3 | 1)
            bytes.addInteger(value)
        case .bytes(let value):
            bytes.addVarint(number << 3 | 2)
            bytes.addVarint(UInt64(value.count))
            bytes += value
        case .fixed32(let value):
            bytes.addVarint(number << 3 | 5)
            bytes.addInteger(value)
        }
        return bytes
    }
}

/// Reading of messages, and of the little-endian integers of QMI and QRTR; allocates nothing.
extension ArraySlice<UInt8> {
    /// Calls `body` with each field of a message; returns false at once where the message is malformed.
    @discardableResult
    func forEachField(_ body: (_ number: UInt64, _ value: ProtobufValue) -> Void) -> Bool {
        var rest = self
        while !rest.isEmpty {
            guard let tag = rest.takeVarint(), let value = rest.takeValue(encoding: tag & 7) else { return false }
            body(tag >> 3, value)
        }
        return true
    }

    private mutating func takeValue(encoding: UInt64) -> ProtobufValue? {
        switch encoding {
        case 0: takeVarint().map { .varint($0) }
        case 1: takeInteger().map { .fixed64($0) }
        case 2: takeVarint().flatMap { Int(exactly: $0) }.flatMap { takeBytes($0) }.map { .bytes($0) }
        case 5: takeInteger().map { .fixed32($0) }
        default: nil
        }
    }

    private mutating func takeVarint() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 70, by: 7) {
            guard let byte = popFirst() else { return nil }
            number |= UInt64(byte & 0x7f) << UInt64(shift)
            if byte < 0x80 { return number }
        }
        return nil
    }

    /// Removes an integer at the beginning; nil, and removes nothing, where there are not enough bytes.
    mutating func takeInteger<Integer: FixedWidthInteger>(of type: Integer.Type = Integer.self) -> Integer? {
        guard let bytes = takeBytes(MemoryLayout<Integer>.size) else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | Integer(truncatingIfNeeded: $1) }
    }

    /// Removes so many bytes at the beginning; nil, and removes nothing, where there are not enough.
    mutating func takeBytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= self.count else { return nil }
        defer { self = dropFirst(count) }
        return prefix(count)
    }
}

extension [UInt8] {
    mutating func addInteger(_ integer: some FixedWidthInteger) {
        for byte in 0..<integer.bitWidth / 8 { append(UInt8(truncatingIfNeeded: integer >> (8 * byte))) }
    }

    fileprivate mutating func addVarint(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}
