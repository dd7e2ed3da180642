// SPDX-License-Identifier: Apache-2.0

/// A value with a D-Bus type of its own.
package protocol BusValue: Equatable {
    static var signature: StaticString { get }

    /// Reads the next value of a message; throws `InvalidArgs` where that has another type.
    init(from message: BusMessage) throws(BusError)

    func append(to message: BusMessage)
}

extension String: BusValue {
    package static var signature: StaticString { "s" }

    package init(from message: BusMessage) throws(BusError) { self = try message.readString() }

    package func append(to message: BusMessage) { message.append(self) }
}

extension Bool: BusValue {
    package static var signature: StaticString { "b" }

    package init(from message: BusMessage) throws(BusError) { self = try message.readBool() }

    package func append(to message: BusMessage) { message.append(self) }
}

extension UInt32: BusValue {
    package static var signature: StaticString { "u" }

    package init(from message: BusMessage) throws(BusError) { self = try message.readUInt32() }

    package func append(to message: BusMessage) { message.append(self) }
}

extension Double: BusValue {
    package static var signature: StaticString { "d" }

    package init(from message: BusMessage) throws(BusError) { self = try message.readDouble() }

    package func append(to message: BusMessage) { message.append(self) }
}

extension [Double]: BusValue {
    package static var signature: StaticString { "ad" }

    package init(from message: BusMessage) throws(BusError) {
        self = []
        try message.readArray("d") { () throws(BusError) in append(try message.readDouble()) }
    }

    package func append(to message: BusMessage) {
        message.appendArray("d") { for value in self { message.append(value) } }
    }
}

/// The path of an object, such as `/org/orientd1`.
package struct ObjectPath: BusValue, Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package init(from message: BusMessage) throws(BusError) {
        text = try message.readObjectPath()
    }

    package static var signature: StaticString { "o" }

    package func append(to message: BusMessage) { message.append(objectPath: text) }
}
