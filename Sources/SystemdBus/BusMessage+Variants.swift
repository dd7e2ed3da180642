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

    package func readVariantString() throws(BusError) -> String {
        try readVariant("s") { () throws(BusError) in try readString() }
    }

    package func readVariantObjectPath() throws(BusError) -> String {
        try readVariant("o") { () throws(BusError) in try readObjectPath() }
    }

    package func readVariantBool() throws(BusError) -> Bool {
        try readVariant("b") { () throws(BusError) in try readBool() }
    }

    package func readVariantUInt32() throws(BusError) -> UInt32 {
        try readVariant("u") { () throws(BusError) in try readUInt32() }
    }

    package func readVariantDouble() throws(BusError) -> Double {
        try readVariant("d") { () throws(BusError) in try readDouble() }
    }
}
