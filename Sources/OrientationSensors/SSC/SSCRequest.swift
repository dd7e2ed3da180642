// SPDX-License-Identifier: Apache-2.0

/// The name of a sensor in the sensor core.
struct SUID: Equatable, Sendable {
    let low, high: UInt64

    /// The sensor that tells the others' names.
    static let lookup = SUID(low: 0xabab_abab_abab_abab, high: 0xabab_abab_abab_abab)

    init(low: UInt64, high: UInt64) { (self.low, self.high) = (low, high) }

    /// Nil for a message that is malformed or lacks one of the halves.
    init?(_ message: ArraySlice<UInt8>) {
        var halves: (low: UInt64?, high: UInt64?)
        let isWhole = message.forEachField {
            switch ($0, $1) {
            case (1, .fixed64(let number)): halves.low = number
            case (2, .fixed64(let number)): halves.high = number
            default: break
            }
        }
        guard isWhole, let low = halves.low, let high = halves.high else { return nil }
        self.init(low: low, high: high)
    }

    var message: [UInt8] { ProtobufValue.fixed64(low).field(1) + ProtobufValue.fixed64(high).field(2) }
}

/// What a sensor is asked for.
enum SSCRequest: Equatable {
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
        case .sensors(let type):
            (512, ProtobufValue.message(Array(type.utf8)).field(1) + ProtobufValue.varint(1).field(2))
        case .attributes: (1, [])
        case .stream(let rate): (513, ProtobufValue.fixed32(Float(rate).bitPattern).field(1))
        case .changes: (514, [])
        case .end: (10, [])
        }
    }

    /// The message that asks a sensor for it.
    func message(to sensor: SUID) -> [UInt8] {
        let (number, payload) = content
        // To the processor that Linux runs on, which is not woken up for it.
        let delivery = ProtobufValue.varint(1).field(1) + ProtobufValue.varint(1).field(2)
        let request = payload.isEmpty ? [] : ProtobufValue.message(payload).field(2)
        return ProtobufValue.message(sensor.message).field(1) + ProtobufValue.fixed32(number).field(2)
            + ProtobufValue.message(delivery).field(3) + ProtobufValue.message(request).field(4)
    }

    func datagram(to sensor: SUID) -> [UInt8] { QMIMessage.request(transaction: 1, message(to: sensor)) }
}
