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

    /// Stores a value that was received; false for a value that the property cannot have.
    let store: @Sendable (inout Status, PropertyValue) -> Bool

    /// Says why ``store`` returns false for a value.
    let refusal: @Sendable (PropertyValue) -> String

    package var name: String { "\(member)" }

    /// Whether changes are announced by a signal.
    package var isAnnounced: Bool { change == .announced }

    package func value(of status: Status) -> PropertyValue {
        var status = status
        return read(&status)
    }

    private init<Value>(
        _ member: StaticString,
        _ type: BusType<Value>,
        change: BusInterface.Change = .announced,
        _ field: @escaping Field<Value>,
        refusal: @escaping @Sendable (PropertyValue) -> String = { "\($0.text) is not valid" }
    ) {
        self.member = member
        signature = type.signature
        self.change = change
        self.refusal = refusal
        read = { status in
            var result = PropertyValue.text("")
            field(&status) { result = type.encode($0) }
            return result
        }
        store = { status, value in
            guard let value = type.decode(value) else { return false }
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
        Property(member, Value.busType, change: change, field)
    }

    /// A mask that is published as a number; it is read from names as well.
    static func mask(_ member: StaticString, _ field: @escaping Field<InterfaceOrientationMask>) -> Property {
        Property(member, InterfaceOrientationMask.busType, field) { value in
            guard case .texts(let names) = value else { return "\(value.text) is not valid" }
            return InterfaceOrientationMask.refusal(of: names.first { InterfaceOrientationMask($0) == nil } ?? "")
        }
    }

    /// The same mask as the names of its orientations.
    static func maskNames(_ member: StaticString, _ field: @escaping Field<InterfaceOrientationMask>) -> Property {
        let type = BusType<InterfaceOrientationMask>("as", { .texts($0.names) }) { value in
            if case .texts(let names) = value { InterfaceOrientationMask(names: names) } else { nil }
        }
        return Property(member, type, field)
    }

    /// A field that is published by its name.
    static func name<Value: NamedValue & SendableMetatype>(
        _ member: StaticString,
        _ field: @escaping Field<Value>
    ) -> Property {
        let type = BusType<Value>("s", { .text($0.name) }, { Value(name: $0.text) })
        return Property(member, type, field) { Value.refusal(of: $0.text) }
    }

    /// A field that is published by its name; nil as the empty name.
    static func optionalName<Value: NamedValue & SendableMetatype>(
        _ member: StaticString,
        _ field: @escaping Field<Value?>
    ) -> Property {
        let type = BusType<Value?>("s", { .text($0?.name ?? "") }) { value in
            value.text.isEmpty ? .some(nil) : Value(name: value.text).map { .some($0) }
        }
        return Property(member, type, field) { Value.refusal(of: $0.text) }
    }

    /// A field that is published as the path of a request; nil as `/`.
    static func request(_ member: StaticString, _ field: @escaping Field<RotationRequest.ID?>) -> Property {
        let type = BusType<RotationRequest.ID?>("o", { .path(Names.path(of: $0)) }) { value in
            value.text == "/" ? .some(nil) : Names.request(at: value.text).map { .some($0) }
        }
        return Property(member, type, field) { "\($0.text) is not the path of a request" }
    }
}

extension NamedValue {
    /// Finds the value of a name that was passed as `argument`.
    init(named name: String, for argument: String) throws(BusError) {
        guard let value = Self(name: name) else { throw .invalidArguments("\(argument): \(Self.refusal(of: name))") }
        self = value
    }

    fileprivate static func refusal(of name: String) -> String { "'\(name)' is none of \(names)" }
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

    /// Stores changed values in `status`; skips other properties, and values that this client does not know.
    package func apply<Status>(_ changes: [PropertyChange], to status: inout Status)
    where Element == Property<Status> {
        for change in changes {
            if let property = first(where: { $0.name == change.name }) { _ = property.store(&status, change.value) }
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
    package static var busType: BusType<Self> {
        BusType("u", { .number($0.rawValue) }) { value in
            switch value {
            case .number(let bits): Self(rawValue: bits)
            case .texts(let names): Self(names: names)
            default: nil
            }
        }
    }

    /// Creates the union of named masks; nil if one is unknown.
    init?(names: [String]) {
        self = []
        for name in names {
            guard let mask = Self(name) else { return nil }
            formUnion(mask)
        }
    }

    /// Explains that `name` is not known.
    static func refusal(of name: String) -> String {
        "'\(name)' is none of portrait, portrait-upside-down, landscape-right, landscape-left, landscape, "
            + "all-but-upside-down, all"
    }

    /// The names of the orientations, the lowest bit's first.
    package var names: [String] { InterfaceOrientation.allCases.filter { contains($0) }.map { $0.name } }
}

extension Vector3: BusValue {
    package static var busType: BusType<Self> {
        BusType("(ddd)", { .vector(x: $0.x, y: $0.y, z: $0.z) }) { value in
            if case .vector(let x, let y, let z) = value { Self(x, y, z) } else { nil }
        }
    }
}
