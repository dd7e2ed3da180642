// SPDX-License-Identifier: Apache-2.0

import CSystemd
import PrivateBus
import Testing

@testable import OrientationBus
@testable import SystemdBus

@Suite struct ClientsTests {
    private let privateBus: PrivateBus
    private let loop: EventLoop
    private let bus: Bus
    private let clients: Clients

    init() throws {
        privateBus = try PrivateBus()
        loop = try EventLoop()
        bus = try privateBus.connect(loop)
        let authority = try PolkitAuthority(bus: bus, loop: loop, limitError: Names.limitError) {}
        clients = Clients(on: bus, authority: authority)
    }

    @Test func `the end of each watched connection is reported once, and that of no other`() throws {
        var connections: [Bus?] = try (0..<3).map { _ in try privateBus.connect() }
        let names = connections.compactMap { $0?.uniqueName }
        var ended: [String] = []
        clients.onEnd { ended.append($0) }
        for name in [names[0], names[1], names[0], names[1]] { try clients.watch(name) { _ in } }
        #expect(clients.count == 2)
        connections[2] = nil
        connections[0] = nil
        try loop.run { !ended.isEmpty }
        #expect(ended == [names[0]] && clients.count == 1)
        connections[1] = nil
        try loop.run { ended.count > 1 }
        try loop.runWhatIsDue()
        #expect(ended == [names[0], names[1]] && clients.count == 0)
        #expect(connections.allSatisfy { $0 == nil })
    }

    @Test func `a connection that has ended already is reported`() throws {
        var ended: [String] = []
        clients.onEnd { ended.append($0) }
        try clients.watch(":1.99999") { _ in }
        try loop.run { !ended.isEmpty }
        #expect(ended == [":1.99999"] && clients.count == 0)
    }

    @Test func `400 connections can be watched`() throws {
        for number in 0..<400 { try clients.watch(":1.\(number + 10_000)") { _ in } }
        try clients.watch(":1.10000") { _ in }
        let error = #expect(throws: BusError.self) { try clients.watch(":1.9999") { _ in } }
        #expect(error?.name == Names.limitError)
        try loop.run { clients.count == 0 }
        try clients.watch(":1.9999") { _ in }
    }

    // Waiting for the bus daemon read every call that had arrived into memory, and kept the other callers waiting.
    @Test func `calls are not read before they are handled`() throws {
        let name = "org.example.Interface"
        let interface = BusInterface(name)
        var unread: [UInt64] = []
        interface.method("Call") { [bus, clients] message in
            clients.authorizeUntilEnd(message, for: "org.example.act") { _ in message.reply() }
            var count: UInt64 = 0
            bus.withPointer { _ = sd_bus_get_n_queued_read($0, &count) }
            unread.append(count)
        }
        let slot = try bus.export(interface, at: "/org/example")
        let caller = try privateBus.connect(loop)
        for _ in 0..<50 {
            caller.callLater(bus.uniqueName, "/org/example", name, "Call") { _ in }
        }
        // All of them have arrived when the first is handled.
        caller.withPointer { _ = sd_bus_flush($0) }
        try loop.run { unread.count == 50 }
        #expect(unread.allSatisfy { $0 <= 1 })
        withExtendedLifetime(slot) {}
    }
}
