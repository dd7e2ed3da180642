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

    var message: [UInt8] { .field(1, fixed: low) + .field(2, fixed: high) }
}

/// What a sensor is asked for.
struct SSCRequest: Equatable, Sendable {
    private let number: UInt32
    private var payload: [UInt8] = []

    /// The names of the sensors of a type, now and when that changes; of the look-up sensor.
    static func sensors(type: String) -> SSCRequest {
        SSCRequest(number: 512, payload: .field(1, Array(type.utf8)) + [2 << 3, 1])
    }
    static let attributes = SSCRequest(number: 1)
    /// Readings at a rate in Hz.
    static func stream(rate: Double) -> SSCRequest {
        SSCRequest(number: 513, payload: .field(1, fixed: Float(rate).bitPattern))
    }
    /// The present reading, and each that differs.
    static let changes = SSCRequest(number: 514)
    /// The present angle of the hinge, from the keyboard (rigid body 1) to the display (0), and each that differs.
    static let angles = SSCRequest(number: 512, payload: [1 << 3, 1, 1 << 3, 0])
    /// Ends what was asked for.
    static let end = SSCRequest(number: 10)

    /// The message in the format of Protocol Buffers that asks a sensor for it.
    func message(to sensor: SUID) -> [UInt8] {
        // For the processor that Linux runs on, which is not woken up for it.
        let delivery: [UInt8] = [1 << 3, 1, 2 << 3, 1]
        return .field(1, sensor.message) + .field(2, fixed: number) + .field(3, delivery)
            + .field(4, payload.isEmpty ? [] : .field(2, payload))
    }

    func datagram(to sensor: SUID) -> [UInt8] { QMIMessage.request(message(to: sensor)) }
}
