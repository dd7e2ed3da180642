// SPDX-License-Identifier: Apache-2.0

import SystemdBus

/// The properties of one object on the bus, read from a status.
final class PublishedProperties<Status: Equatable> {
    /// The current values; assigning them announces nothing.
    var status: Status

    private let properties: [Property<Status>]
    private let bus: Bus
    private let interface: String
    private let path: String

    /// Adds the properties to `interface`, which holds this object from then on.
    init(_ status: Status, _ properties: [Property<Status>], of interface: BusInterface, at path: String, on bus: Bus) {
        self.status = status
        self.properties = properties
        self.bus = bus
        self.path = path
        self.interface = interface.name
        for property in properties {
            interface.property(property.member, property.signature, property.change) { [self] reply in
                reply.append(property.value(of: self.status))
            }
        }
    }

    /// Stores a status and announces what it changes.
    func publish(_ new: Status) {
        let changes = properties.changes(from: status, to: new)
        status = new
        bus.announce(changes.map { $0.name }, of: interface, at: path)
    }
}
