// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import PrivateBus
import SystemdBus
import Testing

@testable import OrientationClient

/// A program with a loop of its own, which only polls the descriptor.
@Suite struct OrientationConnectionTests {
    private let bus: PrivateBus
    private let script = Script()

    init() throws {
        bus = try PrivateBus()
    }

    private func daemon() throws -> FakeDaemon { try FakeDaemon(bus.address, script) }

    private func connect() throws -> OrientationConnection { try OrientationConnection(busAddress: bus.address) }

    /// Serves the connection as its program does, until `condition` holds.
    private func serve(
        _ connection: OrientationConnection,
        until condition: () -> Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for _ in 0..<2000 {
            var descriptor = pollfd(fd: connection.fileDescriptor, events: Int16(POLLIN), revents: 0)
            // The condition may depend on the daemon's thread.
            if poll(&descriptor, 1, 10) > 0 { try connection.process() }
            if condition() { return }
        }
        Issue.record("the condition does not hold after 20 s; calls: \(script.lines)", sourceLocation: sourceLocation)
    }

    /// Returns what a call completes with.
    private func result<Value>(
        _ connection: OrientationConnection,
        _ call: (@escaping (Result<Value, OrientationError>) -> Void) -> Void
    ) throws -> Result<Value, OrientationError> {
        var result: Result<Value, OrientationError>?
        call { result = $0 }
        try serve(connection) { result != nil }
        return try #require(result)
    }

    private func claim(_ connection: OrientationConnection) throws -> Result<OrientationClaim, OrientationError> {
        try result(connection) { connection.beginGeneratingDeviceOrientationNotifications(completion: $0) }
    }

    private func request(
        _ connection: OrientationConnection,
        _ preferences: GeometryPreferences
    ) throws -> GeometryRequest {
        try result(connection) { connection.requestGeometryUpdate(preferences, completion: $0) }.get()
    }

    private let landscape = GeometryPreferences(appID: "org.example.Player", interfaceOrientations: .landscape)

    // MARK: - State

    @Test func `the first state and each change are reported`() throws {
        let daemon = try daemon()
        let connection = try connect()
        var states: [OrientationState] = []
        connection.onChange = { states.append($0) }
        #expect(connection.state == nil)
        try serve(connection) { states.count == 1 }
        daemon.turn(.landscapeLeft)
        try serve(connection) { states.count == 2 }
        #expect(states.map { $0.deviceOrientation } == [.unknown, .landscapeLeft])
        #expect(states.last?.interfaceOrientation == .landscapeRight)
        #expect(connection.state == states.last)
        daemon.stop()
        try serve(connection) { states.count == 3 }
        #expect(states.map { $0.isServiceRunning } == [true, true, false])
        #expect(connection.state?.deviceOrientation == .landscapeLeft)
        let next = try self.daemon()
        try serve(connection) { states.count == 4 }
        #expect(connection.state?.isServiceRunning == true)
        next.stop()
    }

    @Test func `claims of others are no change`() throws {
        let daemon = try daemon()
        let connection = try connect()
        var states: [OrientationState] = []
        connection.onChange = { states.append($0) }
        try serve(connection) { states.count == 1 }
        daemon.countClaims(5)
        daemon.turn(.portrait)
        try serve(connection) { states.last?.deviceOrientation == .portrait }
        #expect(states.count == 2)
        daemon.stop()
    }

    @Test func `the state can be read before and after it is known`() throws {
        let daemon = try daemon()
        let connection = try connect()
        for _ in 1...2 {
            let state = try result(connection) { connection.readState(completion: $0) }.get()
            #expect(state == connection.state && state.isServiceRunning)
        }
        daemon.stop()
    }

    // MARK: - Claims

    @Test func `one claim serves all values, and ends with the last`() throws {
        let daemon = try daemon()
        let connection = try connect()
        var claims: [OrientationClaim] = []
        for _ in 1...2 {
            connection.beginGeneratingDeviceOrientationNotifications { result in
                if let claim = try? result.get() { claims.append(claim) }
            }
        }
        try serve(connection) { claims.count == 2 }
        claims.append(try claim(connection).get())
        #expect(script.lines.count { $0 == "Claim" } == 1)
        let releases = script.lines.count { $0 == "Release" }
        claims.removeFirst()
        claims[0].release()
        claims[0].release()
        _ = try result(connection) { connection.alignToDevice(completion: $0) }.get()
        #expect(script.lines.count { $0 == "Release" } == releases)
        claims = []
        try serve(connection) { script.lines.count { $0 == "Release" } == releases + 1 }
        #expect(script.lines.last == "Release")
        daemon.stop()
    }

