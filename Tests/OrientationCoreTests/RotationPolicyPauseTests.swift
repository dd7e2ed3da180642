// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

/// A closed lid, and suspend.
@Suite struct RotationPolicyPauseTests {
    @Test func `no turn of the device counts meanwhile`() throws {
        var policy = RotationPolicy.held()
        _ = try policy.rotate(to: .portraitUpsideDown)
        _ = policy.pause()
        for upright in [InterfaceOrientation.landscapeLeft, .portrait, .landscapeRight] {
            #expect(policy.turn(for: upright) == .unchanged(.manual))
        }
    }

    @Test func `requests, locks and Rotate work meanwhile, and resolve to where the device was`() throws {
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
    func `the first reading afterwards counts as a turn, whichever it is`(upright: InterfaceOrientation) throws {
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

    @Test func `until that reading nothing is known of the device`() throws {
        var policy = RotationPolicy.held(for: .landscapeLeft)
        _ = policy.pause()
        _ = policy.resume()
        #expect(policy.shown == .landscapeLeft)
        #expect(policy.rule == .unknown)
        try policy.release(policy.present(.modal, .portrait))
        #expect(policy.shown == .landscapeLeft)
    }
}
