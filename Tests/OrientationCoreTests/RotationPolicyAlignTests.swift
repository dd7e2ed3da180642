// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationCore

/// AlignToDevice turns the interface once, as if the device had just turned.
@Suite struct RotationPolicyAlignTests {
    @Test func `it ends a manual rotation`() throws {
        var policy = RotationPolicy.held(for: .landscapeRight)
        try policy.rotate(to: .portrait)
        let decision = policy.deciding { $0.alignToDevice() }
        #expect(decision.transition == Transition(from: .portrait, to: .landscapeRight, reason: .manual))
        #expect(decision.rule == .device)
        // Also if the rotation by hand equals what follows the device.
        try policy.rotate(to: .landscapeRight)
        #expect(policy.deciding { $0.alignToDevice() } == .unchanged(.device))
    }

    @Test(
        arguments: [
            (RotationLock.current, RotationLock.current),
            (.orientation(.portrait), .orientation(.landscapeRight)),
        ]
    )
    func `under a lock it sets the held one`(before: RotationLock, after: RotationLock) throws {
        var policy = RotationPolicy.held()
        try policy.setLock(before)
        policy.turn(for: .landscapeRight)
        #expect(policy.deciding { $0.alignToDevice() }.transition?.to == .landscapeRight)
        #expect(policy.lock == after)
        #expect(policy.memory.held == .landscapeRight)
        policy.turn(for: .portraitUpsideDown)
        #expect(policy.shown == .landscapeRight)
        #expect(policy.rule == .lock)
    }

    @Test func `under a lock it respects the mask: nothing is turned or held`() throws {
        var policy = RotationPolicy.held()
        try policy.setLock(.orientation(.portrait))
        try policy.present(.modal, [.portrait, .landscapeLeft], preferred: .landscapeLeft)
        policy.turn(for: .landscapeRight)
        let before = PolicyState(of: policy)
        #expect(policy.deciding { $0.alignToDevice() } == .unchanged(.kept))
        #expect(PolicyState(of: policy) == before)
    }

    @Test func `where the mask forbids the device's edge it ends waiting and a rotation by hand`() throws {
        var policy = RotationPolicy.held()
        try policy.present(.push, .landscape)
        #expect(policy.rule == .waiting)
        #expect(
            policy.deciding { $0.alignToDevice() }.transition
                == Transition(from: .portrait, to: .landscapeRight, reason: .manual)
        )
        try policy.rotate(to: .landscapeLeft)
        #expect(policy.deciding { $0.alignToDevice() } == .unchanged(.mask))
    }

    @Test func `it works with autorotation off`() {
        var policy = RotationPolicy.held(for: .landscapeLeft, autorotate: .never)
        #expect(policy.shown == .portrait)
        #expect(policy.deciding { $0.alignToDevice() }.transition?.to == .landscapeLeft)
    }

    @Test func `with autorotation off and the device's edge not allowed nothing changes`() throws {
        var policy = RotationPolicy.held(autorotate: .never)
        try policy.present(.modal, [.landscape, .portraitUpsideDown], preferred: .landscapeLeft)
        try policy.rotate(to: .landscapeRight)
        let before = PolicyState(of: policy)
        #expect(policy.deciding { $0.alignToDevice() } == .unchanged(.manual))
        #expect(PolicyState(of: policy) == before)
        // A waiting pushed node does not turn either.
        policy = .held(autorotate: .never)
        try policy.present(.push, .landscape)
        #expect(policy.deciding { $0.alignToDevice() } == .unchanged(.waiting))
    }

    @Test func `in laptop mode nothing changes while no edge is known`() throws {
        var policy = RotationPolicy.laptop()
        policy.pause()
        policy.resume()
        try policy.rotate(to: .landscapeLeft)
        #expect(policy.deciding { $0.alignToDevice() } == .unchanged(.manual))
        #expect(policy.shown == .landscapeLeft)
    }

    @Test func `it turns nothing for a node that does not autorotate`() throws {
        var policy = RotationPolicy.held()
        try policy.present(.modal, autorotates: false)
        policy.turn(for: .landscapeLeft)
        try policy.rotate(to: .portraitUpsideDown)
        #expect(policy.deciding { $0.alignToDevice() } == .unchanged(.manual))
        #expect(policy.shown == .portraitUpsideDown)
    }

    @Test func `it turns nothing while no edge is known`() throws {
        var policy = RotationPolicy.held(for: nil)
        try policy.rotate(to: .landscapeLeft)
        #expect(policy.deciding { $0.alignToDevice() } == .unchanged(.manual))
        policy.turn(for: .portrait)
        policy.pause()
        policy.resume()
        try policy.rotate(to: .landscapeLeft)
        #expect(policy.deciding { $0.alignToDevice() } == .unchanged(.manual))
    }

    @Test func `in laptop mode it goes back to the laptop orientation`() throws {
        var policy = RotationPolicy.laptop()
        try policy.rotate(to: .landscapeLeft)
        let decision = policy.deciding { $0.alignToDevice() }
        #expect(
            decision.transition == Transition(from: .landscapeLeft, to: .portraitUpsideDown, reason: .manual)
        )
        #expect(decision.rule == .laptop)
    }
}
