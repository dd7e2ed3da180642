// SPDX-License-Identifier: Apache-2.0

import SystemdBus

/// The properties of one object on the bus, read from a status.
final class PublishedProperties<Status: Equatable> {
    private(set) var status: Status
    private let properties: [Property<Status>]

    init(_ status: Status, _ properties: [Property<Status>]) {
        self.status = status
        self.properties = properties
    }

    /// Adds all properties to `interface`; `refresh` updates what changes silently before each read.
    func add(to interface: BusInterface, refresh: @escaping (inout Status) -> Void = { _ in }) {
        for property in properties {
            interface.property(property.member, property.signature, property.change) { [self] reply in
                refresh(&status)
                reply.append(property.read(&status))
            }
        }
    }

    /// Stores a new status; returns the changes to announce.
    func update(to status: Status) -> [PropertyChange] {
        guard status != self.status else { return [] }
        let old = self.status
        self.status = status
        return properties.changes(from: old, to: status)
    }
}
