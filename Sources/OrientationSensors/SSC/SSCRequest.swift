// SPDX-License-Identifier: Apache-2.0

/// The name of a sensor in the sensor core.
struct SUID: Equatable, Sendable {
    let low, high: UInt64

    /// The sensor that tells the others' names.
    static let lookup = SUID(low: 0xabab_abab_abab_abab, high: 0xabab_abab_abab_abab)
}

extension SUID {
    /// Nil for a message without one of the halves.
    init?(_ message: ArraySlice<UInt8>) {
        guard case .fixed64(let low)? = message.field(1), case .fixed64(let high)? = message.field(2) else {
            return nil
        }
        self.init(low: low, high: high)
    }
}

/// What a sensor is asked for.
enum SSCRequest: Equatable, Sendable {
    /// The names of the sensors of a type, now and when that changes; of the look-up sensor.
    case sensors(type: String)
    case attributes
    /// Readings at a rate in Hz.
    case stream(rate: Double)
    /// The present reading, and each that differs.
    case changes
    /// Ends what was asked for.
    case end

    private var content: (number: UInt32, payload: [UInt8]) {
        switch self {
        case .sensors(let type): (512, Self.field(1, Array(type.utf8)) + [2 << 3, 1])
        case .attributes: (1, [])
        case .stream(let rate): (513, Self.fixed(1, Float(rate).bitPattern))
        case .changes: (514, [])
        case .end: (10, [])
        }
    }

    /// The message in the format of Protocol Buffers that asks a sensor for it.
    func message(to sensor: SUID) -> [UInt8] {
        let (number, payload) = content
        let name = Self.fixed(1, sensor.low) + Self.fixed(2, sensor.high)
        // For the processor that Linux runs on, which is not woken up for it.
        let delivery: [UInt8] = [1 << 3, 1, 2 << 3, 1]
        return Self.field(1, name) + Self.fixed(2, number) + Self.field(3, delivery)
            + Self.field(4, payload.isEmpty ? [] : Self.field(2, payload))
    }

    func datagram(to sensor: SUID) -> [UInt8] { QMIMessage.request(message(to: sensor)) }

    /// A field of a text or message, which has fewer than 128 bytes.
    private static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [number << 3 | 2, UInt8(bytes.count)] + bytes
    }

    /// A field of an integer of 32 or 64 bits.
    private static func fixed(_ number: UInt8, _ integer: some FixedWidthInteger) -> [UInt8] {
        var bytes = [number << 3 | (integer.bitWidth == 64 ? 1 : 5)]
        bytes.addInteger(integer)
        return bytes
    }
}
