// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationCore

/// The conflicts of requests with the masks of device and application.
///
/// V is the mask of the request, G that of device and application together, I the intersection of both.
@Suite struct RotationPolicyConflictTests {
    /// Policies whose device and application masks have only portrait in common.
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

    // MARK: - I is empty

    @Test(arguments: presentations, Grant.allCases)
    func `with I empty a request that autorotates is refused, whatever it prefers`(
        presentation: RotationRequest.Presentation,
        grant: Grant
    ) {
        var policy = grant.policy
        for preferred in [nil, InterfaceOrientation.landscapeLeft] {
            expectRefused(
                .invalidInterfaceOrientation,
                saying: "supported: landscape cannot be shown;",
                "allow portrait only",
                by: &policy
            ) {
                try $0.present(presentation, .landscape, preferred: preferred)
            }
        }
    }

    @Test(arguments: Grant.allCases)
    func `with I empty a fixed request is shown at its preferred orientation, although G forbids it`(
        grant: Grant
    ) throws {
        var policy = grant.policy
        let id = try policy.present(.modal, .landscape, preferred: .landscapeLeft, autorotates: false)
        #expect(policy.shown == .landscapeLeft)
        #expect(policy.effectiveMask == .landscapeLeft)
        #expect(policy.rule == .preferred)
        policy.turn(for: .landscapeRight)
        #expect(policy.shown == .landscapeLeft)
        // Afterwards G counts again.
        policy.turn(for: .portrait)
        try policy.release(id)
        #expect(policy.shown == .portrait)
    }

    @Test(arguments: Grant.allCases)
    func `with I empty a fixed pushed request turns the interface only at SetNeedsUpdate`(grant: Grant) throws {
        var policy = grant.policy
        let id = try policy.present(.push, .landscape, preferred: .landscapeLeft, autorotates: false)
        #expect(policy.shown == .portrait)
        #expect(policy.effectiveMask == .landscapeLeft)
        #expect(policy.rule == .waiting)
        policy.turn(for: .landscapeRight)
        #expect(policy.shown == .portrait)
        try policy.setNeedsUpdate(id, of: "client")
        #expect(policy.shown == .landscapeLeft)
    }

