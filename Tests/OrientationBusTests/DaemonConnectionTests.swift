// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import PrivateBus
import SystemdBus
import Testing

@testable import OrientationBus

@Suite struct DaemonConnectionTests {
    private let privateBus: PrivateBus
    private let loop: EventLoop
    private let connection: DaemonConnection
    private let request = RotationRequest(appID: "org.example.Player", supported: .landscape)

    init() throws {
        privateBus = try PrivateBus()
        loop = try EventLoop()
        connection = DaemonConnection(bus: try privateBus.connect())
    }

    /// What a daemon of a test was called with, and what it has not replied to yet.
    private final class Daemon {
        let bus: Bus
        var calls: [String] = []
        var waiting: [BusMessage] = []
        var replies = true
        private var slots: [BusSlot] = []

        init(_ bus: Bus, owns: Bool = true) throws {
            self.bus = bus
            let manager = BusInterface(Names.manager, members: 6)
            manager.property("SensorState", "s") { $0.append("dreaming") }
            manager.property("DeviceOrientation", "s") { $0.append("landscape-right") }
            manager.property("InterfaceRule", "u") { $0.append(UInt32(1)) }
            for member in ["Claim", "Release"] as [StaticString] {
                manager.method(member) { [unowned self] message in answer("\(member)", message) }
            }
            manager.method("Request", "sua{sv}", returns: "o") { [unowned self] message in
                calls.append(message.allowsInteractiveAuthorization ? "Request interactive" : "Request")
                guard replies else { return waiting.append(message) }
                message.reply { $0.append(objectPath: Names.path(of: 1)) }
            }
            let request = BusInterface(Names.request, members: 2)
            request.method("Release") { [unowned self] message in answer("Release 1", message) }
            request.method("Update", "a{sv}") { [unowned self] message in answer("Update", message) }
            slots = [try bus.export(manager, at: Names.path), try bus.export(request, at: Names.path(of: 1))]
            if owns { try bus.own(Names.service, replacing: true) }
        }

        private func answer(_ call: String, _ message: BusMessage) {
            calls.append(call)
            if replies { message.reply() } else { waiting.append(message) }
        }
    }

    private func daemon() throws -> Daemon { try Daemon(try privateBus.connect(loop)) }

    @Test func `values of a later version are left out`() throws {
        let daemon = try daemon()
        try connection.begin(on: loop)
        try loop.run { connection.state.snapshot != nil }
        var expected = ManagerStatus(naturalOrientation: .portrait)
        expected.deviceOrientation = .landscapeRight
        #expect(connection.state.snapshot?.status == expected)
        withExtendedLifetime(daemon) {}
    }

    @Test func `a service that cannot be started is absent, and followed when it comes`() throws {
        var states: [DaemonConnection.State] = []
        connection.onState = { [unowned connection] _ in states.append(connection.state) }
        try connection.begin(on: loop)
        try loop.run { states.count == 2 }
        #expect(states[0] == .starting)
        guard case .absent(let error?) = states[1] else { return #expect(Bool(false), "\(states)") }
        #expect(error.isServiceMissing)
        var first: Daemon? = try daemon()
        try loop.run { states.count == 4 }
        #expect(states[2] == .starting && states[3].snapshot != nil && first != nil)
        first = nil
        try loop.run { states.count == 5 }
        #expect(states[4] == .absent(nil))
    }

    @Test func `each daemon is claimed once, and asked for each request`() throws {
        var answers: [BusError?] = []
        connection.wantsClaim = true
        let held = connection.hold(request, isInteractive: true) { answers.append($0) }
        try connection.begin(on: loop)
        let first = try daemon()
        try loop.run { connection.claim == .granted && !answers.isEmpty }
        #expect(first.calls == ["Claim", "Request interactive"])
        // No person expects a question after a restart.
        let second = try daemon()
        try loop.run { connection.claim == .granted && second.calls.count == 2 }
        #expect(second.calls == ["Claim", "Request"] && answers == [nil])
        held.release()
        connection.wantsClaim = false
        try loop.run { second.calls.count == 4 }
        #expect(second.calls.suffix(2).sorted() == ["Release", "Release 1"] && first.calls.count == 2)
    }

    @Test func `the end of a daemon completes its calls, and its late replies do not arrive`() throws {
        let first = try daemon()
        first.replies = false
        connection.wantsClaim = true
        var states: [DaemonConnection.State] = []
        connection.onState = { [unowned connection] _ in states.append(connection.state) }
        try connection.begin(on: loop)
        var errors: [BusError?] = []
        let held = connection.hold(request) { errors.append($0) }
        connection.call("Release") { errors.append($0.error) }
        try loop.run { first.waiting.count == 3 }
        let second = try daemon()
        second.replies = false
        try loop.run { errors.count == 2 }
        #expect(errors.allSatisfy { $0?.name == "org.freedesktop.DBus.Error.NoReply" })
        for message in first.waiting { message.reply() }
        try loop.run { second.waiting.count == 2 && connection.state.snapshot != nil }
        #expect(connection.claim == .asked && errors.count == 2)
        second.waiting[0].reply()
        try loop.run { connection.claim == .granted }
        // A daemon that has a successor at once was not absent.
        #expect(states.allSatisfy { $0 == .starting || $0.snapshot != nil })
        withExtendedLifetime(held) {}
    }

    @Test func `what is released before the reply is released after it`() throws {
        let daemon = try daemon()
        daemon.replies = false
        connection.wantsClaim = true
        try connection.begin(on: loop)
        connection.hold(request) { _ in }.release()
        try loop.run { daemon.waiting.count == 2 }
        connection.wantsClaim = false
        daemon.replies = true
        daemon.waiting[0].reply()
        daemon.waiting[1].reply { $0.append(objectPath: Names.path(of: 1)) }
        try loop.run { daemon.calls.count == 4 }
        #expect(daemon.calls == ["Claim", "Request", "Release", "Release 1"] && connection.claim == .none)
    }

    @Test func `the end of the bus is told once, and is final`() throws {
        let daemon = try daemon()
        try connection.begin(on: loop)
        try loop.run { connection.state.snapshot != nil }
        var states: [DaemonConnection.State] = []
        connection.onState = { [unowned connection] _ in states.append(connection.state) }
        privateBus.end()
        try loop.run { !states.isEmpty }
        connection.connect()
        #expect(states == [.disconnected])
        withExtendedLifetime(daemon) {}
    }

    @Test func `without a daemon a call fails at once`() {
        var error: BusError?
        connection.call("AlignToDevice") { error = $0.error }
        #expect(error?.isServiceMissing == true)
    }
}
