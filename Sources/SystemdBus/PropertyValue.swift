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

    package var signature: StaticString {
        switch self {
        case .text: "s"
        case .texts: "as"
        case .flag: "b"
        case .number: "u"
        case .decimal: "d"
        case .path: "o"
        case .decimals: "ad"
        case .vector: "(ddd)"
        }
    }

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
