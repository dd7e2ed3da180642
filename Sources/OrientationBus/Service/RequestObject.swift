// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import SystemdBus

/// An object `/org/orientd1/request/N`: a request, which its owner alone may change.
final class RequestObject {
    private let id: RotationRequest.ID
    private let client: String
    private let path: String
    private let bus: Bus
    private let methods: RotationMethods
    private let properties: PublishedProperties<RotationRequest>
    private var slot: BusSlot?

    /// Exports a request of `client` and announces it through ObjectManager.
    init(
        _ id: RotationRequest.ID,
        _ request: RotationRequest,
        of client: String,
        bus: Bus,
        methods: RotationMethods
    ) throws(SystemError) {
        self.id = id
        self.client = client
        self.bus = bus
        self.methods = methods
        path = Names.path(of: id)
        properties = PublishedProperties(request, RotationRequest.properties)
        let interface = BusInterface(Names.request, members: RotationRequest.properties.count + 3)
        properties.add(to: interface)
        // The interface may outlast the object by the call at hand, but is not called again.
        interface.method("Update", "a{sv}", names: "changes\0") { [unowned(unsafe) self] message throws(BusError) in
            try update(message)
        }
        interface.method("SetNeedsUpdate") { message throws(BusError) in
            try methods.setNeedsUpdate(id, of: message.sender)
            message.reply()
        }
        interface.method("Release") { message throws(BusError) in
            try methods.release(id, of: message.sender)
            message.reply()
        }
        slot = try bus.export(interface, at: path)
        bus.announceObject(at: path)
    }

    deinit {
        bus.announceObjectRemoved(at: path)
    }

    private func update(_ message: BusMessage) throws(BusError) {
        guard message.sender == client else { throw BusError(.notYourRequest) }
        guard var request = methods.current(id) else { throw BusError(.unknownRequest) }
        try RequestOptions.readChanges(of: &request, from: message)
        try methods.update(id, to: request, of: client)
        bus.announce(properties.update(to: request).map { $0.name }, of: Names.request, at: path)
        message.reply()
    }
}
