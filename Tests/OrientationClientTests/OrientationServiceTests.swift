// SPDX-License-Identifier: Apache-2.0

import OrientationClient
import PrivateBus
import SystemdBus
import Testing

/// A program with `async`.
@Suite struct OrientationServiceTests {
    private let bus: PrivateBus
    private let script = Script()

    init() throws {
        bus = try PrivateBus()
    }

    private func daemon() throws -> FakeDaemon { try FakeDaemon(bus.address, script) }

    private func connect() throws -> OrientationService { try OrientationService(busAddress: bus.address) }

    /// Waits for what the daemon's thread does.
    private func eventually(
        _ condition: () -> Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for _ in 0..<2000 {
            if condition() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("the condition does not hold after 20 s; calls: \(script.lines)", sourceLocation: sourceLocation)
    }

    @Test func `the states of a claim begin with the present one and go on over a restart`() async throws {
        let first = try daemon()
        let service = try connect()
        let claim = try await service.beginGeneratingDeviceOrientationNotifications()
        var states = claim.states.makeAsyncIterator()
        #expect(try await states.next()?.deviceOrientation == .unknown)
        first.turn(.landscapeRight)
        #expect(try await states.next()?.deviceOrientation == .landscapeRight)
        first.stop()
        #expect(try await states.next()?.isServiceRunning == false)
        let second = try daemon()
        #expect(try await states.next()?.isServiceRunning == true)
        second.turn(.portraitUpsideDown)
        let state = try await states.next()
        #expect(state?.interfaceOrientation == .portraitUpsideDown)
        #expect(try await service.state() == state)
        #expect(script.lines.count { $0 == "Claim" } == 2)
        withExtendedLifetime(claim) {}
        second.stop()
    }

    @Test func `the state after a release is that without the request`() async throws {
        let daemon = try daemon()
        let service = try connect()
        let film = try await service.requestGeometryUpdate(
            GeometryPreferences(appID: "org.example.Player", interfaceOrientations: .landscape)
        )
        film.release()
        _ = try await service.state()
        #expect(script.lines.last == "Release 1")
        daemon.stop()
    }

    @Test func `a program that starts before orientd makes its request when that starts`() async throws {
        let service = try connect()
        let error = await #expect(throws: OrientationError.self) { _ = try await service.state() }
        #expect(error?.code == .serviceNotRunning)
        let daemon = try daemon()
        var film: GeometryRequest?
        for try await state in service.states where state.isServiceRunning {
            film = try await service.requestGeometryUpdate(
                GeometryPreferences(appID: "org.example.Player", interfaceOrientations: .landscape)
            )
            break
        }
        #expect(script.lines.last == "Request org.example.Player landscape")
        withExtendedLifetime(film) {}
        daemon.stop()
    }

    @Test func `a slow reader gets the newest state`() async throws {
        let daemon = try daemon()
        let service = try connect()
        var all = service.states.makeAsyncIterator()
        var slow = service.states.makeAsyncIterator()
        _ = try await all.next()
        for orientation in [DeviceOrientation.portrait, .landscapeLeft, .landscapeRight] {
            daemon.turn(orientation)
            #expect(try await all.next()?.deviceOrientation == orientation)
        }
        // A state is handed to the readers in a random order, under a lock for which a new reader waits.
        _ = service.states.makeAsyncIterator()
        #expect(try await slow.next()?.deviceOrientation == .landscapeRight)
        daemon.stop()
    }

    @Test func `a loop over the states of a claim keeps the claim and the connection`() async throws {
        let daemon = try daemon()
        let states = try await connect().beginGeneratingDeviceOrientationNotifications().states
        let releases = script.lines.count { $0 == "Release" }
        let task = Task { [script] in
            for try await state in states { script.add("state \(state.deviceOrientation)") }
            #expect(script.lines.count { $0 == "Release" } == releases)
        }
        try await eventually { script.lines.last == "state unknown" }
        daemon.turn(.portrait)
        try await eventually { script.lines.last == "state portrait" }
        task.cancel()
        try await task.value
        daemon.stop()
    }

    @Test func `a claim ends with its value, while the service goes on`() async throws {
        let daemon = try daemon()
        let service = try connect()
        var claim: OrientationClaim? = try await service.beginGeneratingDeviceOrientationNotifications()
        let releases = script.lines.count { $0 == "Release" }
        #expect(claim != nil)
        claim = nil
        try await eventually { script.lines.count { $0 == "Release" } == releases + 1 }
        let preferences = GeometryPreferences(appID: "org.example.Player", interfaceOrientations: .landscape)
        var request: GeometryRequest? = try await service.requestGeometryUpdate(preferences)
        if let request { try await service.update(request, to: preferences) }
        #expect(script.lines.last == "Update 1 org.example.Player landscape")
        request = nil
        try await eventually { script.lines.last == "Release 1" }
        try await service.setRotationLock(.orientation(.portrait))
        try await service.rotate(to: .landscapeLeft)
        try await service.alignToDevice()
        #expect(script.lines.suffix(3) == ["SetRotationLock portrait", "Rotate landscape-left", "AlignToDevice"])
        daemon.stop()
    }

    @Test func `a refusal is thrown`() async throws {
        let daemon = try daemon()
        script.refuse("Claim", with: .accessDenied("not you"))
        let service = try connect()
        let error = await #expect(throws: OrientationError.self) {
            try await service.beginGeneratingDeviceOrientationNotifications()
        }
        #expect(error?.code == .notAllowed && "\(error.map { "\($0)" } ?? "")" == "not you (notAllowed)")
        daemon.stop()
    }

    // The task waited for polkit, which waits for a person for two minutes.
    @Test(.timeLimit(.minutes(1)))
    func `a call of a task that is cancelled ends, and what it gets is released`() async throws {
        let daemon = try daemon()
        let service = try connect()
        script.refuse("Request", with: .silence)
        let preferences = GeometryPreferences(appID: "org.example.Player", interfaceOrientations: .landscape)
        let task = Task { try await service.requestGeometryUpdate(preferences, allowsInteractiveAuthorization: true) }
        try await eventually { script.lines.last == "Request org.example.Player landscape interactive" }
        task.cancel()
        let error = await #expect(throws: OrientationError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        daemon.breakSilence()
        try await eventually { script.lines.last == "Release 1" }
        daemon.stop()
    }

    @Test func `a problem after a restart is reported`() async throws {
        let first = try daemon()
        let service = try OrientationService(busAddress: bus.address) { [script] error in
            script.add("problem: \(error)")
        }
        let claim = try await service.beginGeneratingDeviceOrientationNotifications()
        first.stop()
        script.refuse("Claim", with: .accessDenied("not you"))
        let second = try daemon()
        try await eventually { script.lines.last == "problem: not you (notAllowed)" }
        withExtendedLifetime(claim) {}
        second.stop()
    }

    @Test func `the end of the bus ends the states with an error, and every call`() async throws {
        let daemon = try daemon()
        let service = try connect()
        var states = service.states.makeAsyncIterator()
        _ = try await states.next()
        bus.end()
        let error = await #expect(throws: OrientationError.self) {
            while try await states.next() != nil {}
        }
        #expect(error?.code == .disconnected)
        #expect(try await states.next() == nil)
        let late = await #expect(throws: OrientationError.self) { try await service.alignToDevice() }
        #expect(late?.code == .disconnected)
        var lateStates = service.states.makeAsyncIterator()
        await #expect(throws: OrientationError.self) { try await lateStates.next() }
        daemon.stop()
    }
}
