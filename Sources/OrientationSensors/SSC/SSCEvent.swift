// SPDX-License-Identifier: Apache-2.0

/// The events in a message, each with the sensor that sent it; skips what is malformed.
struct SSCEvents: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>
    private var sensor: SUID?

    init(_ message: ArraySlice<UInt8>) { rest = message }

    mutating func next() -> (event: SSCEvent, sensor: SUID)? {
        while let field = rest.takeField() {
            switch field {
            case (1, .bytes(let name)): sensor = SUID(name)
            case (2, .bytes(let event)):
                if let sensor, let event = SSCEvent(event, of: sensor) { return (event, sensor) }
            default: break
            }
        }
        return nil
    }
}

/// What a sensor sends, of what is used here.
enum SSCEvent: Equatable {
    /// The look-up sensor: the sensors of a type, of which there may be none.
    case sensors(type: String, [SUID])
    case attributes(SSCAttributes)
    /// The first numbers of a reading; missing ones are 0.
    case reading(SIMD4<Float>)
    /// The state of a proximity sensor, or of that of a cover's magnet: 1 for near.
    case state(UInt64)
    /// The request failed, with the sensor core's number of the error.
    case failure(UInt64)

    /// Nil for an event that is malformed, lacks what it must have, or is not used.
    init?(_ message: ArraySlice<UInt8>, of sensor: SUID) {
        guard case .fixed32(let number)? = message.field(1) else { return nil }
        let payload: ArraySlice<UInt8> = if case .bytes(let bytes)? = message.field(3) { bytes } else { [] }
        let state: UInt64? = if case .varint(let state)? = payload.field(1) { state } else { nil }
        let event: SSCEvent? =
            switch number {
            case 128: .attributes(SSCAttributes(payload))
            case 130: .failure(state ?? 0)
            case 768 where sensor == .lookup: Self.sensors(payload)
            case 769: state.map { .state($0) }
            // Only a state that the sensor says is reliable.
            case 770: if case .varint(1...)? = payload.field(2) { state.map { .state($0) } } else { nil }
            case 1025: Self.reading(payload).map { .reading($0) }
            default: nil
            }
        guard let event else { return nil }
        self = event
    }

    private static func sensors(_ payload: ArraySlice<UInt8>) -> SSCEvent {
        var (rest, type, sensors) = (payload, "", [SUID]())
        while let field = rest.takeField() {
            switch field {
            case (1, .bytes(let text)): type = String(decoding: text, as: UTF8.self)
            case (2, .bytes(let name)): if let sensor = SUID(name) { sensors.append(sensor) }
            default: break
            }
        }
        return .sensors(type: type, sensors)
    }

    /// Nil for one that is cut off or has no number.
    private static func reading(_ payload: ArraySlice<UInt8>) -> SIMD4<Float>? {
        var (rest, values, count) = (payload, SIMD4<Float>(), 0)
        func add(_ bits: UInt32) {
            if count < 4 { values[count] = Float(bitPattern: bits) }
            count += 1
        }
        while let field = rest.takeField() {
            switch field {
            case (1, .fixed32(let bits)): add(bits)
            case (1, .bytes(var packed)): while let bits = packed.takeInteger(4) { add(UInt32(bits)) }
            default: break
            }
        }
        return rest.isEmpty && count > 0 ? values : nil
    }
}
