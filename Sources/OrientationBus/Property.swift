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

    /// Stores a value that was received; returns why the property cannot have it, nil if it can.
    let store: @Sendable (inout Status, PropertyValue) -> String?

    package var name: String { "\(member)" }

    /// Whether changes are announced by a signal.
    package var isAnnounced: Bool { change == .announced }

    package func value(of status: Status) -> PropertyValue {
        var status = status
        return read(&status)
    }

    /// `decode` returns nil for a value that the property cannot have.
    init<Value>(
        _ member: StaticString,
        _ signature: StaticString,
        change: BusInterface.Change = .announced,
        _ field: @escaping Field<Value>,
        encode: @escaping @Sendable (Value) -> PropertyValue,
        decode: @escaping @Sendable (PropertyValue) -> Value?,
        refusal: @escaping @Sendable (PropertyValue) -> String = { "\($0.text) is not valid" }
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
            guard let decoded = decode(value) else { return refusal(value) }
            field(&status) { $0 = decoded }
            return nil
        }
    }

    static func text(
        _ member: StaticString,
        _ change: BusInterface.Change = .announced,
        _ field: @escaping Field<String>
    ) -> Property {
        Property(member, "s", change: change, field, encode: { .text($0) }) {
            if case .text(let text) = $0 { text } else { nil }
        }
    }

    static func texts(_ member: StaticString, _ field: @escaping Field<[String]>) -> Property {
        Property(member, "as", field, encode: { .texts($0) }) { if case .texts(let texts) = $0 { texts } else { nil } }
    }

    static func flag(_ member: StaticString, _ field: @escaping Field<Bool>) -> Property {
        Property(member, "b", field, encode: { .flag($0) }) { if case .flag(let flag) = $0 { flag } else { nil } }
    }

    static func number(_ member: StaticString, _ field: @escaping Field<UInt32>) -> Property {
        Property(member, "u", field, encode: { .number($0) }) {
            if case .number(let number) = $0 { number } else { nil }
        }
    }

    static func decimal(_ member: StaticString, _ field: @escaping Field<Double>) -> Property {
        Property(member, "d", field, encode: { .decimal($0) }) {
            if case .decimal(let number) = $0 { number } else { nil }
        }
    }

    static func decimals(_ member: StaticString, _ field: @escaping Field<[Double]>) -> Property {
        Property(member, "ad", field, encode: { .decimals($0) }) {
            if case .decimals(let all) = $0 { all } else { nil }
        }
    }

    static func silentVector(_ member: StaticString, _ field: @escaping Field<Vector3>) -> Property {
        Property(member, "(ddd)", change: .silent, field, encode: { .vector(x: $0.x, y: $0.y, z: $0.z) }) { value in
            if case .vector(let x, let y, let z) = value { Vector3(x, y, z) } else { nil }
        }
    }

    /// A mask that is published as a number; it is read from names as well.
    static func mask(_ member: StaticString, _ field: @escaping Field<InterfaceOrientationMask>) -> Property {
        Property(member, "u", field, encode: { .number($0.rawValue) }) { value in
            switch value {
            case .number(let bits): InterfaceOrientationMask(rawValue: bits)
            case .texts(let names): InterfaceOrientationMask(names: names)
            default: nil
            }
        } refusal: { value in
            guard case .texts(let names) = value else { return "\(value.text) is not valid" }
            return InterfaceOrientationMask.refusal(of: names)
        }
    }

    /// The same mask as the names of its orientations.
    static func maskNames(_ member: StaticString, _ field: @escaping Field<InterfaceOrientationMask>) -> Property {
        Property(member, "as", field, encode: { .texts($0.names) }) { value in
            if case .texts(let names) = value { InterfaceOrientationMask(names: names) } else { nil }
        }
    }

    /// A field that is published by its name.
    static func name<Value: NamedValue & SendableMetatype>(
        _ member: StaticString,
        _ field: @escaping Field<Value>
    ) -> Property {
        Property(member, "s", field, encode: { .text($0.name) }) {
            Value(name: $0.text)
        } refusal: {
            Value.refusal(of: $0.text)
        }
    }

    /// A field that is published by its name; nil as the empty name.
    static func optionalName<Value: NamedValue & SendableMetatype>(
        _ member: StaticString,
        _ field: @escaping Field<Value?>
    ) -> Property {
        Property(member, "s", field, encode: { .text($0?.name ?? "") }) { value in
            value.text.isEmpty ? .some(nil) : Value(name: value.text).map { .some($0) }
        } refusal: {
            Value.refusal(of: $0.text)
        }
    }

    /// A field that is published as the path of a request; nil as `/`.
    static func request(_ member: StaticString, _ field: @escaping Field<RotationRequest.ID?>) -> Property {
        Property(member, "o", field, encode: { .path(Names.path(of: $0)) }) { value in
            value.text == "/" ? .some(nil) : Names.request(at: value.text).map { .some($0) }
        } refusal: {
            "\($0.text) is not the path of a request"
        }
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

    /// Stores changed values in `status`, and returns those that this client does not know; skips other properties.
    @discardableResult
    package func apply<Status>(_ changes: [PropertyChange], to status: inout Status) -> [PropertyChange]
    where Element == Property<Status> {
        changes.filter { change in
            first { $0.name == change.name }.map { $0.store(&status, change.value) != nil } ?? false
        }
    }
}

extension InterfaceOrientationMask {
    /// Creates the union of named masks; nil if one is unknown.
    init?(names: [String]) {
        self = []
        for name in names {
            guard let mask = Self(name) else { return nil }
            formUnion(mask)
        }
    }

    /// Explains which of the names is not known.
    static func refusal(of names: [String]) -> String {
        "'\(names.first { Self($0) == nil } ?? "")' is none of portrait, portrait-upside-down, landscape-right, landscape-left, landscape, "
            + "all-but-upside-down, all"
    }

    /// The names of the orientations, the lowest bit's first.
    package var names: [String] { InterfaceOrientation.allCases.filter { contains($0) }.map { $0.name } }
}