    @Test func `claims and requests are made again after a restart, unless they have ended`() throws {
        let first = try daemon()
        let connection = try connect()
        let claim = try claim(connection).get()
        let film = try request(connection, landscape)
        var still = landscape
        still.interfaceOrientations = .portrait
        still.preferredInterfaceOrientationForPresentation = .portrait
        still.shouldAutorotate = false
        still.reason = "a picture"
        _ = try result(connection) { connection.update(film, to: still, completion: $0) }.get()
        let menu = try request(connection, GeometryPreferences(appID: "org.example.Menu", interfaceOrientations: .all))
        menu.release()
        try serve(connection) { script.lines.last == "Release 2" }
        first.stop()
        try serve(connection) { connection.state?.isServiceRunning == false }

        let before = script.lines.count
        let second = try daemon()
        let expected = ["Claim", "Request org.example.Player portrait starts-in-portrait fixed 'a picture'"]
        try serve(connection) { script.lines.count >= before + expected.count }
        _ = try result(connection) { connection.alignToDevice(completion: $0) }.get()
        #expect(script.lines[before...].elementsEqual(expected + ["AlignToDevice"]))
        withExtendedLifetime((claim, film)) {}
        second.stop()
    }

    @Test func `a claim that begins when orientd starts again shares the one that is made again`() throws {
        let first = try daemon()
        let connection = try connect()
        var claims = [try claim(connection).get()]
        first.stop()
        try serve(connection) { connection.state?.isServiceRunning == false }
        let second = try daemon()
        claims.append(try claim(connection).get())
        #expect(script.lines == ["Claim", "Claim"])
        claims = []
        try serve(connection) { script.lines == ["Claim", "Claim", "Release"] }
        second.stop()
    }

    // The reply counted as a claim, although the claim had been released: later claims made no call.
    @Test(arguments: [false, true])
    func `a claim that ends while it is made again does not serve the next`(isNextEarly: Bool) throws {
        let first = try daemon()
        let connection = try connect()
        var claims = [try claim(connection).get()]
        first.stop()
        script.refuse("Claim", with: .silence)
        let before = script.lines.count
        let second = try daemon()
        try serve(connection) { script.lines.count > before }
        claims = []
        try connection.process()
        script.refuse("Claim", with: nil)
        if isNextEarly {
            connection.beginGeneratingDeviceOrientationNotifications { result in
                if let claim = try? result.get() { claims = [claim] }
            }
        }
        second.breakSilence()
        _ = try result(connection) { connection.alignToDevice(completion: $0) }.get()
        if !isNextEarly { claims = [try claim(connection).get()] }
        try serve(connection) { !claims.isEmpty }
        _ = try result(connection) { connection.alignToDevice(completion: $0) }.get()
        let calls = script.lines[before...]
        #expect(calls.count { $0 == "Claim" } == calls.count { $0 == "Release" } + 1)
        second.stop()
    }

    @Test func `a request that was changed while orientd was away is made as changed`() throws {
        let first = try daemon()
        let connection = try connect()
        let film = try request(connection, landscape)
        first.stop()
        try serve(connection) { connection.state?.isServiceRunning == false }
        var hidden = landscape
        hidden.isActive = false
        _ = try result(connection) { connection.update(film, to: hidden, completion: $0) }.get()
        let second = try daemon()
        try serve(connection) { script.lines.last == "Request org.example.Player landscape inactive" }
        film.release()
        try serve(connection) { script.lines.last == "Release 1" }
        second.stop()
    }

