// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

/// What is refused, and what is shown, where requests contradict the masks of device and application.
///
/// A request that supports V is presented where device and application grant G, and I is what both allow.
@Suite struct RotationPolicyConflictTests {
    /// Ways to grant portrait alone.
    enum Grant: CaseIterable {
        case device
        case application
        case both

        var policy: RotationPolicy {
            switch self {
            case .device: .held(supported: .portrait)
            case .application: .held(masks: ["org.example.App": .portrait])
            case .both:
                .held(supported: .allButUpsideDown, masks: ["org.example.App": [.portrait, .portraitUpsideDown]])
            }
        }
    }

    static let presentations: [RotationRequest.Presentation] = [.modal, .push]

    // MARK: - Nothing in common

    @Test(arguments: presentations, Grant.allCases)
    func `with nothing in common one that autorotates is refused, whatever it prefers`(
        presentation: RotationRequest.Presentation,
        grant: Grant
    ) {
        var policy = grant.policy
        for preferred in [nil, InterfaceOrientation.landscapeLeft] {
            expectRefused(
                .invalidInterfaceOrientation,
                saying: "supported: landscape,",
                "allow portrait,",
                "it autorotates",
                by: &policy
            ) {
                try $0.present(presentation, .landscape, preferred: preferred)
            }
        }
    }

    @Test(arguments: Grant.allCases)
    func `with nothing in common a fixed one is shown where it prefers, though device and application forbid it`(
        grant: Grant
    ) throws {
        var policy = grant.policy
        let id = try policy.present(.modal, .landscape, preferred: .landscapeLeft, autorotates: false)
        #expect(policy.shown == .landscapeLeft)
        #expect(policy.effectiveMask == .landscapeLeft)
        #expect(policy.rule == .preferred)
        policy.turn(for: .landscapeRight)
        #expect(policy.shown == .landscapeLeft)
        // What was granted before is so again afterwards.
        policy.turn(for: .portrait)
        try policy.release(id)
        #expect(policy.shown == .portrait)
    }

    @Test(arguments: Grant.allCases)
    func `with nothing in common a fixed one that is pushed stays where it is until it asks`(grant: Grant) throws {
        var policy = grant.policy
        let id = try policy.present(.push, .landscape, preferred: .landscapeLeft, autorotates: false)
        #expect(policy.shown == .portrait)
        #expect(policy.effectiveMask == .landscapeLeft)
        #expect(policy.rule == .waiting)
        policy.turn(for: .landscapeRight)
        #expect(policy.shown == .portrait)
        _ = try policy.setNeedsUpdate(id, of: "client")
        #expect(policy.shown == .landscapeLeft)
    }

    @Test(arguments: presentations, Grant.allCases)
    func `with nothing in common a fixed one is refused that prefers what it does not support`(
        presentation: RotationRequest.Presentation,
        grant: Grant
    ) {
        var policy = grant.policy
        for preferred in [InterfaceOrientation.portrait, .portraitUpsideDown] {
            expectRefused(.invalidInterfaceOrientation, saying: "preferred: \(preferred) ", "landscape", by: &policy) {
                try $0.present(presentation, .landscape, preferred: preferred, autorotates: false)
            }
        }
    }

    @Test(arguments: presentations, Grant.allCases)
    func `with nothing in common a fixed one is refused that prefers nothing: there is nothing to show`(
        presentation: RotationRequest.Presentation,
        grant: Grant
    ) {
        var policy = grant.policy
        expectRefused(
            .invalidInterfaceOrientation,
            saying: "supported: landscape,",
            "no preferred one to show",
            by: &policy
        ) {
            try $0.present(presentation, .landscape, autorotates: false)
        }
    }

    // MARK: - Something in common

    @Test(arguments: presentations, [true, false])
    func `with something in common one is refused that prefers what it does not support`(
        presentation: RotationRequest.Presentation,
        autorotates: Bool
    ) {
        var policy = RotationPolicy.held()
        expectRefused(.invalidInterfaceOrientation, saying: "preferred: portrait ", "landscape", by: &policy) {
            try $0.present(presentation, .landscape, preferred: .portrait, autorotates: autorotates)
        }
    }