    @Test(arguments: presentations, Grant.allCases)
    func `with I empty a fixed request that prefers an unsupported orientation is refused`(
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
    func `with I empty a fixed request without a preferred orientation is refused`(
        presentation: RotationRequest.Presentation,
        grant: Grant
    ) {
        var policy = grant.policy
        expectRefused(
            .invalidInterfaceOrientation,
            saying: "supported: landscape cannot be shown;",
            "no orientation is preferred",
            by: &policy
        ) {
            try $0.present(presentation, .landscape, autorotates: false)
        }
    }

    // MARK: - I is not empty

    @Test(arguments: presentations, [true, false])
    func `with I not empty a request that prefers an unsupported orientation is refused`(
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
        /// What is expected if the request does not autorotate, where that differs.
        var fixed: InterfaceOrientation?
    }

    /// Starts on a device that supports all but upside down, is held for landscape-left and shows landscape-right.
    static let beginnings = [
        Beginning(supported: .all, preferred: .portrait, expected: .portrait),
        Beginning(supported: .all, preferred: .landscapeLeft, expected: .landscapeLeft),
        // The current one: the preferred one is missing or not in G.
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
    func `with I not empty a modal request starts at preferred, current, the device's or the lowest`(
        beginning: Beginning,
        autorotates: Bool
    ) throws {
        var policy = RotationPolicy.held(for: .landscapeLeft, supported: .allButUpsideDown)
        try policy.rotate(to: .landscapeRight)
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
    func `with I not empty a pushed request turns nothing`(beginning: Beginning, autorotates: Bool) throws {
        var policy = RotationPolicy.held(for: .landscapeLeft, supported: .allButUpsideDown)
        try policy.rotate(to: .landscapeRight)
        try policy.present(
            .push,
            beginning.supported,
            preferred: beginning.preferred,
            autorotates: autorotates
        )
        #expect(policy.shown == .landscapeRight)
    }

    @Test(arguments: [true, false])
    func `with I not empty should-autorotate decides whether the device turns it within I`(autorotates: Bool) throws {
        var policy = RotationPolicy.held(supported: .allButUpsideDown)
        try policy.present(.modal, [.portrait, .portraitUpsideDown, .landscapeLeft], autorotates: autorotates)
        for upright in [InterfaceOrientation.portraitUpsideDown, .landscapeRight] {
            policy.turn(for: upright)
            #expect(policy.shown == .portrait)
        }
        policy.turn(for: .landscapeLeft)
        #expect(policy.shown == (autorotates ? .landscapeLeft : .portrait))
    }

    // MARK: - When a request is checked

    @Test func `an update is checked by the same table`() throws {
        var policy = RotationPolicy.held(supported: .portrait)
        let id = try policy.present(.modal)
        expectRefused(.invalidInterfaceOrientation, saying: "allow portrait only", by: &policy) {
            try $0.change(id) { $0.supported = .landscape }
        }
        expectRefused(.invalidInterfaceOrientation, saying: "no orientation is preferred", by: &policy) {
            try $0.change(id) {
                $0.supported = .landscape; $0.shouldAutorotate = false
            }
        }
        try policy.change(id) {
            $0.supported = .landscape; $0.shouldAutorotate = false; $0.preferred = .landscapeLeft
        }
        #expect(policy.shown == .landscapeLeft)
        expectRefused(.invalidInterfaceOrientation, saying: "allow portrait only", by: &policy) {
            try $0.change(id) { $0.shouldAutorotate = true }
        }
    }

    @Test func `a request is checked when it becomes the deciding one`() throws {
        var policy = RotationPolicy.held(supported: .portrait)
        let root = try policy.present(.modal)
        let page = try policy.present(.push, .landscape, in: root)
        let hidden = try policy.present(.modal, .landscape, in: root, active: false)
        #expect(policy.decidingID == root)
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
    func `a preferred orientation outside supported is refused for any node`(
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

    @Test func `a call that uncovers another request is never refused`() throws {
        var policy = RotationPolicy.held()
        try policy.present(.modal, .landscape)
        let sheet = try policy.present(.modal)
        policy.configure(RotationConfiguration(supported: .portrait))
        try policy.setActive(false, sheet)
        #expect(policy.effectiveMask == .portrait)
        #expect(policy.shown == .portrait)
        // The same for the target of forwards-to.
        policy = .held()
        let stack = try policy.present(.modal, .landscape)
        let page = try policy.present(.push, in: stack)
        try policy.forward(stack, to: page)
        policy.configure(RotationConfiguration(supported: .portrait))
        try policy.setActive(false, page)
        #expect(policy.decidingID == stack)
    }

    @Test func `a conflict of the deciding request does not refuse an update of another one`() throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(.modal, .landscape)
        let page = try policy.present(.push, in: root)
        policy.configure(RotationConfiguration(supported: .portrait))
        try policy.change(page) { $0.supported = .portrait }
        #expect(policy.request(page)?.supported == .portrait)
    }

    @Test func `a refused call keeps the order within a window`() throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(.modal)
        let covered = try policy.present(.modal, .landscape, in: root)
        let sheet = try policy.present(.modal, in: root)
        policy.configure(RotationConfiguration(supported: .portrait))
        expectRefused(.invalidInterfaceOrientation, saying: "allow portrait", by: &policy) {
            try $0.change(covered) { $0.parent = sheet }
        }
        #expect(policy.decidingID == sheet)
    }

    @Test func `a refused call keeps the order of the windows`() throws {
        var policy = RotationPolicy.held(masks: ["org.example.Movie": .landscape])
        let movie = try policy.present(.modal, .portrait, active: false, app: "org.example.Movie")
        let below = try policy.present(.modal)
        let active = try policy.present(.modal)
        expectRefused(.invalidInterfaceOrientation, saying: "allow landscape", by: &policy) {
            try $0.setActive(true, movie)
        }
        try policy.release(active)
        #expect(policy.decidingID == below)
    }

    // MARK: - Masks that change

    @Test(arguments: presentations)
    func `a dynamic mask that leaves nothing to an autorotating deciding request is refused`(
        presentation: RotationRequest.Presentation
    ) throws {
        var policy = RotationPolicy.held(for: .landscapeLeft)
        try policy.present(presentation, .landscape)
        try policy.setApplicationMask(.landscapeLeft, of: "org.example.App", for: "client")
        expectRefused(.invalidInterfaceOrientation, saying: "mask", "landscape", "autorotates", by: &policy) {
            try $0.setApplicationMask(.portrait, of: "org.example.App", for: "client")
        }
        #expect(policy.effectiveMask == .landscapeLeft)
    }

    @Test func `returning to a static mask that leaves nothing is refused too`() throws {
        var policy = RotationPolicy.held(masks: ["org.example.App": .portrait])
        try policy.setApplicationMask(.all, of: "org.example.App", for: "client")
        try policy.present(.modal, .landscape)
        expectRefused(.invalidInterfaceOrientation, saying: "mask", by: &policy) {
            try $0.setApplicationMask(nil, of: "org.example.App", for: "client")
        }
        #expect(policy.hasApplicationMask(of: "org.example.App", for: "client"))
    }

    @Test func `a dynamic mask that leaves nothing to a fixed node shows it at preferred, else ignores it`() throws {
        var policy = RotationPolicy.held()
        let id = try policy.present(.modal, .landscape, preferred: .landscapeLeft, autorotates: false)
        try policy.rotate(to: .landscapeRight)
        try policy.setApplicationMask(.portrait, of: "org.example.App", for: "client")
        #expect(policy.effectiveMask == .landscapeLeft)
        #expect(policy.shown == .landscapeLeft)
        try policy.setApplicationMask(nil, of: "org.example.App", for: "client")
        try policy.change(id) { $0.preferred = nil }
        try policy.setApplicationMask(.portrait, of: "org.example.App", for: "client")
        #expect(policy.effectiveMask == .portrait)
        #expect(policy.shown == .portrait)
    }

    @Test func `a dynamic mask that does not affect the deciding request is not checked and turns nothing`() throws {
        var policy = RotationPolicy.held()
        try policy.present(.modal, .portrait, app: "org.example.Other")
        try policy.present(.modal, .portrait)
        try policy.setApplicationMask(.landscape, of: "org.example.Other", for: "client")
        try policy.setApplicationMask(.landscape, of: "org.example.App", for: "stranger")
        #expect(policy.effectiveMask == .portrait)
        #expect(policy.shown == .portrait)
        try policy.present(.push, .landscape, app: "org.example.Third")
        try policy.setApplicationMask(.all, of: "org.example.Third", for: "stranger")
        try policy.setApplicationMask(.all, of: "org.example.Other", for: "client")
        #expect(policy.rule == .waiting)
    }

    @Test func `where a new configuration makes I empty, G is the effective mask`() throws {
        var policy = RotationPolicy.held(for: .landscapeLeft, masks: ["org.example.App": .landscape])
        try policy.present(.modal, .landscape)
        let configuration = RotationConfiguration(
            supported: [.portrait, .portraitUpsideDown, .landscapeLeft],
            applicationMasks: ["org.example.App": [.portraitUpsideDown, .landscapeRight]]
        )
        let decision = policy.deciding { $0.configure(configuration) }
        #expect(policy.effectiveMask == .portraitUpsideDown)
        #expect(
            decision.transition == Transition(from: .landscapeLeft, to: .portraitUpsideDown, reason: .configuration)
        )
    }

    @Test func `where a new configuration makes G empty, the device configuration is the effective mask`() throws {
        var policy = RotationPolicy.held(for: .landscapeLeft, masks: ["org.example.App": .landscape])
        try policy.present(.modal, .landscape)
        let configuration = RotationConfiguration(
            supported: [.portrait, .portraitUpsideDown],
            applicationMasks: ["org.example.App": .landscape]
        )
        policy.configure(configuration)
        #expect(policy.effectiveMask == [.portrait, .portraitUpsideDown])
        #expect(policy.shown == .portrait)
    }
}