    @Test func `a change that is refused is not made again`() throws {
        let first = try daemon()
        let connection = try connect()
        let film = try request(connection, landscape)
        script.refuse("Update", with: .invalidArguments("no"))
        var other = landscape
        other.interfaceOrientations = .portrait
        let error = #expect(throws: OrientationError.self) {
            try result(connection) { connection.update(film, to: other, completion: $0) }.get()
        }
        #expect(error?.code == .invalidArgument)
        first.stop()
        let second = try daemon()
        try serve(connection) { script.lines.last == "Request org.example.Player landscape" }
        withExtendedLifetime(film) {}
        second.stop()
    }

    @Test func `a change that is refused does not undo a newer one`() throws {
        let first = try daemon()
        let connection = try connect()
        let film = try request(connection, landscape)
        script.refuse("Update 1 org.example.Player portrait", with: .invalidArguments("no"))
        var (refused, newer) = (landscape, landscape)
        refused.interfaceOrientations = .portrait
        newer.interfaceOrientations = .all
        var results: [Bool] = []
        for preferences in [refused, newer] {
            connection.update(film, to: preferences) { results.append($0.failure == nil) }
        }
        try serve(connection) { results.count == 2 }
        #expect(results == [false, true])
        first.stop()
        let second = try daemon()
        try serve(connection) { script.lines.last == "Request org.example.Player all" }
        withExtendedLifetime(film) {}
        second.stop()
    }

    @Test func `what a restarted daemon refuses is reported, and claimed again with the next value`() throws {
        let first = try daemon()
        let connection = try connect()
        var problems: [OrientationError] = []
        connection.onProblem = { problems.append($0) }
        let claim = try claim(connection).get()
        let film = try request(connection, landscape)
        first.stop()
        script.refuse("Claim", with: .accessDenied("not you"))
        script.refuse("Request", with: .accessDenied("nor that"))
        let second = try daemon()
        try serve(connection) { problems.count == 2 }
        #expect(problems.map { $0.code } == [.notAllowed, .notAllowed])
        #expect(problems.map { $0.message } == ["not you", "nor that"])
        script.refuse("Claim", with: nil)
        let again = try self.claim(connection).get()
        #expect(script.lines.count { $0 == "Claim" } == 3)
        // The request is held still, but has nothing that could be released.
        film.release()
        _ = try result(connection) { connection.alignToDevice(completion: $0) }.get()
        #expect(script.lines.last == "AlignToDevice")
        withExtendedLifetime((claim, again)) {}
        second.stop()
    }

    @Test func `values may be let go of on another thread`() throws {
        let daemon = try daemon()
        let connection = try connect()
        let film = try request(connection, landscape)
        let thread = try startThread("release the request") { film.release() }
        pthread_join(thread, nil)
        try serve(connection) { script.lines.last == "Release 1" }
        daemon.stop()
    }

    @Test func `a connection that is let go of ends its calls and leaves the bus`() throws {
        let daemon = try daemon()
        for member in ["AlignToDevice", "Claim"] { script.refuse(member, with: .silence) }
        var connection: OrientationConnection? = try connect()
        weak let weakConnection = connection
        var errors: [OrientationError?] = []
        connection?.beginGeneratingDeviceOrientationNotifications { errors.append($0.failure) }
        connection?.alignToDevice { errors.append($0.failure) }
        if let connection { try serve(connection) { script.lines.last == "AlignToDevice" } }
        connection = nil
        #expect(weakConnection == nil)
        #expect(errors.count == 2 && !errors.contains(nil))
        daemon.stop()
    }

    private func claimOfEndedConnection() throws -> OrientationClaim { try claim(connect()).get() }

    // They waited for ever.
    @Test(.timeLimit(.minutes(1))) func `the states of a connection that has ended are none`() async throws {
        let daemon = try daemon()
        let claim = try claimOfEndedConnection()
        var states = claim.states.makeAsyncIterator()
        let state = try await states.next()
        #expect(state == nil)
        daemon.stop()
    }

    @Test func `an iterator of states leaves nothing behind`() throws {
        let daemon = try daemon()
        let connection = try connect()
        let claim = try claim(connection).get()
        do {
            let iterator = claim.states.makeAsyncIterator()
            try connection.process()
            #expect(connection.channel.streamCount == 1)
            withExtendedLifetime(iterator) {}
        }
        _ = claim.states.makeAsyncIterator()
        try connection.process()
        #expect(connection.channel.streamCount == 0)
        daemon.stop()
    }

    // MARK: - Errors

    static let errors: [(name: String, code: OrientationError.Code)] = [
        ("org.freedesktop.DBus.Error.AccessDenied", .notAllowed),
        ("org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", .notAllowed),
        ("org.freedesktop.DBus.Error.InvalidArgs", .invalidArgument),
        ("org.orientd1.Error.InvalidInterfaceOrientation", .invalidInterfaceOrientation),
        ("org.orientd1.Error.OrientationNotSupported", .orientationNotSupported),
        ("org.orientd1.Error.LimitExceeded", .limitExceeded),
        ("org.freedesktop.DBus.Error.LimitsExceeded", .limitExceeded),
        ("org.freedesktop.DBus.Error.NoReply", .noReply),
        ("org.example.Surprise", .failed),
    ]

    @Test(arguments: errors.indices)
    func `each error of the bus has a code and keeps its text`(index: Int) throws {
        let (name, code) = Self.errors[index]
        let daemon = try daemon()
        let connection = try connect()
        for member in ["Claim", "Request", "SetRotationLock", "Rotate", "AlignToDevice"] {
            script.refuse(member, with: BusError(name, "because"))
        }
        let errors = [
            try claim(connection).failure,
            try result(connection) { connection.requestGeometryUpdate(landscape, completion: $0) }.failure,
            try result(connection) { connection.setRotationLock(.current, completion: $0) }.failure,
            try result(connection) { connection.rotate(to: .portrait, completion: $0) }.failure,
            try result(connection) { connection.alignToDevice(completion: $0) }.failure,
        ]
        #expect(errors.map { $0?.code } == Array(repeating: code, count: errors.count))
        #expect(errors.map { $0?.message } == Array(repeating: "because", count: errors.count))
        daemon.stop()
    }

    @Test func `polkit may ask a person only where the program allows it`() throws {
        let daemon = try daemon()
        let connection = try connect()
        for isInteractive in [false, true] {
            _ = try result(connection) {
                connection.setRotationLock(.current, allowsInteractiveAuthorization: isInteractive, completion: $0)
            }.get()
            _ = try result(connection) {
                connection.rotate(to: .landscapeLeft, allowsInteractiveAuthorization: isInteractive, completion: $0)
            }.get()
            _ = try result(connection) {
                connection.alignToDevice(allowsInteractiveAuthorization: isInteractive, completion: $0)
            }.get()
            _ = try result(connection) {
                connection.requestGeometryUpdate(
                    landscape,
                    allowsInteractiveAuthorization: isInteractive,
                    completion: $0
                )
            }.get()
        }
        let calls = [
            "SetRotationLock current", "Rotate landscape-left", "AlignToDevice", "Request org.example.Player landscape",
        ]
        #expect(script.lines.filter { !$0.hasPrefix("Release") } == calls + calls.map { $0 + " interactive" })
        daemon.stop()
    }

    @Test func `without a daemon every call says that it does not run`() throws {
        let connection = try connect()
        let errors = [
            try claim(connection).failure,
            try result(connection) { connection.requestGeometryUpdate(landscape, completion: $0) }.failure,
            try result(connection) { connection.setRotationLock(.current, completion: $0) }.failure,
            try result(connection) { connection.readState(completion: $0) }.failure,
        ]
        #expect(errors.map { $0?.code } == Array(repeating: .serviceNotRunning, count: errors.count))
        #expect(errors[0]?.message.hasPrefix("orientd is not running: ") == true)
        let daemon = try daemon()
        let claim = try claim(connection).get()
        withExtendedLifetime(claim) {}
        daemon.stop()
    }

    @Test func `a daemon that ends during a call has not replied`() throws {
        let daemon = try daemon()
        script.refuse("Claim", with: .silence)
        let connection = try connect()
        var result: Result<OrientationClaim, OrientationError>?
        connection.beginGeneratingDeviceOrientationNotifications { result = $0 }
        try serve(connection) { script.lines.last == "Claim" }
        daemon.stop()
        try serve(connection) { result != nil }
        #expect(result?.failure?.code == .noReply)
    }

    @Test func `a request of another connection cannot be changed`() throws {
        let daemon = try daemon()
        let (one, other) = (try connect(), try connect())
        let film = try request(one, landscape)
        let error = try result(other) { other.update(film, to: landscape, completion: $0) }.failure
        #expect(error?.code == .invalidArgument)
        film.release()
        try serve(one) { script.lines.last == "Release 1" }
        #expect(try result(one) { one.update(film, to: landscape, completion: $0) }.failure?.code == .invalidArgument)
        daemon.stop()
    }

    @Test func `a request that a restarted daemon has refused is made again by a change`() throws {
        let first = try daemon()
        let connection = try connect()
        var problems: [OrientationError] = []
        connection.onProblem = { problems.append($0) }
        let film = try request(connection, landscape)
        first.stop()
        try serve(connection) { connection.state?.isServiceRunning == false }
        script.refuse("Request", with: .invalidArguments("no"))
        let second = try daemon()
        try serve(connection) { problems.count == 1 }
        var other = landscape
        other.interfaceOrientations = .all
        let change = { try result(connection) { connection.update(film, to: other, completion: $0) } }
        #expect(try change().failure?.code == .invalidArgument)
        script.refuse("Request", with: nil)
        try change().get()
        #expect(script.lines.last == "Request org.example.Player all")
        second.stop()
    }

    // MARK: - Containers

    private func addChild(
        _ connection: OrientationConnection,
        _ container: GeometryRequest,
        _ presentation: RotationRequest.Presentation = .push
    ) throws -> GeometryRequest {
        try result(connection) {
            connection.addChild(landscape, to: container, presentation: presentation, completion: $0)
        }.get()
    }

    @Test func `a container forwards to a child, as each daemon is told`() throws {
        let first = try daemon()
        let connection = try connect()
        let other = try request(connection, landscape)
        let window = try request(connection, landscape)
        let film = try addChild(connection, window, .modal)
        let top = try addChild(connection, window)
        #expect(script.lines.suffix(2).map { $0.suffix(9) } == ["odal-in-2", "push-in-2"])
        try result(connection) { connection.forward(window, to: top, completion: $0) }.get()
        #expect(script.lines.last == "Update 2 org.example.Player landscape forwards-to-4")
        try result(connection) { connection.setNeedsUpdateOfSupportedInterfaceOrientations(top, completion: $0) }.get()
        #expect(script.lines.last == "SetNeedsUpdate 4")
        // A change keeps the place in the tree.
        let portrait = GeometryPreferences(appID: "org.example.Player", interfaceOrientations: .portrait)
        for (request, preferences, place) in [
            (top, landscape, "4 org.example.Player landscape push-in-2"),
            (window, portrait, "2 org.example.Player portrait forwards-to-4"),
        ] {
            try result(connection) { connection.update(request, to: preferences, completion: $0) }.get()
            #expect(script.lines.last?.hasSuffix(place) == true)
        }
        other.release()
        try serve(connection) { script.lines.last == "Release 1" }
        first.stop()
        let before = script.lines.count
        let second = try daemon()
        // The new daemon calls them otherwise. The container begins with what the child supports, as a pushed child would
        // not turn the interface back.
        try serve(connection) { script.lines.last == "Update 1 org.example.Player portrait forwards-to-3" }
        #expect(
            script.lines[before...].filter { $0.hasPrefix("Request") } == [
                "Request org.example.Player landscape", "Request org.example.Player landscape modal-in-1",
                "Request org.example.Player landscape push-in-1",
            ]
        )
        try result(connection) { connection.forward(window, to: nil, completion: $0) }.get()
        #expect(script.lines.last == "Update 1 org.example.Player portrait")
        withExtendedLifetime(film) {}
        second.stop()
    }

    @Test func `containers that forward to each other while no daemon runs are made when one does`() throws {
        let first = try daemon()
        let connection = try connect()
        let window = try request(connection, landscape)
        let child = try addChild(connection, window)
        first.stop()
        try serve(connection) { connection.state?.isServiceRunning == false }
        try result(connection) { connection.forward(window, to: child, completion: $0) }.get()
        try result(connection) { connection.forward(child, to: window, completion: $0) }.get()
        let before = script.lines.count
        let second = try daemon()
        let place = "push-in-1 forwards-to-1"
        try serve(connection) { script.lines[before...].contains("Request org.example.Player landscape \(place)") }
        second.stop()
    }

    @Test func `a restarted daemon gets the request last that was activated last, with its children`() throws {
        let first = try daemon()
        let connection = try connect()
        func preferences(_ appID: String, isActive: Bool = true) -> GeometryPreferences {
            GeometryPreferences(appID: appID, interfaceOrientations: .landscape, isActive: isActive)
        }
        let window = try request(connection, preferences("org.example.First"))
        let child = try addChild(connection, window)
        let other = try request(connection, preferences("org.example.Second"))
        for isActive in [false, true] {
            let change = preferences("org.example.First", isActive: isActive)
            try result(connection) { connection.update(window, to: change, completion: $0) }.get()
        }
        first.stop()
        try serve(connection) { connection.state?.isServiceRunning == false }
        let before = script.lines.count
        let second = try daemon()
        try serve(connection) { script.lines.count == before + 3 }
        #expect(
            script.lines[before...] == [
                "Request org.example.Second landscape", "Request org.example.First landscape",
                "Request org.example.Player landscape push-in-2",
            ]
        )
        withExtendedLifetime((child, other)) {}
        second.stop()
    }

    @Test func `a child that has ended with its container cannot be changed`() throws {
        let daemon = try daemon()
        let connection = try connect()
        let child = try addChild(connection, try request(connection, landscape))
        script.refuse("Update", with: BusError("org.freedesktop.DBus.Error.UnknownObject", "gone"))
        let change = try result(connection) { connection.update(child, to: landscape, completion: $0) }
        #expect(change.failure?.code == .invalidArgument)
        daemon.stop()
    }

    @Test func `a child of what is not held any more, or of another connection, is refused`() throws {
        let daemon = try daemon()
        let (one, other) = (try connect(), try connect())
        let window = try request(one, landscape)
        func refusal(_ connection: OrientationConnection) throws -> OrientationError.Code? {
            try result(connection) { connection.addChild(landscape, to: window, completion: $0) }.failure?.code
        }
        #expect(try refusal(other) == .invalidArgument)
        window.release()
        try serve(one) { script.lines.last == "Release 1" }
        #expect(try refusal(one) == .invalidArgument)
        daemon.stop()
    }

    @Test func `a child of a parent that a restarted daemon refuses is refused`() throws {
        let first = try daemon()
        let connection = try connect()
        let window = try request(connection, landscape)
        first.stop()
        try serve(connection) { connection.state?.isServiceRunning == false }
        script.refuse("Request org.example.Player landscape", with: .invalidArguments("no"))
        let second = try daemon()
        let error = try result(connection) { connection.addChild(landscape, to: window, completion: $0) }.failure
        #expect(error?.code == .invalidArgument)
        #expect(script.lines.last == "Request org.example.Player landscape")
        second.stop()
    }

    @Test func `a bus that is not there is an error`() {
        let error = #expect(throws: OrientationError.self) {
            try OrientationConnection(busAddress: "unix:path=/nonexistent/bus")
        }
        #expect(error?.code == .busUnavailable)
    }

    @Test func `the end of the bus is an error of each turn and each call`() throws {
        let daemon = try daemon()
        let connection = try connect()
        let film = try request(connection, landscape)
        bus.end()
        let error = #expect(throws: OrientationError.self) { try serve(connection) { false } }
        #expect(error?.code == .disconnected)
        #expect(throws: OrientationError.self) { try connection.process() }
        var results: [OrientationError?] = []
        connection.beginGeneratingDeviceOrientationNotifications { results.append($0.failure) }
        connection.alignToDevice { results.append($0.failure) }
        // It succeeded: the change waited for an orientd that cannot come.
        connection.update(film, to: landscape) { results.append($0.failure) }
        #expect(results.map { $0?.code } == [.disconnected, .disconnected, .disconnected])
        daemon.stop()
    }
}

extension Result where Failure == OrientationError {
    /// The error; nil for a success.
    fileprivate var failure: OrientationError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
