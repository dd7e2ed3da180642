// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import SystemdBus

/// An object `/org/orientd1/request/N`: a request, which its owner alone may change.
final class RequestObject {
    /// The current values; assigning announces those that differ.
    var request: RotationRequest {
        get { properties.status }
        set { properties.publish(newValue) }
    }

    private let path: String
    private let bus: Bus
    private let properties: PublishedProperties<RotationRequest>
    private var slot: BusSlot?

    /// Exports a request and announces it through ObjectManager.
    init(_ new: ClientRequest, bus: Bus, host: any MachineHost) throws(SystemError) {
        let (id, client) = (new.id, new.client)
        self.bus = bus
        path = Names.path(of: id)
        let interface = BusInterface(Names.request)
        let properties = PublishedProperties(new.request, RotationRequest.properties, of: interface, at: path, on: bus)
        self.properties = properties
        interface.method("Update", "a{sv}", names: "changes") { message throws(BusError) in
            guard message.sender == client else { throw BusError(.notYourRequest) }
            var request = properties.status
            try RequestOptions.readChanges(of: &request, from: message)
            host.deliver(.update(id, to: request, client: client), answering: message)
        }
        interface.method("SetNeedsUpdate") { message in
            host.deliver(.setNeedsUpdate(id, client: message.sender), answering: message)
        }
        interface.method("Release") { message in
            host.deliver(.release(id, client: message.sender), answering: message)
        }
        slot = try bus.export(interface, at: path)
        bus.announceObject(at: path)
    }

    deinit { bus.announceObjectRemoved(at: path) }
}
