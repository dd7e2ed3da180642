// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import SystemdBus

/// A property of an interface: how the service publishes it from a status, and how a client reads it into one.
package struct Property<Status>: Sendable {
    /// Calls its second argument with one field of the status, to read or replace it; Embedded Swift has no key paths.
    package typealias Field<Value> = @Sendable (inout Status, (inout Value) -> Void) -> Void

    let member: StaticString
    let signature: StaticString
    let change: BusInterface.Change

    /// Reads the value; inout only to save a copy.
    let read: @Sendable (inout Status) -> PropertyValue

    /// Stores a value that a client received; false for a value that the property cannot have.
    let store: @Sendable (inout Status, PropertyValue) -> Bool

    package var name: String { "\(member)" }

    package func value(of status: Status) -> PropertyValue {
        var status = status
        return read(&status)
    }

    private init<Value>(
        _ member: StaticString,
        _ signature: StaticString,
        _ change: BusInterface.Change,
        _ field: @escaping Field<Value>,
        encode: @escaping @Sendable (Value) -> PropertyValue,
        decode: @escaping @Sendable (PropertyValue) -> Value?
    ) {
        self.member = member
        self.signature = signature
        self.change = change
        read = { status in
            var result = PropertyValue.text("")
            field(&status) { result = encode($0) }
            return result
        }
        store = { status, value in
            guard let value = decode(value) else { return false }
            field(&status) { $0 = value }
            return true
        }
    }

    /// A field of a type that D-Bus has.
    static func value<Value: BusValue>(
        _ member: StaticString,
        _ change: BusInterface.Change = .announced,
        _ field: @escaping Field<Value>
    ) -> Property {
        Property(member, Value.signature, change, field, encode: { $0.propertyValue }, decode: { Value($0) })
    }

    /// A field that is published by its name.
    static func name<Value: NamedValue & SendableMetatype>(
        _ member: StaticString,
        _ field: @escaping Field<Value>
    ) -> Property {
        Property(member, "s", .announced, field, encode: { .text($0.name) }, decode: { Value(name: $0.text) })
    }

    /// A field that is published as the path of a request.
    static func request(_ member: StaticString, _ field: @escaping Field<RotationRequest.ID?>) -> Property {
        Property(
            member,
            "o",
            .announced,
            field,
            encode: { .path(Names.path(of: $0)) },
            decode: { ObjectPath($0).map { Names.request(at: $0.text) } }
        )
    }

    /// A value that follows from the status and that no client of ours reads.
    static func derived<Value: BusValue>(
        _ member: StaticString,
        _ value: @escaping @Sendable (Status) -> Value
    ) -> Property {
        Property(member, Value.signature, value)
    }

    private init<Value: BusValue>(
        _ member: StaticString,
        _ signature: StaticString,
        _ value: @escaping @Sendable (Status) -> Value
    ) {
        self.member = member
        self.signature = signature
        change = .announced
        read = { value($0).propertyValue }
        store = { _, _ in false }
    }
}

/// A property that has changed, with its new value.
package struct PropertyChange: Hashable, Sendable {
    package let name: String
    package let value: PropertyValue

    package init(name: String, value: PropertyValue) {
        self.name = name
        self.value = value
    }
}

extension Array {
    /// The announced properties that differ between two statuses, with their new values, in the order of this list.
    package func changes<Status>(from old: Status, to new: Status) -> [PropertyChange]
    where Element == Property<Status> {
        compactMap { property in
            guard property.change == .announced else { return nil }
            let value = property.value(of: new)
            return value == property.value(of: old) ? nil : PropertyChange(name: property.name, value: value)
        }
    }

    /// Reads an `a{sv}` of these properties into `status`; skips the properties that are not in this list.
    ///
    /// Throws for a value that this client does not know.
    func read<Status>(into status: inout Status, from message: BusMessage) throws(BusError)
    where Element == Property<Status> {
        try message.readNamedVariants { name throws(BusError) in
            guard let property = first(where: { $0.name == name }) else { return try message.skip() }
            let value = try message.readAnyVariant()
            guard property.store(&status, value) else {
                throw .invalidArguments("\(name) reads \(value.text), which this client does not know")
            }
        }
    }
}

extension InterfaceOrientationMask: BusValue {
    package static var signature: StaticString { "u" }

    package init?(_ value: PropertyValue) {
        guard case .number(let bits) = value else { return nil }
        self.init(rawValue: bits)
    }

    package var propertyValue: PropertyValue { .number(rawValue) }
}

extension Vector3: BusValue {
    package static var signature: StaticString { "(ddd)" }

    package init?(_ value: PropertyValue) {
        guard case .vector(let x, let y, let z) = value else { return nil }
        self.init(x, y, z)
    }

    package var propertyValue: PropertyValue { .vector(x: x, y: y, z: z) }
}
