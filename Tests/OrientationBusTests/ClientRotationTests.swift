// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import PrivateBus
import SystemdBus
import Testing

@testable import OrientationBus

/// What a client asks of the real service.
@Suite struct ClientRotationTests {
    private let service: Service

    init() throws {
        service = try Service()
    }

    private func call(_ member: String, _ argument: String? = nil) throws {
        try service.loop.serve { [client = service.client] in
            try client.callDaemon(member) { call in if let argument { call.append(argument) } }
        }
    }

    private func requests() throws -> [ListedRequest] {
        try service.loop.serve { [client = service.client] in try client.readRequests() }
    }

    @Test(arguments: RotationLock.allCases)
    func `every lock reaches the policy`(lock: RotationLock) throws {
        try call("SetRotationLock", "current")
        try call("SetRotationLock", lock.name)
        #expect(service.policy.lock == lock)
    }

    @Test(arguments: AutorotateMode.allCases)
    func `every mode of autorotation reaches the policy`(mode: AutorotateMode) throws {
        try call("SetAutorotate", mode.name)
        #expect(service.policy.autorotate == mode)
    }

    @Test(arguments: [("auto", TabletMode.unknown), ("laptop", .laptop), ("tablet", .tablet)])
    func `every tablet mode reaches the policy`(name: String, mode: TabletMode) throws {
        try call("SetTabletMode", "laptop")
        try call("SetTabletMode", name)
        #expect(service.policy.tabletMode == mode)
    }

    @Test(arguments: InterfaceOrientation.allCases)
    func `rotating reaches the policy, and aligning takes it back`(orientation: InterfaceOrientation) throws {
        let upsideDown = AccelerometerSample(time: 0, acceleration: Vector3(0, -9.81, 0))
        service.deliver(.sample(.display, upsideDown))
        try call("Rotate", orientation.name)
        #expect(service.policy.shown == orientation)
        try call("AlignToDevice")
        #expect(service.policy.shown == .portraitUpsideDown)
    }

    @Test func `a refusal is thrown as it is on the bus`() throws {
        let bus = try present(RotationRequest(appID: "org.example.Player", supported: .landscape))
        let error = #expect(throws: BusError.self) { try call("Rotate", "portrait") }
        #expect(error?.name == Names.errorPrefix + "OrientationNotSupported")
        withExtendedLifetime(bus) {}
    }

    // MARK: - Requests

    /// Makes a request of a connection in the service's own loop, which the result holds.
    @discardableResult
    private func present(_ request: RotationRequest, of bus: Bus? = nil) throws -> Bus {
        let bus = try bus ?? service.privateBus.connect(service.loop)
        var answers: [BusError?] = []
        bus.callLater(Names.service, Names.path, Names.manager, "Request") { call in
            RequestOptions.write(request, to: call)
        } completion: { answer in
            answers.append(answer.error)
        }
        try service.loop.run { !answers.isEmpty }
        if let error = answers[0] { throw error }
        return bus
    }

    @Test func `a request arrives with all that it says`() throws {
        let root = RotationRequest(appID: "org.example.Player", supported: .landscape)
        let view = RotationRequest(
            appID: "org.example.Player",
            supported: [.portrait, .landscapeLeft],
            preferred: .landscapeLeft,
            shouldAutorotate: false,
            presentation: .modal,
            parent: 1,
            forwardsTo: 1,
            isActive: false,
            reason: "full screen ▲"
        )
        let bus = try present(root)
        try present(view, of: bus)
        #expect(service.policy.requests == [1, 2])
        #expect(service.policy.request(1) == root)
        #expect(service.policy.request(2) == view)
    }

    @Test func `a request that is refused is answered with the error`() throws {
        let request = RotationRequest(appID: "org.example.Player", supported: .landscape, preferred: .portrait)
        let error = #expect(throws: BusError.self) { try present(request) }
        #expect(error?.name == Names.errorPrefix + "InvalidInterfaceOrientation")
    }

    @Test func `a request goes with the connection that made it`() throws {
        var bus: Bus? = try present(RotationRequest(appID: "org.example.Player", supported: .landscape))
        #expect(service.policy.requests == [1])
        withExtendedLifetime(bus) {}
        bus = nil
        try service.loop.run { service.policy.requests.isEmpty }
    }

    @Test func `all requests are listed, with their parents, from the oldest on`() throws {
        #expect(try requests() == [])
        let player = try present(RotationRequest(appID: "org.example.Player", supported: .landscape, reason: "a film"))
        try present(RotationRequest(appID: "org.example.Player", supported: .portrait, parent: 1), of: player)
        let home = try present(RotationRequest(appID: "org.example.Home", supported: .all))
        let player1 = ListedRequest(
            id: 1,
            appID: "org.example.Player",
            presentation: .modal,
            supported: .landscape,
            reason: "a film"
        )
        let player2 = ListedRequest(
            id: 2,
            appID: "org.example.Player",
            parent: 1,
            presentation: .push,
            supported: .portrait
        )
        let home3 = ListedRequest(id: 3, appID: "org.example.Home", presentation: .modal, supported: .all)
        #expect(try requests() == [player1, player2, home3])
        withExtendedLifetime((player, home)) {}
    }
}
