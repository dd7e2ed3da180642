// SPDX-License-Identifier: Apache-2.0

/// The value of a property or an option, by its D-Bus type.
package enum PropertyValue: Hashable, Sendable {
    case text(String)
    case flag(Bool)
    case number(UInt32)
    case decimal(Double)
    case decimals([Double])
    case vector(x: Double, y: Double, z: Double)
    case path(String)

    /// As D-Bus tools print it; empty for arrays and structs.
    package var text: String {
        switch self {
        case .text(let value), .path(let value): value
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

/// A Swift type with one D-Bus type.
package protocol BusValue: SendableMetatype {
    static var signature: StaticString { get }

    /// Nil for a value of another D-Bus type.
    init?(_ value: PropertyValue)

    var propertyValue: PropertyValue { get }
}

extension String: BusValue {
    package static var signature: StaticString { "s" }

    package init?(_ value: PropertyValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }

    package var propertyValue: PropertyValue { .text(self) }
}

extension Bool: BusValue {
    package static var signature: StaticString { "b" }

    package init?(_ value: PropertyValue) {
        guard case .flag(let flag) = value else { return nil }
        self = flag
    }

    package var propertyValue: PropertyValue { .flag(self) }
}

extension UInt32: BusValue {
    package static var signature: StaticString { "u" }

    package init?(_ value: PropertyValue) {
        guard case .number(let number) = value else { return nil }
        self = number
    }

    package var propertyValue: PropertyValue { .number(self) }
}

extension Double: BusValue {
    package static var signature: StaticString { "d" }

    package init?(_ value: PropertyValue) {
        guard case .decimal(let number) = value else { return nil }
        self = number
    }

    package var propertyValue: PropertyValue { .decimal(self) }
}

extension [Double]: BusValue {
    package static var signature: StaticString { "ad" }

    package init?(_ value: PropertyValue) {
        guard case .decimals(let numbers) = value else { return nil }
        self = numbers
    }

    package var propertyValue: PropertyValue { .decimals(self) }
}

/// The path of an object, such as `/org/orientd1`.
package struct ObjectPath: BusValue, Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static var signature: StaticString { "o" }

    package init?(_ value: PropertyValue) {
        guard case .path(let text) = value else { return nil }
        self.text = text
    }

    package var propertyValue: PropertyValue { .path(text) }
}
