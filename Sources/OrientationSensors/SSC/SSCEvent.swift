// SPDX-License-Identifier: Apache-2.0

/// The first numbers of a reading; missing ones are 0.
struct SSCReading: Equatable {
    var x: Float = 0, y: Float = 0, z: Float = 0, w: Float = 0
}

/// What a sensor sends, of what is used here.
enum SSCEvent: Equatable {
    /// The look-up sensor: the sensors of a type, of which there may be none.
    case sensors(type: String, [SUID])
    case attributes(SSCAttributes)
    case reading(SSCReading)
    case proximity(isNear: Bool)
    /// The request failed, with the sensor core's number of the error.
    case failure(UInt64)
    case other

    /// Calls `body` with each event of a message and the sensor that sent them; skips what is malformed.
    static func forEach(in message: ArraySlice<UInt8>, _ body: (SSCEvent, SUID) -> Void) {
        var sensor: SUID?
        let isWhole = message.forEachField { if case (1, .bytes(let suid)) = ($0, $1) { sensor = SUID(suid) } }
        guard isWhole, let sensor else { return }
        message.forEachField {
            guard case (2, .bytes(let message)) = ($0, $1) else { return }
            var (number, payload) = (UInt32?.none, ArraySlice<UInt8>())
            let isWhole = message.forEachField {
                switch ($0, $1) {
                case (1, .fixed32(let value)): number = value
                case (3, .bytes(let value)): payload = value
                default: break
                }
            }
            if isWhole, let number, let event = SSCEvent(number, payload, of: sensor) { body(event, sensor) }
        }
    }

    /// Nil where the payload has not what it must have.
    init?(_ number: UInt32, _ payload: ArraySlice<UInt8>, of sensor: SUID) {
        switch (number, sensor == .lookup) {
        case (128, _): self = .attributes(SSCAttributes(payload))
        case (130, _): self = .failure(Self.number(payload) ?? 0)
        case (768, true): self = Self.sensors(payload)
        case (769, false):
            guard let number = Self.number(payload) else { return nil }
            // Proximity.
            self = .proximity(isNear: number == 1)
        case (1025, _):
            guard let reading = Self.reading(payload) else { return nil }
            self = .reading(reading)
        default: self = .other
        }
    }

    private static func number(_ payload: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64?
        let isWhole = payload.forEachField { if case (1, .varint(let value)) = ($0, $1) { number = value } }
        return isWhole ? number : nil
    }

    private static func sensors(_ payload: ArraySlice<UInt8>) -> SSCEvent {
        var (type, sensors) = ("", [SUID]())
        payload.forEachField {
            switch ($0, $1) {
            case (1, .bytes(let text)): type = String(decoding: text, as: UTF8.self)
            case (2, .bytes(let message)): if let sensor = SUID(message) { sensors.append(sensor) }
            default: break
            }
        }
        return .sensors(type: type, sensors)
    }

    private static func reading(_ payload: ArraySlice<UInt8>) -> SSCReading? {
        var (reading, count) = (SSCReading(), 0)
        let isWhole = payload.forEachField { number, value in
            guard number == 1 else { return }
            value.forEachFloat {
                switch count {
                case 0: reading.x = $0
                case 1: reading.y = $0
                case 2: reading.z = $0
                case 3: reading.w = $0
                default: break
                }
                count += 1
            }
        }
        return isWhole && count > 0 ? reading : nil
    }
}
