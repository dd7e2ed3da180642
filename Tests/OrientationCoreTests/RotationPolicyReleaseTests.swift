// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationCore

/// Events that resolve as if the device had just been turned.
@Suite struct RotationPolicyReleaseTests {
    /// Ways to remove a sheet, which shows landscape-left until then.
    enum Departure: CaseIterable {
        case release
        case releaseOfItsWindow
        case vanishing
        case deactivation
        case becomingPushed

        /// Presents the sheet above `root` and removes it.
        func perform(on policy: inout RotationPolicy, above root: RotationRequest.ID) throws -> Decision {
            let isWindow = self == .vanishing || self == .releaseOfItsWindow
            let sheet = try policy.present(
                .modal,
                .all,
                preferred: .landscapeLeft,
                in: isWindow ? nil : root,
                of: self == .vanishing ? "stranger" : "client"
            )
            #expect(policy.shown == .landscapeLeft)
            let decision = try policy.deciding { policy in
                switch self {
                case .release, .releaseOfItsWindow: try policy.release(sheet)
                case .vanishing: policy.drop("stranger")
                case .deactivation: try policy.setActive(false, sheet)
                case .becomingPushed: try policy.change(sheet) { $0.presentation = .push }
                }
            }
            #expect(policy.decidingID == root)
            return decision
        }
    }

    struct Row: Sendable {
        var supported: InterfaceOrientationMask
        var preferred: InterfaceOrientation?
        var expected: InterfaceOrientation
    }

    /// The device is held for landscape-right while landscape-left is shown.
    static let rows = [
        Row(supported: .all, preferred: .portrait, expected: .landscapeRight),
        Row(
            supported: [.portrait, .portraitUpsideDown, .landscapeLeft],
            preferred: .portrait,
            expected: .landscapeLeft
        ),
        Row(
            supported: [.portrait, .portraitUpsideDown],
            preferred: .portraitUpsideDown,
            expected: .portraitUpsideDown
        ),
        Row(supported: [.portrait, .portraitUpsideDown], expected: .portrait),
    ]

    @Test(
        arguments: Departure.allCases,
        rows
    )
    func `the device's if allowed, else the current, else the preferred, else the lowest`(
        departure: Departure,
        row: Row
    ) throws {
        var policy = RotationPolicy.held(for: .landscapeRight)
        let root = try policy.present(.modal, row.supported, preferred: row.preferred)
        let decision = try departure.perform(on: &policy, above: root)
        #expect(policy.shown == row.expected)
        #expect(decision.transition?.reason == (row.expected == .landscapeLeft ? nil : .request))
    }

    /// What replaces the device, which is held for landscape-right: here portrait-upside-down.
    enum Upright: CaseIterable {
        case lock
        case laptop
        case never
        /// The uncovered node does not autorotate: what was shown before any request returns.
        case fixed
        case unread

        func policy() throws -> RotationPolicy {
            var policy: RotationPolicy
            switch self {
            case .lock:
                policy = .held()
                try policy.setLock(.orientation(.portraitUpsideDown))
            case .laptop: policy = .laptop()
            case .never:
                policy = .held(autorotate: .never)
                try policy.rotate(to: .portraitUpsideDown)
            case .fixed: policy = .held(for: .portraitUpsideDown)
            case .unread:
                policy = .held()
                try policy.rotate(to: .portraitUpsideDown)
                policy.pause()
                policy.resume()
            }
            return policy
        }
    }

