// SPDX-License-Identifier: Apache-2.0

/// The value of a property or an option, by its D-Bus type.
package enum PropertyValue: Hashable, Sendable {
    case text(String)
    case texts([String])
    case flag(Bool)
    case number(UInt32)
    case decimal(Double)
    case decimals([Double])
    case vector(x: Double, y: Double, z: Double)
    case path(String)

    /// As D-Bus tools print it; an array of texts separated by commas, empty for other arrays and structs.
    package var text: String {
        switch self {
        case .text(let value), .path(let value): value
        case .texts(let values): values.joined(separator: ",")
        case .flag(let value): value ? "true" : "false"
        case .number(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .decimals, .vector: ""
        }
    }
}

extension PropertyValue: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) {
        self = .text(value)
    }
}

/// A D-Bus type, and how a Swift type is converted to it and back.
package struct BusType<Value>: Sendable {
    package let signature: StaticString
    package let encode: @Sendable (Value) -> PropertyValue

    /// Returns nil for a value that the Swift type cannot have.
    package let decode: @Sendable (PropertyValue) -> Value?

    package init(
        _ signature: StaticString,
        _ encode: @escaping @Sendable (Value) -> PropertyValue,
        _ decode: @escaping @Sendable (PropertyValue) -> Value?
    ) {
        self.signature = signature
        self.encode = encode
        self.decode = decode
    }
}

/// A Swift type with one D-Bus type.
package protocol BusValue: SendableMetatype {
    static var busType: BusType<Self> { get }
}

extension BusValue {
    package var propertyValue: PropertyValue { Self.busType.encode(self) }
}

extension String: BusValue {
    package static var busType: BusType<Self> {
        BusType("s", { .text($0) }, { if case .text(let value) = $0 { value } else { nil } })
    }
}

extension Bool: BusValue {
    package static var busType: BusType<Self> {
        BusType("b", { .flag($0) }, { if case .flag(let value) = $0 { value } else { nil } })
    }
}

extension UInt32: BusValue {
    package static var busType: BusType<Self> {
        BusType("u", { .number($0) }, { if case .number(let value) = $0 { value } else { nil } })
    }
}

extension Double: BusValue {
    package static var busType: BusType<Self> {
        BusType("d", { .decimal($0) }, { if case .decimal(let value) = $0 { value } else { nil } })
    }
}

/// A Swift type whose arrays have one D-Bus type.
package protocol BusElement: SendableMetatype {
    static var arrayType: BusType<[Self]> { get }
}

extension Array: BusValue where Element: BusElement {
    package static var busType: BusType<Self> { Element.arrayType }
}

extension Double: BusElement {
    package static var arrayType: BusType<[Double]> {
        BusType("ad", { .decimals($0) }, { if case .decimals(let values) = $0 { values } else { nil } })
    }
}

extension String: BusElement {
    package static var arrayType: BusType<[String]> {
        BusType("as", { .texts($0) }, { if case .texts(let values) = $0 { values } else { nil } })
    }
}
