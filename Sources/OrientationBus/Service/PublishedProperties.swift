// SPDX-License-Identifier: Apache-2.0

import SystemdBus

/// The properties of one object on the bus: each reads a part of a status, and is announced when that part changes.
final class PublishedProperties<Status> {
    private struct Announced {
        let name: String
        let differs: (Status, Status) -> Bool
        /// Appends the value in a variant.
        let append: (Status, BusMessage) -> Void
    }

    private(set) var status: Status
    private var announced: [Announced] = []

    init(_ status: Status) {
        self.status = status
    }

    /// Adds a property to `interface`.
    func add<Value: BusValue>(
        _ name: StaticString,
        to interface: BusInterface,
        _ change: BusInterface.Change = .announced,
        _ value: @escaping (Status) -> Value
    ) {
        interface.property(name, Value.signature, change) { [self] in value(status).append(to: $0) }
        guard change == .announced else { return }
        announced.append(
            Announced(
                name: "\(name)",
                differs: { value($0) != value($1) },
                append: { status, message in
                    message.appendVariant("\(Value.signature)") { value(status).append(to: message) }
                }
            )
        )
    }

    /// Takes a new status; returns the names of what is to be announced, in the order in which they were added.
    func update(to status: Status) -> [String] {
        let old = self.status
        self.status = status
        return announced.filter { $0.differs(old, status) }.map { $0.name }
    }

    /// Appends the present values of the named properties, as the `a{sv}` of PropertiesChanged.
    func append(_ names: [String], to message: BusMessage) {
        message.appendArray("{sv}") {
            for property in announced where names.contains(property.name) {
                message.appendDictionaryEntry("sv") {
                    message.append(property.name)
                    property.append(status, message)
                }
            }
        }
    }
}