    struct Beginning: Sendable {
        var supported: InterfaceOrientationMask
        var preferred: InterfaceOrientation?
        var expected: InterfaceOrientation
        /// Where it does not autorotate the device has no say.
        var fixed: InterfaceOrientation?
    }

    /// On a device that grants all but upside down, is held for landscape-left and shows landscape-right.
    static let beginnings = [
        Beginning(supported: .all, preferred: .portrait, expected: .portrait),
        Beginning(supported: .all, preferred: .landscapeLeft, expected: .landscapeLeft),
        // The current one: nothing is preferred, or what is not granted.
        Beginning(supported: .all, expected: .landscapeRight),
        Beginning(supported: .all, preferred: .portraitUpsideDown, expected: .landscapeRight),
        // The device's.
        Beginning(
            supported: [.portrait, .portraitUpsideDown, .landscapeLeft],
            expected: .landscapeLeft,
            fixed: .portrait
        ),
        Beginning(
            supported: [.portrait, .portraitUpsideDown, .landscapeLeft],
            preferred: .portraitUpsideDown,
            expected: .landscapeLeft,
            fixed: .portrait
        ),
        // The lowest.
        Beginning(supported: [.portrait, .portraitUpsideDown], expected: .portrait),
        Beginning(
            supported: [.portrait, .portraitUpsideDown],
            preferred: .portraitUpsideDown,
            expected: .portrait
        ),
    ]

    @Test(arguments: beginnings, [true, false])
    func `with something in common it starts at the preferred, else the current, else the device's, else the lowest`(
        beginning: Beginning,
        autorotates: Bool
    ) throws {
        var policy = RotationPolicy.held(for: .landscapeLeft, supported: .allButUpsideDown)
        _ = try policy.rotate(to: .landscapeRight)
        try policy.present(
            .modal,
            beginning.supported,
            preferred: beginning.preferred,
            autorotates: autorotates
        )
        #expect(policy.shown == (autorotates ? nil : beginning.fixed) ?? beginning.expected)
        #expect(policy.effectiveMask == beginning.supported.intersection(.allButUpsideDown))
    }

    @Test(arguments: beginnings, [true, false])
    func `with something in common a pushed one stays where it is`(beginning: Beginning, autorotates: Bool) throws {
        var policy = RotationPolicy.held(for: .landscapeLeft, supported: .allButUpsideDown)
        _ = try policy.rotate(to: .landscapeRight)
        try policy.present(
            .push,
            beginning.supported,
            preferred: beginning.preferred,
            autorotates: autorotates
        )
        #expect(policy.shown == .landscapeRight)
    }

    @Test(arguments: [true, false])
    func `with something in common should-autorotate decides whether it turns within that`(autorotates: Bool) throws {
        var policy = RotationPolicy.held(supported: .allButUpsideDown)
        try policy.present(.modal, [.portrait, .portraitUpsideDown, .landscapeLeft], autorotates: autorotates)
        for upright in [InterfaceOrientation.portraitUpsideDown, .landscapeRight] {
            policy.turn(for: upright)
            #expect(policy.shown == .portrait)
        }
        policy.turn(for: .landscapeLeft)
        #expect(policy.shown == (autorotates ? .landscapeLeft : .portrait))
    }

    // MARK: - Who is judged, and when

    @Test func `an update passes the same table`() throws {
        var policy = RotationPolicy.held(supported: .portrait)
        let id = try policy.present(.modal)
        expectRefused(.invalidInterfaceOrientation, saying: "it autorotates", by: &policy) {
            try $0.change(id) { $0.supported = .landscape }
        }
        expectRefused(.invalidInterfaceOrientation, saying: "no preferred", by: &policy) {
            try $0.change(id) {
                $0.supported = .landscape; $0.shouldAutorotate = false
            }
        }
        try policy.change(id) {
            $0.supported = .landscape; $0.shouldAutorotate = false; $0.preferred = .landscapeLeft
        }
        #expect(policy.shown == .landscapeLeft)
        expectRefused(.invalidInterfaceOrientation, saying: "it autorotates", by: &policy) {
            try $0.change(id) { $0.shouldAutorotate = true }
        }
    }