    @Test(
        arguments: Departure.allCases,
        [
            Row(supported: .all, preferred: .portrait, expected: .portraitUpsideDown),
            Row(
                supported: [.portrait, .landscapeRight, .landscapeLeft],
                preferred: .portrait,
                expected: .landscapeLeft
            ),
            Row(supported: [.portrait, .landscapeRight], preferred: .landscapeRight, expected: .landscapeRight),
            Row(supported: [.portrait, .landscapeRight], expected: .portrait),
        ]
    )
    func `where the device does not count, what replaces it, else the current, the preferred, the lowest`(
        departure: Departure,
        row: Row
    ) throws {
        for upright in Upright.allCases {
            var policy = try upright.policy()
            let root = try policy.present(
                .modal,
                row.supported,
                preferred: row.preferred,
                autorotates: upright != .fixed
            )
            if upright != .unread { policy.turn(for: .landscapeRight) }
            _ = try departure.perform(on: &policy, above: root)
            #expect(policy.shown == row.expected, "\(upright)")
        }
    }

    @Test func `releasing the last request returns to the device`() throws {
        var policy = RotationPolicy.held()
        let id = try policy.present(.modal, .landscape, preferred: .landscapeLeft, autorotates: false)
        policy.turn(for: .portraitUpsideDown)
        let decision = try policy.deciding { try $0.release(id) }
        #expect(
            decision.transition == Transition(from: .landscapeLeft, to: .portraitUpsideDown, reason: .request)
        )
        #expect(policy.rule == .device)
    }

    @Test(arguments: [true, false])
    func `preferred counts for an uncovered node only if the topmost node is modal`(
        isModal: Bool
    ) throws {
        var policy = RotationPolicy.held()
        let stack = try policy.present(isModal ? .modal : .push, .all)
        let page = try policy.present(
            .push,
            [.portrait, .portraitUpsideDown],
            preferred: .portraitUpsideDown,
            in: stack
        )
        try policy.forward(stack, to: page)
        policy.turn(for: .landscapeRight)
        let sheet = try policy.present(.modal, .all, preferred: .landscapeLeft, in: stack)
        try policy.release(sheet)
        #expect(policy.shown == (isModal ? .portraitUpsideDown : .portrait))
    }

    // MARK: - Changes of settings

    /// Changes of other settings that resolve as if the device had turned.
    enum Change: CaseIterable {
        case configuration
        case applicationMasks
        case unlocking
        case autorotateMode
        case tabletMode

        var reason: InterfaceReason {
            switch self {
            case .configuration, .applicationMasks, .autorotateMode: .configuration
            case .unlocking: .lock
            case .tabletMode: .tabletMode
            }
        }

        /// A policy before the change, on a device held for landscape-right.
        func policy() throws -> RotationPolicy {
            var policy = RotationPolicy.held(
                for: .landscapeRight,
                autorotate: self == .autorotateMode ? .never : .tabletMode
            )
            if self == .tabletMode { policy.setTabletMode(.laptop) }
            if self == .unlocking { try policy.setLock(.current) }
            return policy
        }

        func perform(on policy: inout RotationPolicy) throws {
            var configuration = policy.configuration
            switch self {
            case .configuration: configuration.laptop = .landscapeLeft
            case .applicationMasks: configuration.applicationMasks["org.example.Unheard"] = .portrait
            case .unlocking: try policy.setLock(.off)
            case .autorotateMode: policy.setAutorotate(.always)
            case .tabletMode: policy.setTabletMode(.tablet)
            }
            policy.configure(configuration)
        }
    }

    @Test(
        arguments: Change.allCases,
        rows
    )
    func `a change of settings resolves to the device's, else the current, else the preferred, else the lowest`(
        change: Change,
        row: Row
    ) throws {
        var policy = try change.policy()
        let stack = try policy.present(.modal, .all, preferred: .landscapeLeft)
        // Its page is pushed, so its mask waits for the change.
        try policy.forward(stack, to: policy.present(.push, row.supported, preferred: row.preferred, in: stack))
        #expect(policy.shown == .landscapeLeft)
        let decision = try policy.deciding { try change.perform(on: &$0) }
        #expect(policy.shown == row.expected)
        #expect(decision.transition?.reason == (row.expected == .landscapeLeft ? nil : change.reason))
    }

    @Test func `what is shown after the last request stays when the device may not decide any more`() throws {
        var policy = RotationPolicy.held()
        let id = try policy.present(.modal, .portrait)
        policy.turn(for: .landscapeLeft)
        try policy.release(id)
        #expect(policy.shown == .landscapeLeft)
        policy.setAutorotate(.never)
        #expect(policy.shown == .landscapeLeft)
    }

    @Test func `what stays after the last request, as upright is forbidden, is not turned later`() throws {
        var policy = RotationPolicy.held(supported: .allButUpsideDown)
        let id = try policy.present(.modal, .landscape)
        policy.turn(for: .portraitUpsideDown)
        try policy.release(id)
        #expect(policy.shown == .landscapeRight)
        policy.setAutorotate(.never)
        #expect(policy.shown == .landscapeRight)
    }

    @Test func `what a mask has forced ends with the request`() throws {
        var policy = RotationPolicy.held()
        let id = try policy.present(.push, .landscape)
        policy.setAutorotate(.never)
        #expect(policy.shown == .landscapeRight)
        try policy.release(id)
        #expect(policy.shown == .portrait)
    }

    @Test func `what a lock shows after the last request stays when it is lifted`() throws {
        var policy = RotationPolicy.held(autorotate: .never)
        let id = try policy.present(.modal, .landscape)
        try policy.setLock(.orientation(.portraitUpsideDown))
        try policy.release(id)
        #expect(policy.shown == .portraitUpsideDown)
        try policy.setLock(.off)
        #expect(policy.shown == .portraitUpsideDown)
    }

    @Test func `a narrower configuration turns what is shown outside it`() throws {
        var policy = RotationPolicy.held()
        let decision = policy.deciding { $0.configure(RotationConfiguration(supported: .landscape)) }
        #expect(decision.transition == Transition(from: .portrait, to: .landscapeRight, reason: .configuration))
    }

    @Test func `setting the same value again changes nothing`() throws {
        var policy = RotationPolicy.held()
        try policy.rotate(to: .landscapeLeft)
        #expect(policy.deciding { $0.configure($0.configuration) }.transition == nil)
        #expect(policy.deciding { $0.setAutorotate(.always) }.transition == nil)
        #expect(policy.deciding { $0.setTabletMode(.tablet) }.transition == nil)
        #expect(try policy.deciding { try $0.setLock(.off) }.transition == nil)
        #expect(policy.rule == .manual)
    }

    // MARK: - A rotation by hand

    @Test(arguments: Departure.allCases)
    func `an unlocked manual rotation ends when another request is uncovered`(departure: Departure) throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(.modal)
        try policy.rotate(to: .portraitUpsideDown)
        _ = try departure.perform(on: &policy, above: root)
        #expect(policy.shown == .portrait)
        #expect(policy.rule == .device)
    }

    @Test(arguments: Change.allCases.filter { $0 != .unlocking })
    func `an unlocked manual rotation ends with a change of settings`(change: Change) throws {
        var policy = try change.policy()
        try policy.rotate(to: .portraitUpsideDown)
        #expect(policy.rule == .manual)
        _ = try change.perform(on: &policy)
        #expect(policy.shown == .landscapeRight)
        #expect(policy.rule == .device)
    }

    @Test func `removing a request that does not decide changes nothing and keeps a manual rotation`() throws {
        var policy = RotationPolicy.held()
        let background = try policy.present(.modal, .landscape, of: "stranger")
        let root = try policy.present(.modal)
        let page = try policy.present(.push, in: root)
        let sheet = try policy.present(.modal, in: root, active: false)
        try policy.rotate(to: .portraitUpsideDown)
        try policy.release(page)
        try policy.release(sheet)
        _ = try policy.change(background, of: "stranger") { $0.isActive = false }
        _ = policy.drop("stranger")
        #expect(policy.shown == .portraitUpsideDown)
        #expect(policy.rule == .manual)
    }
}
