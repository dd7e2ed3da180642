// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationCore

/// What is shown at the start.
@Suite struct RotationPolicyStartTests {
    typealias Memory = SavedState

    private static func started(
        supported: InterfaceOrientationMask = .all,
        natural: DeviceOrientation = .portrait,
        _ memory: Memory? = nil
    ) -> RotationPolicy {
        RotationPolicy(
            configuration: RotationConfiguration(supported: supported, natural: natural),
            autorotate: .always,
            memory: memory
        )
    }

    @Test(arguments: InterfaceOrientation.allCases)
    func `without stored state the natural orientation is shown if allowed`(natural: InterfaceOrientation) {
        let policy = Self.started(natural: natural.device)
        #expect(policy.shown == natural)
        #expect(policy.reason == .startup)
        #expect(policy.rule == .unknown)
        #expect(policy.lock == .off)
    }

    @Test(
        arguments: [
            (InterfaceOrientationMask.allButUpsideDown, InterfaceOrientation.portrait),
            (.landscape, .landscapeRight),
            (.landscapeLeft, .landscapeLeft),
        ]
    )
    func `if the natural orientation is not allowed the lowest raw value is shown`(
        supported: InterfaceOrientationMask,
        expected: InterfaceOrientation
    ) {
        #expect(Self.started(supported: supported, natural: .portraitUpsideDown).shown == expected)
    }

    @Test(arguments: InterfaceOrientation.allCases)
    func `the stored orientation is shown if allowed, else the natural orientation`(shown: InterfaceOrientation) {
        let memory = Memory(lock: .off, held: .portraitUpsideDown, shown: shown)
        let policy = Self.started(memory)
        #expect(policy.shown == shown)
        #expect(policy.reason == .startup)
        let narrow = Self.started(supported: [.portraitUpsideDown, .landscapeRight], natural: .landscapeLeft, memory)
        #expect(narrow.shown == (shown == .portraitUpsideDown ? .portraitUpsideDown : .landscapeRight))
    }

    @Test(
        arguments: [
            Memory(lock: .current, held: .landscapeLeft, shown: .portrait),
            Memory(lock: .orientation(.landscapeLeft), held: .landscapeLeft, shown: .portrait),
            // A contradictory file: the lock counts.
            Memory(lock: .orientation(.landscapeLeft), held: .portraitUpsideDown, shown: .portrait),
        ]
    )
    func `a stored lock shows the held orientation, not the one of an application`(memory: Memory) {
        var policy = Self.started(memory)
        #expect(policy.shown == .landscapeLeft)
        #expect(policy.reason == .startup)
        #expect(policy.rule == .lock)
        #expect(policy.deciding { $0.turn(for: .portrait) }.transition == nil)
        #expect(policy.memory == Memory(lock: memory.lock, held: .landscapeLeft, shown: .landscapeLeft))
    }

    @Test func `a stored lock outside the configuration is kept, and the stored orientation is shown`() throws {
        let memory = Memory(lock: .orientation(.portraitUpsideDown), held: .portraitUpsideDown, shown: .landscapeLeft)
        var policy = Self.started(supported: .allButUpsideDown, memory)
        #expect(policy.shown == .landscapeLeft)
        #expect(policy.lock == memory.lock)
        #expect(policy.deciding { $0.configure(RotationConfiguration()) }.transition?.to == .portraitUpsideDown)
    }

    @Test(arguments: RotationLock.allCases)
    func `a lock is kept across restarts with what it holds`(lock: RotationLock) throws {
        var before = RotationPolicy.held(for: .landscapeRight)
        _ = try before.setLock(lock)
        try before.present(.modal, .all, preferred: .landscapeLeft)
        let after = RotationPolicy.held(for: nil, memory: before.memory)
        #expect(after.lock == lock)
        let held: InterfaceOrientation =
            switch lock {
            case .off: .landscapeLeft
            case .current: .landscapeRight
            case .orientation(let orientation): orientation
            }
        #expect(after.shown == held)
    }

    @Test func `the first reading turns the interface`() {
        var policy = Self.started(Memory(lock: .off, held: .portrait, shown: .landscapeLeft))
        let decision = policy.deciding { $0.turn(for: .portrait) }
        #expect(decision.transition == Transition(from: .landscapeLeft, to: .portrait, reason: .sensor))
    }

    @Test(arguments: [DeviceOrientation.unknown, .faceUp, .faceDown])
    func `an unknown or flat device keeps what is shown`(device: DeviceOrientation) {
        var policy = Self.started(natural: .landscapeLeft)
        #expect(policy.deciding { $0.deviceTurned(to: device) } == .unchanged(.unknown))
        #expect(policy.shown == .landscapeRight)
        policy.turn(for: .landscapeLeft)
        #expect(policy.deciding { $0.deviceTurned(to: device) } == .unchanged(.device))
        #expect(policy.shown == .landscapeLeft)
    }
}
