// SPDX-License-Identifier: Apache-2.0

import CSystemd
import PrivateBus
import Testing

@testable import SystemdBus

private let name = "org.example.Interface"
private let limitError = "org.example.Error.LimitExceeded"

@Suite struct CallFilterTests {
    private let peers: Peers
    private let slots: [BusSlot]
    private let state = State()

    /// What the service sees.
    private final class State {
        var now = 0.0
        var reads = 0
        var hasManyObjects = true
    }

    init() throws {
        peers = try Peers()
        let interface = BusInterface(name, members: 1)
        interface.property("Value", "u") { [state] reply in
            state.reads += 1
            reply.append(UInt32(state.reads))
        }
        slots = [
            try peers.service.filter(
                CallFilter(limitError: limitError, now: { [state] in state.now }) { [state] in state.hasManyObjects }
            ),
            try peers.service.export(interface, at: Peers.path),
            try peers.service.addObjectManager(at: "/org/example"),
        ]
    }

    private func managedObjects(from client: Bus) throws -> BusError? {
        try peers.loop.serve {
            do throws(BusError) {
                _ = try client.call(
                    Peers.name,
                    "/org/example",
                    "org.freedesktop.DBus.ObjectManager",
                    "GetManagedObjects"
                )
                return nil
            } catch {
                return error
            }
        }
    }

    @Test func `a connection may ask for all objects some times a second`() throws {
        for _ in 0..<CallFilter.most { #expect(try managedObjects(from: peers.client) == nil) }
        #expect(try managedObjects(from: peers.client)?.name == limitError)
        // Others may, and so may this one in the next second.
        #expect(try managedObjects(from: try peers.privateBus.connect()) == nil)
        state.now = 0.9
        #expect(try managedObjects(from: peers.client)?.name == limitError)
        state.now = 1
        #expect(try managedObjects(from: peers.client) == nil)
        #expect(state.reads == CallFilter.most + 2)
    }

    @Test func `where there are few objects everybody may ask for them`() throws {
        state.hasManyObjects = false
        for _ in 0...CallFilter.most { #expect(try managedObjects(from: peers.client) == nil) }
    }

    @Test func `a read whose caller wants no reply is not made`() throws {
        let client = peers.client
        client.withPointer { bus in
            var message: OpaquePointer?
            sd_bus_message_new_method_call(
                bus,
                &message,
                Peers.name,
                Peers.path,
                "org.freedesktop.DBus.Properties",
                "GetAll"
            )
            guard let message else { return }
            let call = BusMessage(owning: message)
            sd_bus_message_set_expect_reply(message, 0)
            call.append(name)
            call.withPointer { _ = sd_bus_send(bus, $0, nil) }
        }
        #expect(try peers.property("Value", of: name).readVariant(UInt32.self) == 1)
    }
}
