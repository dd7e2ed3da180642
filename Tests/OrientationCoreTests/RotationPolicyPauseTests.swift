// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationCore

/// A closed lid and a sleeping machine pause the policy.
@Suite struct RotationPolicyPauseTests {
    @Test func `turns of the device are ignored during a pause`() throws {
        var policy = RotationPolicy.held()
        try policy.rotate(to: .portraitUpsideDown)
        policy.pause()
        for upright in [InterfaceOrientation.landscapeLeft, .portrait, .landscapeRight] {
            #expect(policy.deciding { $0.turn(for: upright) } == .unchanged(.manual))
        }
    }

    @Test func `requests, locks and Rotate work during a pause, with the last edge of the device`() throws {
        var policy = RotationPolicy.held(for: .landscapeLeft)
        policy.pause()
        let player = try policy.present(.modal, .all, preferred: .landscapeRight)
        #expect(policy.shown == .landscapeRight)
        try policy.rotate(to: .portrait)
        #expect(policy.shown == .portrait)
        try policy.setLock(.orientation(.portraitUpsideDown))
        #expect(policy.shown == .portraitUpsideDown)
        try policy.setLock(.off)
        try policy.release(player)
        #expect(policy.shown == .landscapeLeft)
    }

    @Test(arguments: InterfaceOrientation.allCases)
    func `the first reading after a pause counts as a turn, also to the same edge`(upright: InterfaceOrientation) throws
    {
        var policy = RotationPolicy.held(for: upright)
        let other: InterfaceOrientation = upright == .portrait ? .landscapeLeft : .portrait
        try policy.rotate(to: other)
        policy.pause()
        policy.resume()
        #expect(policy.shown == other)
        #expect(policy.rule == .manual)
        let decision = policy.deciding { $0.turn(for: upright) }
        #expect(decision.transition == Transition(from: other, to: upright, reason: .sensor))
    }

    // status said that autorotation was off, or that there was no accelerometer, when a request had turned it.
    @Test func `a request that turns the interface is the rule, also where the device does not decide`() throws {
        let unread = RotationPolicy(configuration: .init(), autorotate: .always)
        var (never, paused) = (RotationPolicy.held(), RotationPolicy.held())
        never.setAutorotate(.never)
        paused.pause()
        for (policy, rule) in [(unread, RotationRule.unknown), (never, .never), (paused, .paused)] {
            var policy = policy
            let all = try policy.present(.modal, .allButUpsideDown)
            #expect(policy.rule == rule)
            let film = try policy.present(.modal, .landscape)
            #expect(policy.rule == .mask)
            try policy.release(film)
            try policy.release(all)
            #expect(policy.rule == rule)
        }
    }

    @Test func `between the pause and the first reading the edge is unknown`() throws {
        var policy = RotationPolicy.held(for: .landscapeLeft)
        policy.pause()
        policy.resume()
        #expect(policy.shown == .landscapeLeft)
        #expect(policy.rule == .unknown)
        try policy.release(policy.present(.modal, .portrait))
        #expect(policy.shown == .landscapeLeft)
    }
}
