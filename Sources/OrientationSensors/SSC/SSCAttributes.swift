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
    var rigidBody: Int64?

    init() {}

    /// Takes what is readable of a message.
    init(_ message: ArraySlice<UInt8>) {
        message.forEachField { if case (1, .bytes(let attribute)) = ($0, $1) { add(attribute) } }
    }

    private mutating func add(_ attribute: ArraySlice<UInt8>) {
        var (number, values) = (UInt64?.none, ArraySlice<UInt8>())
        attribute.forEachField {
            switch ($0, $1) {
            case (1, .varint(let value)): number = value
            case (2, .bytes(let list)): values = list
            default: break
            }
        }
        guard let number else { return }
        values.forEachField {
            if case (1, .bytes(let value)) = ($0, $1) { value.forEachField { add($1, of: $0, to: number) } }
        }
    }

    private mutating func add(_ value: ProtobufValue, of type: UInt64, to number: UInt64) {
        switch (number, type, value) {
        case (0, 2, .bytes(let text)): name = AttributeText.name(String(decoding: text, as: UTF8.self))
        case (3, 5, .varint(let flag)): isAvailable = flag != 0
        case (6, 3, .fixed32(let bits)): rates.append(Double(Float(bitPattern: bits)))
        case (16, 4, .fixed64(let value)): isStreaming = value == 0
        case (19, 4, .fixed64(let value)): rigidBody = Int64(bitPattern: value)
        default: break
        }
    }

    /// The lowest of its rates that is at least `minimum` Hz, else its highest; nil without any.
    func rate(atLeast minimum: Double) -> Double? {
        let usable = rates.filter { $0 > 0 && $0.isFinite }
        return usable.filter { $0 >= minimum }.min() ?? usable.max()
    }
}
