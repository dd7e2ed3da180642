// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationCore

/// Tablet mode, laptop mode and the autorotation mode.
@Suite struct RotationPolicyTabletTests {
    /// A convertible held for portrait, whose laptop orientation is landscape-left.
    private static func convertible(_ autorotate: AutorotateMode, _ mode: TabletMode?) -> RotationPolicy {
        var policy = RotationPolicy(
            configuration: RotationConfiguration(laptop: .landscapeLeft),
            autorotate: autorotate
        )
        policy.turn(for: .portrait)
        if let mode { policy.setTabletMode(mode) }
        return policy
    }

    @Test func `laptop mode shows the laptop orientation and ignores turns of the device`() {
        var policy = Self.convertible(.tabletMode, .tablet)
        let decision = policy.deciding { $0.setTabletMode(.laptop) }
        #expect(decision.transition == Transition(from: .portrait, to: .landscapeLeft, reason: .tabletMode))
        #expect(decision.rule == .laptop)
        #expect(policy.deciding { $0.turn(for: .landscapeRight) } == .unchanged(.laptop))
    }

    @Test func `entering tablet mode follows the device as it is held now`() {
        var policy = Self.convertible(.tabletMode, .laptop)
        policy.turn(for: .landscapeRight)
        policy.turn(for: .portraitUpsideDown)
        let decision = policy.deciding { $0.setTabletMode(.tablet) }
        #expect(
            decision.transition == Transition(from: .landscapeLeft, to: .portraitUpsideDown, reason: .tabletMode)
        )
        #expect(decision.rule == .device)
    }

    @Test(arguments: [nil, TabletMode.unknown, .tablet])
    func `without a switch and an angle it counts as a tablet`(mode: TabletMode?) {
        var policy = Self.convertible(.tabletMode, mode)
        #expect(policy.deciding { $0.turn(for: .landscapeRight) }.transition?.reason == .sensor)
        policy.setTabletMode(.laptop)
        #expect(policy.shown == .landscapeLeft)
        policy.setTabletMode(mode ?? .unknown)
        #expect(policy.shown == .landscapeRight)
    }

    @Test func `with always the device is followed in laptop mode too`() {
        var policy = Self.convertible(.always, .laptop)
        #expect(policy.shown == .portrait)
        #expect(policy.deciding { $0.turn(for: .landscapeRight) }.transition?.to == .landscapeRight)
    }

    @Test func `never stops only the sensor: Rotate, locks and requests work`() throws {
        var policy = Self.convertible(.never, .laptop)
        #expect(policy.deciding { $0.turn(for: .landscapeRight) } == .unchanged(.never))
        try policy.rotate(to: .portraitUpsideDown)
        #expect(policy.shown == .portraitUpsideDown)
        try policy.setLock(.orientation(.landscapeLeft))
        #expect(policy.shown == .landscapeLeft)
        let player = try policy.present(.modal, .all, preferred: .landscapeRight)
        #expect(policy.shown == .landscapeRight)
        try policy.setLock(.off)
        policy.turn(for: .portrait)
        #expect(policy.shown == .landscapeLeft)
        try policy.setActive(false, player)
        try policy.setActive(true, player)
        policy.turn(for: .portraitUpsideDown)
        #expect(policy.shown == .landscapeRight)
        try policy.release(player)
        #expect(policy.shown == .landscapeLeft)
    }

    @Test func `with always and never a change of tablet mode changes nothing`()
        throws
    {
        for mode in [AutorotateMode.always, .never] {
            var policy = Self.convertible(mode, .tablet)
            try policy.rotate(to: .portraitUpsideDown)
            #expect(policy.deciding { $0.setTabletMode(.laptop) } == .unchanged(.manual))
        }
    }

    @Test func `a change of the autorotation mode takes effect at once`() {
        var policy = Self.convertible(.never, .laptop)
        policy.turn(for: .landscapeRight)
        #expect(policy.deciding { $0.setAutorotate(.tabletMode) }.transition?.to == .landscapeLeft)
        let decision = policy.deciding { $0.setAutorotate(.always) }
        #expect(
            decision.transition == Transition(from: .landscapeLeft, to: .landscapeRight, reason: .configuration)
        )
        #expect(policy.deciding { $0.setAutorotate(.never) } == .unchanged(.never))
    }

    @Test func `laptop mode comes before the lock, which is remembered and not applied`() throws {
        var policy = Self.convertible(.tabletMode, .laptop)
        #expect(try policy.deciding { try $0.setLock(.orientation(.portraitUpsideDown)) }.transition == nil)
        #expect(policy.lock == .orientation(.portraitUpsideDown))
        #expect(policy.shown == .landscapeLeft)
        #expect(policy.rule == .laptop)
        #expect(policy.deciding { $0.setTabletMode(.tablet) }.transition?.to == .portraitUpsideDown)
        #expect(policy.rule == .lock)
        #expect(policy.deciding { $0.setTabletMode(.laptop) }.transition?.to == .landscapeLeft)
        try policy.setLock(.off)
        #expect(policy.deciding { $0.setTabletMode(.tablet) }.transition?.to == .portrait)
    }

    @Test(arguments: [RotationLock.off, .current])
    func `an unlocked Rotate comes before laptop mode, and holds until the device turns`(lock: RotationLock) throws {
        var policy = Self.convertible(.tabletMode, .laptop)
        try policy.setLock(lock)
        let decision = try policy.deciding { try $0.rotate(to: .portraitUpsideDown) }
        #expect(
            decision.transition == Transition(from: .landscapeLeft, to: .portraitUpsideDown, reason: .manual)
        )
        #expect(decision.rule == .manual)
        let end = policy.deciding { $0.turn(for: .landscapeRight) }
        #expect(
            end.transition == Transition(from: .portraitUpsideDown, to: .landscapeLeft, reason: .tabletMode)
        )
        // The lock holds it.
        policy.setTabletMode(.tablet)
        #expect(policy.shown == (lock == .off ? .landscapeRight : .portraitUpsideDown))
    }

    @Test(arguments: [TabletMode.laptop, .tablet])
    func `entering laptop mode, or leaving it, ends an unlocked rotation by hand`(mode: TabletMode) throws {
        var policy = Self.convertible(.tabletMode, mode)
        try policy.rotate(to: .portraitUpsideDown)
        policy.setTabletMode(mode == .laptop ? .tablet : .laptop)
        #expect(policy.shown == (mode == .laptop ? .portrait : .landscapeLeft))
        #expect(policy.rule == (mode == .laptop ? .device : .laptop))
    }

    @Test func `the deciding request comes before laptop mode`() throws {
        var policy = Self.convertible(.tabletMode, .laptop)
        let reader = try policy.present(.modal, [.portrait, .portraitUpsideDown], preferred: .portraitUpsideDown)
        #expect(policy.shown == .portraitUpsideDown)
        #expect(policy.rule == .mask)
        #expect(policy.deciding { $0.turn(for: .landscapeRight) }.transition == nil)
        #expect(try policy.deciding { try $0.release(reader) }.transition?.to == .landscapeLeft)
        try policy.present(.modal, .all, preferred: .landscapeRight)
        #expect(policy.deciding { $0.turn(for: .portrait) } == .unchanged(.kept))
        #expect(policy.shown == .landscapeRight)
    }
}