    @Test func `one that is not asked is judged when it is`() throws {
        var policy = RotationPolicy.held(supported: .portrait)
        let root = try policy.present(.modal)
        let page = try policy.present(.push, .landscape, in: root)
        let hidden = try policy.present(.modal, .landscape, in: root, active: false)
        #expect(policy.asked == root)
        expectRefused(.invalidInterfaceOrientation, saying: "supported", by: &policy) {
            try $0.forward(root, to: page)
        }
        for id in [page, hidden] {
            expectRefused(.invalidInterfaceOrientation, saying: "supported", by: &policy) {
                try $0.change(id) {
                    $0.isActive = true; $0.presentation = .modal
                }
            }
        }
    }

    @Test(arguments: [RotationRequest.Presentation.modal, .push], [true, false])
    func `preferring what it does not support is refused of any node`(
        presentation: RotationRequest.Presentation,
        isActive: Bool
    ) throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(.modal)
        let page = try policy.present(presentation, .landscape, in: root, active: isActive)
        try policy.present(.modal)
        expectRefused(.invalidInterfaceOrientation, saying: "preferred", by: &policy) {
            try $0.change(page) { $0.preferred = .portrait }
        }
        expectRefused(.invalidInterfaceOrientation, saying: "preferred", by: &policy) {
            try $0.present(presentation, .landscape, preferred: .portrait, in: root, active: isActive)
        }
    }

    @Test func `what uncovers another one is never refused`() throws {
        var policy = RotationPolicy.held()
        try policy.present(.modal, .landscape)
        let sheet = try policy.present(.modal)
        _ = policy.configure(RotationConfiguration(supported: .portrait))
        try policy.setActive(false, sheet)
        #expect(policy.effectiveMask == .portrait)
        #expect(policy.shown == .portrait)
        // The same where it forwarded.
        policy = .held()
        let stack = try policy.present(.modal, .landscape)
        let page = try policy.present(.push, in: stack)
        try policy.forward(stack, to: page)
        _ = policy.configure(RotationConfiguration(supported: .portrait))
        try policy.setActive(false, page)
        #expect(policy.asked == stack)
    }

    @Test func `one that is not asked may change whatever has become of the masks of the one that is`() throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(.modal, .landscape)
        let page = try policy.present(.push, in: root)
        _ = policy.configure(RotationConfiguration(supported: .portrait))
        try policy.change(page) { $0.supported = .portrait }
        #expect(policy.request(page)?.supported == .portrait)
    }

    @Test func `a refused call leaves the order within a window`() throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(.modal)
        let covered = try policy.present(.modal, .landscape, in: root)
        let sheet = try policy.present(.modal, in: root)
        _ = policy.configure(RotationConfiguration(supported: .portrait))
        expectRefused(.invalidInterfaceOrientation, saying: "allow portrait", by: &policy) {
            try $0.change(covered) { $0.parent = sheet }
        }
        #expect(policy.asked == sheet)
    }

    @Test func `a refused call leaves the order of the windows`() throws {
        var policy = RotationPolicy.held(masks: ["org.example.Movie": .landscape])
        let movie = try policy.present(.modal, .portrait, active: false, app: "org.example.Movie")
        let below = try policy.present(.modal)
        let active = try policy.present(.modal)
        expectRefused(.invalidInterfaceOrientation, saying: "allow landscape", by: &policy) {
            try $0.setActive(true, movie)
        }
        try policy.release(active)
        #expect(policy.asked == below)
    }

    // MARK: - Masks that change

    @Test(arguments: presentations)
    func `a dynamic mask that leaves nothing to the asked node, which autorotates, is refused`(
        presentation: RotationRequest.Presentation
    ) throws {
        var policy = RotationPolicy.held(for: .landscapeLeft)
        try policy.present(presentation, .landscape)
        _ = try policy.setApplicationMask(.landscapeLeft, of: "org.example.App", for: "client")
        expectRefused(.invalidInterfaceOrientation, saying: "mask", "landscape", "autorotates", by: &policy) {
            try $0.setApplicationMask(.portrait, of: "org.example.App", for: "client")
        }
        #expect(policy.effectiveMask == .landscapeLeft)
    }

    @Test func `returning to a static mask that leaves nothing is refused too`() throws {
        var policy = RotationPolicy.held(masks: ["org.example.App": .portrait])
        _ = try policy.setApplicationMask(.all, of: "org.example.App", for: "client")
        try policy.present(.modal, .landscape)
        expectRefused(.invalidInterfaceOrientation, saying: "mask", by: &policy) {
            try $0.setApplicationMask(nil, of: "org.example.App", for: "client")
        }
        #expect(policy.hasApplicationMask(of: "org.example.App", for: "client"))
    }

    @Test func `a dynamic mask that leaves nothing to a fixed node shows it where it prefers, or else binds`() throws {
        var policy = RotationPolicy.held()
        let id = try policy.present(.modal, .landscape, preferred: .landscapeLeft, autorotates: false)
        _ = try policy.rotate(to: .landscapeRight)
        _ = try policy.setApplicationMask(.portrait, of: "org.example.App", for: "client")
        #expect(policy.effectiveMask == .landscapeLeft)
        #expect(policy.shown == .landscapeLeft)
        _ = try policy.setApplicationMask(nil, of: "org.example.App", for: "client")
        try policy.change(id) { $0.preferred = nil }
        _ = try policy.setApplicationMask(.portrait, of: "org.example.App", for: "client")
        #expect(policy.effectiveMask == .portrait)
        #expect(policy.shown == .portrait)
    }

    @Test func `a dynamic mask that is not about the asked node is not judged and turns nothing`() throws {
        var policy = RotationPolicy.held()
        try policy.present(.modal, .portrait, app: "org.example.Other")
        try policy.present(.modal, .portrait)
        _ = try policy.setApplicationMask(.landscape, of: "org.example.Other", for: "client")
        _ = try policy.setApplicationMask(.landscape, of: "org.example.App", for: "stranger")
        #expect(policy.effectiveMask == .portrait)
        #expect(policy.shown == .portrait)
        try policy.present(.push, .landscape, app: "org.example.Third")
        _ = try policy.setApplicationMask(.all, of: "org.example.Third", for: "stranger")
        _ = try policy.setApplicationMask(.all, of: "org.example.Other", for: "client")
        #expect(policy.rule == .waiting)
    }

    @Test func `where a new configuration leaves nothing in common, what device and application grant counts`() throws {
        var policy = RotationPolicy.held(for: .landscapeLeft, masks: ["org.example.App": .landscape])
        try policy.present(.modal, .landscape)
        let configuration = RotationConfiguration(
            supported: [.portrait, .portraitUpsideDown, .landscapeLeft],
            applicationMasks: ["org.example.App": [.portraitUpsideDown, .landscapeRight]]
        )
        let decision = policy.configure(configuration)
        #expect(policy.effectiveMask == .portraitUpsideDown)
        #expect(
            decision.transition == Transition(from: .landscapeLeft, to: .portraitUpsideDown, reason: .configuration)
        )
    }

    @Test func `where a new configuration grants the application nothing, the device's counts`() throws {
        var policy = RotationPolicy.held(for: .landscapeLeft, masks: ["org.example.App": .landscape])
        try policy.present(.modal, .landscape)
        let configuration = RotationConfiguration(
            supported: [.portrait, .portraitUpsideDown],
            applicationMasks: ["org.example.App": .landscape]
        )
        _ = policy.configure(configuration)
        #expect(policy.effectiveMask == [.portrait, .portraitUpsideDown])
        #expect(policy.shown == .portrait)
    }
}
