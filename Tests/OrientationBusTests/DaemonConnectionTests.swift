// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import PrivateBus
import SplitMix
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

    /// A daemon that counts what it has granted, and may reply late.
    private final class Daemon {
        let bus: Bus
        var calls: [String] = []
        var replies = true
        private(set) var waiting: [() -> Void] = []
        private(set) var claims = 0
        private(set) var requests: Set<RotationRequest.ID> = []
        private var slots: [BusSlot] = []

        init(_ bus: Bus) throws {
            self.bus = bus
            let manager = BusInterface(Names.manager)
            manager.property("SensorState", "s") { $0.append("dreaming") }
            manager.property("DeviceOrientation", "s") { $0.append("landscape-right") }
            manager.property("InterfaceRule", "u") { $0.append(UInt32(1)) }
            manager.method("Claim") { [unowned self] message in
                handle("Claim") {
                    self.claims += 1
                    message.reply()
                }
            }
            manager.method("Release") { [unowned self] message in
                claims = max(0, claims - 1)
                handle("Release") { message.reply() }
            }
            manager.method("Request", "sua{sv}", returns: "o") { [unowned self] message in
                handle(message.allowsInteractiveAuthorization ? "Request interactive" : "Request") {
                    let path = self.addRequest()
                    message.reply { $0.append(objectPath: path) }
                }
            }
            manager.method("AlignToDevice") { [unowned self] message in handle("AlignToDevice") { message.reply() } }
            slots = [try bus.export(manager, at: Names.path)]
            try bus.own(Names.service, replacing: true)
        }

        private func addRequest() -> String {
            let id = RotationRequest.ID(slots.count)
            let interface = BusInterface(Names.request)
            interface.method("Release") { [unowned self] message in
                requests.remove(id)
                handle("Release \(id)") { message.reply() }
            }
            if let slot = try? bus.export(interface, at: Names.path(of: id)) { slots.append(slot) }
            requests.insert(id)
            return Names.path(of: id)
        }

        private func handle(_ call: String, _ reply: @escaping () -> Void) {
            calls.append(call)
            waiting.append(reply)
            if replies { answer() }
        }

        /// Replies to the calls that wait.
        func answer() {
            let replies = waiting
            waiting = []
            for reply in replies { reply() }
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
        first.answer()
        try loop.run { second.waiting.count == 2 && connection.state.snapshot != nil }
        #expect(connection.claim == .asked && errors.count == 2)
        second.answer()
        try loop.run { connection.claim == .granted }
        // A daemon that has a successor at once was not absent.
        #expect(states.allSatisfy { $0 == .starting || $0.snapshot != nil })
        withExtendedLifetime(held) {}
    }

    // It was made when it was held and once more with the requests of the new daemon.
    @Test func `a request that is made because a daemon has ended is made once`() throws {
        let first = try daemon()
        first.replies = false
        try connection.begin(on: loop)
        try loop.run { connection.state.snapshot != nil }
        var held: HeldRequest?
        connection.call("AlignToDevice") { [connection, request] _ in held = connection.hold(request) { _ in } }
        try loop.run { !first.waiting.isEmpty }
        let second = try daemon()
        try loop.run { connection.state.snapshot != nil && held != nil }
        #expect(second.calls == ["Request"])
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
        daemon.answer()
        try loop.run { daemon.calls.count == 4 }
        #expect(daemon.calls == ["Claim", "Request", "Release", "Release 1"] && connection.claim == .none)
    }

    @Test(arguments: 1...30)
    func `a daemon has granted what is wanted in the end, in whatever order calls, replies and restarts come`(
        seed: UInt64
    ) throws {
        var random = SplitMix(state: seed)
        var daemons = [try daemon()]
        var held: [HeldRequest] = []
        try connection.begin(on: loop)
        for _ in 0..<100 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: connection.wantsClaim = true
            case 1: connection.wantsClaim = false
            case 2: held.append(connection.hold(request) { _ in })
            case 3: held.popLast()?.release()
            case 4: if Int.random(in: 0..<4, using: &random) == 0 { daemons.append(try daemon()) }
            case 5: daemons.last?.replies.toggle()
            case 6: daemons.randomElement(using: &random)?.answer()
            default: try loop.runWhatIsDue()
            }
        }
        let last = try #require(daemons.last)
        last.replies = true
        last.answer()
        // Replies may cause other calls.
        while last.calls.suffix(2) != ["AlignToDevice", "AlignToDevice"] {
            try loop.run { connection.state.snapshot != nil && connection.claim != .asked }
            var isDone = false
            connection.call("AlignToDevice") { _ in isDone = true }
            try loop.run { isDone }
        }
        #expect(last.claims == (connection.wantsClaim ? 1 : 0))
        #expect(last.requests.count == held.count)
        #expect(connection.claim == (connection.wantsClaim ? .granted : .none))
    }

    @Test func `the end of the bus is told once, and is final`() throws {
        let daemon = try daemon()
        try connection.begin(on: loop)
        try loop.run { connection.state.snapshot != nil }
        var states: [DaemonConnection.State] = []
        connection.onState = { [unowned connection] _ in states.append(connection.state) }
        daemon.replies = false
        var error: BusError?
        connection.call("AlignToDevice") { error = $0.error }
        try loop.run { !daemon.waiting.isEmpty }
        privateBus.end()
        // libsystemd 252 ends the connection first, and 262 the call.
        try loop.run { error != nil && !states.isEmpty }
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
