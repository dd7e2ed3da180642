// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationCore

/// Rotation by hand.
@Suite struct RotationPolicyManualTests {
    @Test(arguments: InterfaceOrientation.allCases, RotationLock.allCases)
    func `Rotate turns the interface although locked, and although the device points elsewhere`(
        orientation: InterfaceOrientation,
        lock: RotationLock
    ) throws {
        var policy = RotationPolicy.held(for: .landscapeLeft)
        try policy.setLock(lock)
        let shown = policy.shown
        let decision = try policy.deciding { try $0.rotate(to: orientation) }
        let transition = Transition(from: shown, to: orientation, reason: .manual)
        #expect(decision.transition == (shown == orientation ? nil : transition))
        #expect(policy.shown == orientation)
        #expect(decision.rule == (lock == .off ? .manual : .lock))
    }

    @Test func `Rotate outside the effective mask is refused`() throws {
        var policy = RotationPolicy.held(supported: .allButUpsideDown)
        expectRefused(
            .orientationNotSupported,
            saying: "portrait-upside-down: ",
            "this device",
            "all-but-upside-down",
            by: &policy
        ) { try $0.rotate(to: .portraitUpsideDown) }
        try policy.present(.modal, .landscape)
        expectRefused(.orientationNotSupported, saying: "portrait: ", "org.example.App", "landscape", by: &policy) {
            try $0.rotate(to: .portrait)
        }
    }

    @Test func `Rotate works within supported where the deciding request does not autorotate`() throws {
        var policy = RotationPolicy.held()
        try policy.present(.modal, [.portrait, .landscapeLeft], autorotates: false)
        try policy.rotate(to: .landscapeLeft)
        #expect(policy.shown == .landscapeLeft)
        expectRefused(.orientationNotSupported, saying: "landscape-right", by: &policy) {
            try $0.rotate(to: .landscapeRight)
        }
    }

    @Test(arguments: [InterfaceOrientation.landscapeLeft, .portrait])
    func `unlocked it holds until the device turns to another orientation`(orientation: InterfaceOrientation) throws {
        var policy = RotationPolicy.held()
        try policy.rotate(to: orientation)
        for edge in [DeviceOrientation.portrait, .unknown, .faceUp, .faceDown, .portrait] {
            #expect(policy.deciding { $0.deviceTurned(to: edge) }.transition == nil)
            #expect(policy.shown == orientation)
            #expect(policy.rule == .manual)
        }
        let decision = policy.deciding { $0.turn(for: .landscapeRight) }
        #expect(decision.transition == Transition(from: orientation, to: .landscapeRight, reason: .sensor))
        #expect(decision.rule == .device)
    }

    @Test func `unlocked it ends with a turn of the device, even if the interface does not follow`() throws {
        var policy = RotationPolicy.held(autorotate: .never)
        try policy.rotate(to: .landscapeLeft)
        #expect(policy.deciding { $0.turn(for: .portraitUpsideDown) } == .unchanged(.never))
        policy = .held()
        try policy.present(.modal, autorotates: false)
        try policy.rotate(to: .landscapeLeft)
        #expect(policy.deciding { $0.turn(for: .portraitUpsideDown) } == .unchanged(.fixed))
        policy = .held()
        try policy.rotate(to: .landscapeLeft)
        #expect(policy.deciding { $0.turn(for: .landscapeLeft) } == .unchanged(.device))
    }

    @Test(
        arguments: [
            (RotationLock.current, RotationLock.current),
            (.orientation(.portrait), .orientation(.landscapeLeft)),
        ]
    )
    func `locked it becomes the held one, and an edge lock becomes that edge`(
        before: RotationLock,
        after: RotationLock
    ) throws {
        var policy = RotationPolicy.held()
        try policy.setLock(before)
        try policy.rotate(to: .landscapeLeft)
        #expect(policy.lock == after)
        #expect(policy.memory.held == .landscapeLeft)
        policy.turn(for: .landscapeRight)
        #expect(policy.shown == .landscapeLeft)
        try policy.release(policy.present(.modal, .portrait))
        #expect(policy.shown == .landscapeLeft)
    }

    @Test func `a lock never holds what is outside the device configuration`() throws {
        var policy = RotationPolicy.held(supported: .portrait)
        try policy.setLock(.orientation(.portrait))
        try policy.present(.modal, .landscape, preferred: .landscapeLeft, autorotates: false)
        try policy.rotate(to: .landscapeLeft)
        #expect(policy.lock == .orientation(.portrait))
        #expect(policy.memory.held == .portrait)
    }

    @Test
    func `the deciding request comes before an unlocked manual rotation, and ends it where it turns the interface`()
        throws
    {
        var policy = RotationPolicy.held()
        try policy.rotate(to: .landscapeLeft)
        let sheet = try policy.present(.modal)
        #expect(policy.rule == .manual)
        try policy.change(sheet) { $0.supported = [.portrait, .landscapeRight] }
        #expect(policy.shown == .portrait)
        #expect(policy.rule == .device)
        try policy.change(sheet) { $0.supported = .all }
        #expect(policy.shown == .portrait)
    }

    @Test func `with autorotation off the rotation by hand returns after a request`() throws {
        var policy = RotationPolicy.held(autorotate: .never)
        try policy.rotate(to: .portraitUpsideDown)
        let sheet = try policy.present(.modal, .all, preferred: .landscapeLeft)
        try policy.release(sheet)
        #expect(policy.shown == .portraitUpsideDown)
    }

    /// Turns to portrait-upside-down for a reason other than a request.
    enum Turn: CaseIterable {
        case rotate
        case lock
        case device
        case align

        func perform(on policy: inout RotationPolicy) throws {
            switch self {
            case .rotate: try policy.rotate(to: .portraitUpsideDown)
            case .lock: try policy.setLock(.orientation(.portraitUpsideDown))
            case .device, .align: policy.turn(for: .portraitUpsideDown)
            }
        }
    }

    @Test(arguments: Turn.allCases)
    func `a turn to what a request already shows is remembered, and stays when the request is released`(
        turn: Turn
    ) throws {
        var policy = RotationPolicy.held(for: .landscapeRight, autorotate: turn == .align ? .never : .always)
        try policy.rotate(to: .portrait)
        let sheet = try policy.present(.modal, [.portraitUpsideDown, .landscapeLeft])
        #expect(policy.shown == .portraitUpsideDown)
        #expect(try policy.deciding { try turn.perform(on: &$0) }.transition == nil)
        if turn == .align { #expect(policy.deciding { $0.alignToDevice() }.transition == nil) }
        try policy.setLock(.off)
        policy.setAutorotate(.never)
        try policy.release(sheet)
        #expect(policy.shown == .portraitUpsideDown)
    }

    @Test func `a turn that the mask forbids is not remembered`() throws {
        var policy = RotationPolicy.held()
        let sheet = try policy.present(.modal, .landscape, preferred: .landscapeLeft)
        policy.turn(for: .portraitUpsideDown)
        policy.setAutorotate(.never)
        try policy.release(sheet)
        #expect(policy.shown == .portrait)
    }
}
