// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationCore

/// The user's rotation lock.
@Suite struct RotationPolicyLockTests {
    static let locks: [RotationLock] = [.current, .orientation(.landscapeLeft)]

    @Test(arguments: locks)
    func `under a lock the device does not turn the interface and is still tracked`(lock: RotationLock) throws {
        var policy = RotationPolicy.held(for: .landscapeLeft)
        try policy.setLock(lock)
        for upright in [InterfaceOrientation.portrait, .landscapeRight] {
            #expect(policy.deciding { $0.turn(for: upright) }.transition == nil)
        }
        #expect(policy.rule == .lock)
        let decision = try policy.deciding { try $0.setLock(.off) }
        #expect(decision.transition == Transition(from: .landscapeLeft, to: .landscapeRight, reason: .lock))
    }

    @Test func `current holds what is shown, and reads current whatever that is`() throws {
        var policy = RotationPolicy.held()
        try policy.rotate(to: .landscapeRight)
        #expect(try policy.deciding { try $0.setLock(.current) }.transition == nil)
        #expect(policy.lock == .current)
        #expect(policy.memory.held == .landscapeRight)
        try policy.rotate(to: .portraitUpsideDown)
        #expect(policy.lock == .current)
        #expect(policy.memory.held == .portraitUpsideDown)
    }

    @Test func `setting current again holds what is shown now`() throws {
        var policy = RotationPolicy.held()
        try policy.setLock(.current)
        try policy.present(.modal, .all, preferred: .landscapeLeft)
        #expect(policy.memory.held == .portrait)
        try policy.setLock(.current)
        #expect(policy.memory.held == .landscapeLeft)
        #expect(policy.rule == .lock)
    }

    @Test(arguments: InterfaceOrientation.allCases)
    func `a lock of one orientation rotates to it and holds it`(orientation: InterfaceOrientation) throws {
        for shown in InterfaceOrientation.allCases {
            var policy = RotationPolicy.held(for: shown)
            let decision = try policy.deciding { try $0.setLock(.orientation(orientation)) }
            let transition = Transition(from: shown, to: orientation, reason: .lock)
            #expect(decision.transition == (shown == orientation ? nil : transition))
            #expect(decision.rule == .lock)
            #expect(policy.lock == .orientation(orientation))
        }
    }

    @Test func `locking to one outside the device configuration is refused`() throws {
        var policy = RotationPolicy.held(supported: .allButUpsideDown)
        try policy.present(.modal)
        expectRefused(
            .orientationNotSupported,
            saying: "portrait-upside-down",
            "all-but-upside-down",
            by: &policy
        ) { try $0.setLock(.orientation(.portraitUpsideDown)) }
    }

    @Test func `locking what is shown is refused where that is outside the device configuration`() throws {
        var policy = RotationPolicy.held(supported: .portrait)
        try policy.present(.modal, .landscape, preferred: .landscapeLeft, autorotates: false)
        expectRefused(.orientationNotSupported, saying: "landscape-left", "portrait", by: &policy) {
            try $0.setLock(.current)
        }
    }

    @Test func `the mask of the deciding request wins over the lock, and the held orientation returns afterwards`()
        throws
    {
        var policy = RotationPolicy.held()
        try policy.setLock(.orientation(.portrait))
        let app = try policy.present(.modal, .landscape)
        #expect(policy.shown == .landscapeRight)
        #expect(policy.rule == .mask)
        policy.turn(for: .landscapeLeft)
        #expect(policy.shown == .landscapeRight)
        #expect(policy.memory.held == .portrait)
        let decision = try policy.deciding { try $0.release(app) }
        #expect(decision.transition == Transition(from: .landscapeRight, to: .portrait, reason: .request))
        #expect(policy.rule == .lock)
    }

    @Test func `preferred also counts under the lock`() throws {
        var policy = RotationPolicy.held()
        try policy.setLock(.current)
        let app = try policy.present(.modal, .all, preferred: .landscapeLeft)
        #expect(policy.shown == .landscapeLeft)
        #expect(policy.deciding { $0.turn(for: .landscapeRight) } == .unchanged(.kept))
        try policy.setActive(false, app)
        #expect(policy.shown == .portrait)
    }

    @Test func `a lock outside the mask of the deciding request takes effect when the node is released`() throws {
        var policy = RotationPolicy.held(for: .landscapeLeft)
        let app = try policy.present(.modal, .landscape)
        #expect(try policy.deciding { try $0.setLock(.orientation(.portrait)) }.transition == nil)
        #expect(policy.lock == .orientation(.portrait))
        policy.turn(for: .landscapeRight)
        #expect(policy.shown == .landscapeLeft)
        try policy.release(app)
        #expect(policy.shown == .portrait)
    }

    @Test(arguments: [RotationLock.current, .orientation(.portraitUpsideDown)])
    func `a lock outside the mask of a pushed node does not end its waiting`(lock: RotationLock) throws {
        var policy = RotationPolicy.held()
        try policy.present(.push, .landscape)
        #expect(try policy.deciding { try $0.setLock(lock) } == .unchanged(.waiting))
        #expect(policy.shown == .portrait)
    }

    @Test(arguments: [RotationLock.current, .orientation(.portraitUpsideDown)])
    func `locking ends an unlocked manual rotation`(lock: RotationLock) throws {
        var policy = RotationPolicy.held()
        try policy.rotate(to: .portraitUpsideDown)
        try policy.setLock(lock)
        #expect(policy.rule == .lock)
        policy.turn(for: .landscapeLeft)
        #expect(policy.shown == .portraitUpsideDown)
    }
}
