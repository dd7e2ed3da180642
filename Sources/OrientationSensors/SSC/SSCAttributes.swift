// SPDX-License-Identifier: Apache-2.0

/// What a sensor says of itself, of what is used here.
struct SSCAttributes: Equatable, Sendable {
    var name = ""
    var isAvailable = true
    /// In Hz, as the sensor has them.
    var rates: [Double] = []
    /// Whether it sends readings at a rate; otherwise those that differ.
    var isStreaming = true
    /// What it is attached to: 0 the display, 1 the keyboard; nil where it does not say.
    var rigidBody: UInt64?
    /// A matrix and an offset, which are not used: readings are in the device frame already.
    var placement: [Float] = []

    init() {}

    /// Takes what is readable of a message.
    init(_ message: ArraySlice<UInt8>) {
        var rest = message
        while let field = rest.takeField() {
            guard case (1, .bytes(let attribute)) = field, case .varint(let number)? = attribute.field(1),
                case .bytes(var values)? = attribute.field(2)
            else { continue }
            while case (1, .bytes(var value))? = values.takeField() {
                while let (type, value) = value.takeField() { set(number, type, value) }
            }
        }
    }

    private mutating func set(_ number: UInt64, _ type: UInt64, _ value: ProtobufValue) {
        switch (number, type, value) {
        case (0, 2, .bytes(let text)): name = AttributeText.name(String(decoding: text, as: UTF8.self))
        case (3, 5, .varint(let flag)): isAvailable = flag != 0
        case (6, 3, .fixed32(let bits)): rates.append(Double(Float(bitPattern: bits)))
        case (16, 4, .fixed64(let type)): isStreaming = type == 0
        case (19, 4, .fixed64(let body)): rigidBody = body
        case (20, 3, .fixed32(let bits)): if placement.count < 12 { placement.append(Float(bitPattern: bits)) }
        default: break
        }
    }

    /// The lowest of its rates that is at least `minimum` Hz, else its highest; `minimum` without any.
    func rate(atLeast minimum: Double) -> Double {
        let usable = rates.filter { $0 > 0 && $0.isFinite }
        return usable.filter { $0 >= minimum }.min() ?? usable.max() ?? minimum
    }
}
