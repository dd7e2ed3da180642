// SPDX-License-Identifier: Apache-2.0

import SystemdBus

/// The properties of one object on the bus: each reads a part of a status, and is announced when that part changes.
final class PublishedProperties<Status> {
    private(set) var status: Status
    private var announced: [(name: StaticString, differs: (Status, Status) -> Bool)] = []

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
        if change == .announced { announced.append((name, { value($0) != value($1) })) }
    }

    /// Takes a new status; returns the names of what is to be announced.
    func update(to status: Status) -> [String] {
        let old = self.status
        self.status = status
        return announced.filter { $0.differs(old, status) }.map { "\($0.name)" }
    }
}
