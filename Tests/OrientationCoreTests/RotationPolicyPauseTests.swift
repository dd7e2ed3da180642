// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

/// A closed lid and a sleeping machine pause the policy.
@Suite struct RotationPolicyPauseTests {
    @Test func `turns of the device are ignored during a pause`() throws {
        var policy = RotationPolicy.held()
        _ = try policy.rotate(to: .portraitUpsideDown)
        _ = policy.pause()
        for upright in [InterfaceOrientation.landscapeLeft, .portrait, .landscapeRight] {
            #expect(policy.turn(for: upright) == .unchanged(.manual))
        }
    }

    @Test func `requests, locks and Rotate work during a pause, with the last edge of the device`() throws {
        var policy = RotationPolicy.held(for: .landscapeLeft)
        _ = policy.pause()
        let player = try policy.present(.modal, .all, preferred: .landscapeRight)
        #expect(policy.shown == .landscapeRight)
        _ = try policy.rotate(to: .portrait)
        #expect(policy.shown == .portrait)
        _ = try policy.setLock(.orientation(.portraitUpsideDown))
        #expect(policy.shown == .portraitUpsideDown)
        _ = try policy.setLock(.off)
        try policy.release(player)
        #expect(policy.shown == .landscapeLeft)
    }

    @Test(arguments: InterfaceOrientation.allCases)
    func `the first reading after a pause counts as a turn, also to the same edge`(upright: InterfaceOrientation) throws
    {
        var policy = RotationPolicy.held(for: upright)
        let other: InterfaceOrientation = upright == .portrait ? .landscapeLeft : .portrait
        _ = try policy.rotate(to: other)
        _ = policy.pause()
        _ = policy.resume()
        #expect(policy.shown == other)
        #expect(policy.rule == .manual)
        let decision = policy.turn(for: upright)
        #expect(decision.transition == Transition(from: other, to: upright, reason: .sensor))
    }

    @Test func `between the pause and the first reading the edge is unknown`() throws {
        var policy = RotationPolicy.held(for: .landscapeLeft)
        _ = policy.pause()
        _ = policy.resume()
        #expect(policy.shown == .landscapeLeft)
        #expect(policy.rule == .unknown)
        try policy.release(policy.present(.modal, .portrait))
        #expect(policy.shown == .landscapeLeft)
    }
}
