// SPDX-License-Identifier: Apache-2.0

extension BusMessage {
    /// Reads an `a{sv}`, such as options or properties.
    ///
    /// `read` is given each name, in the order sent and possibly twice, and reads or skips the variant that follows.
    package func readNamedVariants(_ read: (String) throws(BusError) -> Void) throws(BusError) {
        try readArray("{sv}") { () throws(BusError) in
            try readDictionaryEntry("sv") { () throws(BusError) in try read(try readString()) }
        }
    }

    /// Reads a variant that holds a value of the type asked for.
    package func readVariant<Value: BusValue>(_ type: Value.Type = Value.self) throws(BusError) -> Value {
        try readVariant("\(Value.signature)") { () throws(BusError) in try Value(from: self) }
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
    package func appendNamedVariant<Value: BusValue>(_ name: String, _ value: Value) {
        appendDictionaryEntry("sv") {
            append(name)
            appendVariant("\(Value.signature)") { value.append(to: self) }
        }
    }
}
