// SPDX-License-Identifier: Apache-2.0

/// The value of a field of a message in the format of Protocol Buffers, version 2.
enum ProtobufValue {
    case varint(UInt64)
    case fixed64(UInt64)
    /// A text, bytes, a message, or numbers that are packed.
    case bytes(ArraySlice<UInt8>)
    case fixed32(UInt32)
}

/// Reading of messages, and of the little-endian integers of QMI and QRTR; allocates nothing.
extension ArraySlice<UInt8> {
    /// Removes the first field of a message; nil at its end, and removes nothing where the rest is malformed.
    mutating func takeField() -> (number: UInt64, value: ProtobufValue)? {
        var rest = self
        guard let tag = rest.takeVarint() else { return nil }
        let value: ProtobufValue? =
            switch tag & 7 {
            case 0: rest.takeVarint().map { .varint($0) }
            case 1: rest.takeInteger(8).map { .fixed64($0) }
            case 2: rest.takeVarint().flatMap { rest.takeBytes(Int(clamping: $0)) }.map { .bytes($0) }
            case 5: rest.takeInteger(4).map { .fixed32(UInt32($0)) }
            default: nil
            }
        guard let value else { return nil }
        self = rest
        return (tag >> 3, value)
    }

    /// The first value of a field of a message.
    func field(_ number: UInt64) -> ProtobufValue? {
        var rest = self
        while let field = rest.takeField() { if field.number == number { return field.value } }
        return nil
    }

    private mutating func takeVarint() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 70, by: 7) {
            guard let byte = takeInteger(1) else { return nil }
            number |= (byte & 0x7f) << UInt64(shift)
            if byte < 0x80 { return number }
        }
        return nil
    }

    /// Removes an integer of so many bytes, at most 8, at the beginning; nil where there are not enough.
    mutating func takeInteger(_ size: Int) -> UInt64? {
        takeBytes(size)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Removes so many bytes at the beginning; nil, and removes nothing, where there are not enough.
    mutating func takeBytes(_ size: Int) -> ArraySlice<UInt8>? {
        guard size <= count else { return nil }
        defer { self = dropFirst(size) }
        return prefix(size)
    }
}

/// Writing of messages.
extension [UInt8] {
    /// The field of a text or message of fewer than 128 bytes.
    static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] { [number << 3 | 2, UInt8(bytes.count)] + bytes }

    /// The field of an integer of 32 or 64 bits.
    static func field(_ number: UInt8, fixed integer: some FixedWidthInteger) -> [UInt8] {
        var bytes = [number << 3 | (integer.bitWidth == 64 ? 1 : 5)]
        bytes.addInteger(integer)
        return bytes
    }

    mutating func addInteger(_ integer: some FixedWidthInteger) {
        for byte in 0..<integer.bitWidth / 8 { append(UInt8(truncatingIfNeeded: integer >> (8 * byte))) }
    }
}
