// SPDX-License-Identifier: Apache-2.0

extension BusMessage {
    /// Reads an `a{sv}`; `read` is called with each name, even a repeated one, and must read or skip its variant.
    package func readNamedVariants(_ read: (String) throws(BusError) -> Void) throws(BusError) {
        try readDictionary("sv") { () throws(BusError) in try read(try readString()) }
    }

    package func readTextVariant() throws(BusError) -> String {
        try readVariant("s") { () throws(BusError) in try readString() }
    }

    /// Reads a variant of any type; empty text for a type that ``PropertyValue`` does not have.
    package func readAnyVariant() throws(BusError) -> PropertyValue {
        let contents = peekVariantContents()
        return try readVariant(contents) { () throws(BusError) in try read(contents) }
    }

    /// Appends one entry of an `a{sv}`.
    package func appendNamedVariant(_ name: String, _ value: PropertyValue) {
        appendDictionaryEntry("sv") {
            append(name)
            appendVariant("\(value.signature)") { append(value) }
        }
    }

    package func append(_ value: PropertyValue) {
        switch value {
        case .text(let value): append(value)
        case .texts(let values): appendArray("s") { for value in values { append(value) } }
        case .flag(let value): append(value)
        case .number(let value): append(value)
        case .decimal(let value): append(value)
        case .path(let value): append(objectPath: value)
        case .decimals(let values): appendArray("d") { for value in values { append(value) } }
        case .vector(let x, let y, let z): appendStruct("ddd") { for value in [x, y, z] { append(value) } }
        }
    }

    /// Reads a value of this type; skips a type that ``PropertyValue`` does not have.
    private func read(_ signature: String) throws(BusError) -> PropertyValue {
        switch signature {
        case "s": return .text(try readString())
        case "as":
            var values: [String] = []
            try readArray("s") { () throws(BusError) in values.append(try readString()) }
            return .texts(values)
        case "b": return .flag(try readBool())
        case "u": return .number(try readUInt32())
        case "d": return .decimal(try readDouble())
        // Times of systemd, as their digits.
        case "t": return .text("\(try readUInt64())")
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
        case "(so)":
            // What has an object of its own, by its name.
            var name = ""
            try readStruct("so") { () throws(BusError) in
                name = try readString()
                try skip()
            }
            return .text(name)
        default:
            try skip()
            return .text("")
        }
    }
}
