// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import PrivateBus
import SystemdBus
import Testing

@Suite struct OrientationFollowerTests {
    private let privateBus: PrivateBus
    private let loop: EventLoop
    private let daemon: Bus
    private let follower: OrientationFollower

    init() throws {
        privateBus = try PrivateBus()
        loop = try EventLoop()
        daemon = try privateBus.connect(loop)
        follower = OrientationFollower(bus: try privateBus.connect(loop))
    }

    @Test func `values of a later version are left out`() throws {
        let manager = BusInterface(Names.manager, members: 3)
        manager.property("SensorState", "s") { $0.append("dreaming") }
        manager.property("DeviceOrientation", "s") { $0.append("landscape-right") }
        manager.property("InterfaceRule", "u") { $0.append(UInt32(1)) }
        let slot = try daemon.export(manager, at: Names.path)
        try daemon.own(Names.service, replacing: false)
        try follower.begin()
        try loop.run { follower.snapshot != nil }
        var expected = ManagerStatus(naturalOrientation: .portrait)
        expected.deviceOrientation = .landscapeRight
        #expect(follower.snapshot?.status == expected)
        withExtendedLifetime(slot) {}
    }

    @Test func `a daemon that starts is claimed once`() throws {
        var claims: [String] = []
        let manager = BusInterface(Names.manager, members: 1)
        manager.method("Claim") { message in
            claims.append(message.sender)
            message.reply()
        }
        let slot = try daemon.export(manager, at: Names.path)
        var results: [BusError?] = []
        follower.onClaim = { results.append($0) }
        follower.isClaiming = true
        try follower.begin()
        try daemon.own(Names.service, replacing: false)
        try loop.run { !results.isEmpty }
        #expect(follower.daemon == daemon.uniqueName)
        #expect(claims.count == 1 && results == [nil])
        withExtendedLifetime(slot) {}
    }
}
