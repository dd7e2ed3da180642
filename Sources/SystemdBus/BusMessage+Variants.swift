// SPDX-License-Identifier: Apache-2.0

extension BusMessage {
    /// Reads an `a{sv}`, such as options or properties.
    ///
    /// `read` is called with each name, in the order sent and possibly twice, and reads or skips the following variant.
    package func readNamedVariants(_ read: (String) throws(BusError) -> Void) throws(BusError) {
        try readArray("{sv}") { () throws(BusError) in
            try readDictionaryEntry("sv") { () throws(BusError) in try read(try readString()) }
        }
    }

    /// Reads a variant that holds a value of the type asked for.
    package func readVariant<Value: BusValue>(_ type: Value.Type = Value.self) throws(BusError) -> Value {
        let found = try readVariant("\(Value.signature)") { () throws(BusError) in try read("\(Value.signature)") }
        guard let found, let value = Value(found) else {
            throw .invalidArguments("the value is not of type \(Value.signature)")
        }
        return value
    }

    /// Reads a variant of any type; empty text for a type that ``PropertyValue`` does not have.
    package func readAnyVariant() throws(BusError) -> PropertyValue {
        let contents = peekVariantContents()
        guard PropertyValue.signatures.contains(contents) else {
            try skip()
            return .text("")
        }
        return try readVariant(contents) { () throws(BusError) in try read(contents) } ?? .text("")
    }

    /// Reads the variant that is the value of an option; the error of another type names the option.
    package func readOption<Value: BusValue>(_ name: String) throws(BusError) -> Value {
        let contents = peekVariantContents()
        guard contents == "\(Value.signature)" else {
            throw .invalidArguments("\(name): takes a value of type \(Value.signature), not \(contents)")
        }
        return try readVariant()
    }

    /// Appends one entry of an `a{sv}`.
    package func appendNamedVariant(_ name: String, _ value: some BusValue) {
        appendNamedVariant(name, value.propertyValue)
    }

    package func appendNamedVariant(_ name: String, _ value: PropertyValue) {
        appendDictionaryEntry("sv") {
            append(name)
            appendVariant(value.signature) { append(value) }
        }
    }

    package func append(_ value: PropertyValue) {
        switch value {
        case .text(let value): append(value)
        case .flag(let value): append(value)
        case .number(let value): append(value)
        case .decimal(let value): append(value)
        case .path(let value): append(objectPath: value)
        case .decimals(let values): appendArray("d") { for value in values { append(value) } }
        case .vector(let x, let y, let z): appendStruct("ddd") { for value in [x, y, z] { append(value) } }
        }
    }

    /// Reads a value of one of the types of ``PropertyValue``; nil for any other.
    private func read(_ signature: String) throws(BusError) -> PropertyValue? {
        switch signature {
        case "s": return .text(try readString())
        case "b": return .flag(try readBool())
        case "u": return .number(try readUInt32())
        case "d": return .decimal(try readDouble())
        case "o": return .path(try readObjectPath())
        case "ad":
            var values: [Double] = []
            try readArray("d") { () throws(BusError) in values.append(try readDouble()) }
            return .decimals(values)
        case "(ddd)":
            var value = PropertyValue.vector(x: 0, y: 0, z: 0)
            try readStruct("ddd") { () throws(BusError) in
                value = .vector(x: try readDouble(), y: try readDouble(), z: try readDouble())
            }
            return value
        default: return nil
        }
    }
}

extension PropertyValue {
    fileprivate static let signatures = ["s", "b", "u", "d", "o", "ad", "(ddd)"]

    fileprivate var signature: String {
        switch self {
        case .text: "s"
        case .flag: "b"
        case .number: "u"
        case .decimal: "d"
        case .path: "o"
        case .decimals: "ad"
        case .vector: "(ddd)"
        }
    }
}
