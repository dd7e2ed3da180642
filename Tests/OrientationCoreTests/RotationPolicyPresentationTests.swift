// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationCore

/// How requests turn the interface when they are presented, pushed or updated.
@Suite struct RotationPolicyPresentationTests {
    // MARK: - Preferred

    @Test func `preferred counts when a modal node is presented, and only then`() throws {
        var policy = RotationPolicy.held()
        let id = try policy.present(.modal, .all, preferred: .landscapeLeft)
        #expect(policy.shown == .landscapeLeft)
        try policy.change(id) { $0.preferred = .portraitUpsideDown }
        try policy.setNeedsUpdate(id, of: "client")
        #expect(policy.shown == .landscapeLeft)
        policy.turn(for: .landscapeRight)
        #expect(policy.shown == .landscapeRight)
        try policy.setActive(false, id)
        try policy.setActive(true, id)
        #expect(policy.shown == .portraitUpsideDown)
    }

    @Test func `a modal node without a preference starts in the current orientation`() throws {
        var policy = RotationPolicy.held()
        try policy.rotate(to: .landscapeLeft)
        try policy.present(.modal)
        #expect(policy.shown == .landscapeLeft)
    }

    // MARK: - Pushing

    /// Ways to push a landscape page, which prefers landscape-left, onto a portrait one.
    enum Push: CaseIterable {
        case window
        case activation
        case forwarding
        case presentationOfAnother
        case activationOfTheTarget

        /// Pushes and returns the page.
        func perform(on policy: inout RotationPolicy) throws -> RotationRequest.ID {
            func page(
                _ policy: inout RotationPolicy,
                in parent: RotationRequest.ID? = nil,
                active: Bool = true
            ) throws -> RotationRequest.ID {
                try policy.present(.push, .landscape, preferred: .landscapeLeft, in: parent, active: active)
            }
            switch self {
            case .window: return try page(&policy)
            case .activation:
                let page = try page(&policy, active: false)
                try policy.setActive(true, page)
                return page
            case .forwarding:
                let stack = try policy.present(.modal, .portrait)
                let page = try page(&policy, in: stack)
                try policy.forward(stack, to: page)
                return page
            case .presentationOfAnother:
                let page = try page(&policy, active: true)
                try policy.present(.push, .landscape, in: page)
                return page
            case .activationOfTheTarget:
                let stack = try policy.present(.modal, .portrait)
                let page = try page(&policy, in: stack, active: false)
                try policy.forward(stack, to: page)
                try policy.setActive(true, page)
                return page
            }
        }
    }

    @Test(arguments: Push.allCases)
    func `a push never turns the interface, even if the pushed node does not support what is shown`(push: Push) throws {
        var policy = RotationPolicy.held()
        try policy.present(.modal, .portrait)
        let page = try push.perform(on: &policy)
        #expect(policy.decidingID == page)
        #expect(policy.effectiveMask == .landscape)
        #expect(policy.shown == .portrait)
        #expect(policy.rule == .waiting)
    }

    @Test(arguments: Push.allCases)
    func `a pushed node turns the interface at the next turn of the device, to whichever edge`(push: Push) throws {
        for upright in [InterfaceOrientation.landscapeRight, .landscapeLeft] {
            var policy = RotationPolicy.held()
            _ = try push.perform(on: &policy)
            let decision = policy.deciding { $0.turn(for: upright) }
            #expect(decision.transition == Transition(from: .portrait, to: upright, reason: .sensor))
        }
        var policy = RotationPolicy.held()
        _ = try push.perform(on: &policy)
        #expect(policy.deciding { $0.turn(for: .portraitUpsideDown) }.transition?.to.isLandscape == true)
    }

    @Test(arguments: Push.allCases)
    func `a pushed node waits until Rotate`(push: Push) throws {
        var policy = RotationPolicy.held()
        _ = try push.perform(on: &policy)
        #expect(try policy.deciding { try $0.rotate(to: .landscapeRight) }.transition?.to == .landscapeRight)
    }

    @Test(arguments: Push.allCases)
    func `a pushed node waits until SetNeedsUpdate`(push: Push) throws {
        var policy = RotationPolicy.held()
        let page = try push.perform(on: &policy)
        let decision = try policy.deciding { try $0.setNeedsUpdate(page, of: "client") }
        #expect(decision.transition?.to.isLandscape == true)
        #expect(decision.transition?.reason == .request)
    }

    @Test(arguments: Push.allCases)
    func `an Update never turns the interface for a pushed node, whichever node is updated`(push: Push) throws {
        var policy = RotationPolicy.held()
        let page = try push.perform(on: &policy)
        for id in policy.requests {
            #expect(try policy.deciding { try $0.change(id) { $0.reason = "again" } } == .unchanged(.waiting))
        }
        #expect(try policy.deciding { try $0.change(page) { $0.supported = .landscapeLeft } } == .unchanged(.waiting))
    }

    @Test func `an Update never turns the interface for a pushed container that answers for itself again`() throws {
        var policy = RotationPolicy.held()
        let tabs = try policy.present(.modal, .portrait)
        let stack = try policy.present(.push, .landscape, in: tabs)
        let page = try policy.present(.push, .portrait, in: stack)
        try policy.forward(stack, to: page)
        try policy.forward(tabs, to: stack)
        #expect(try policy.deciding { try $0.forward(stack, to: nil) } == .unchanged(.waiting))
    }

    @Test func `an Update that forwards to a modal node turns the interface, and one to a pushed node does not`() throws
    {
        for presentation in [RotationRequest.Presentation.modal, .push] {
            var policy = RotationPolicy.held()
            let page = try policy.present(presentation, .landscape, active: false)
            try policy.setActive(true, page)
            let stack = try policy.present(.modal, .portrait)
            let decision = try policy.deciding { try $0.forward(stack, to: page) }
            #expect(policy.decidingID == page)
            let transition = Transition(from: .portrait, to: .landscapeRight, reason: .request)
            #expect(decision.transition == (presentation == .modal ? transition : nil))
        }
    }

    @Test func `an Update of parent that hides the target of forwards-to is checked and keeps what is shown`()
        throws
    {
        for supported in [InterfaceOrientationMask.all, .portrait] {
            var policy = RotationPolicy.held()
            let closed = try policy.present(.modal, active: false)
            let stack = try policy.present(.modal, supported)
            let page = try policy.present(.push, .all, in: stack)
            try policy.forward(stack, to: page)
            try policy.rotate(to: .landscapeLeft)
            let decision = try policy.deciding { try $0.change(page) { $0.parent = closed } }
            #expect(policy.decidingID == stack)
            // An allowed orientation stays, and so does the rotation by hand.
            if supported == .all {
                #expect(decision == .unchanged(.manual))
            } else {
                #expect(decision.transition == Transition(from: .landscapeLeft, to: .portrait, reason: .request))
            }
        }
        var policy = RotationPolicy.held()
        let closed = try policy.present(.modal, active: false)
        let stack = try policy.present(.modal, .landscape)
        let page = try policy.present(.push, .all, in: stack)
        try policy.forward(stack, to: page)
        policy.configure(RotationConfiguration(supported: .portrait))
        expectRefused(.invalidInterfaceOrientation, saying: "allow portrait", by: &policy) {
            try $0.change(page) { $0.parent = closed }
        }
    }

    @Test func `a node that was pushed is never asked what it prefers`() throws {
        var policy = RotationPolicy.held()
        let page = try Push.window.perform(on: &policy)
        try policy.setNeedsUpdate(page, of: "client")
        #expect(policy.shown == .landscapeRight)
        policy.turn(for: .landscapeLeft)
        policy.turn(for: .landscapeRight)
        try policy.setActive(false, page)
        try policy.setActive(true, page)
        #expect(policy.shown == .landscapeRight)
    }

    @Test func `a modal container that answers for itself again turns the interface to what it supports`() throws {
        var policy = RotationPolicy.held()
        let stack = try policy.present(.modal, .portrait)
        let page = try policy.present(.push, .landscape, in: stack)
        try policy.forward(stack, to: page)
        try policy.setNeedsUpdate(page, of: "client")
        #expect(policy.shown == .landscapeRight)
        let decision = try policy.deciding { try $0.forward(stack, to: nil) }
        #expect(decision.transition == Transition(from: .landscapeRight, to: .portrait, reason: .request))
    }

    @Test func `SetNeedsUpdate counts only for the deciding request and those that forward to it`() throws {
        var policy = RotationPolicy.held()
        let background = try policy.present(.modal, .portrait)
        let stack = try policy.present(.modal, .portrait)
        let page = try policy.present(.push, .landscape, in: stack)
        let other = try policy.present(.push, .landscape, in: stack)
        try policy.forward(stack, to: page)
        for id in [background, other] {
            #expect(try policy.deciding { try $0.setNeedsUpdate(id, of: "client") }.transition == nil)
        }
        #expect(try policy.deciding { try $0.setNeedsUpdate(stack, of: "client") }.transition?.to == .landscapeRight)
    }

    // MARK: - The order of choice

    struct Row: Sendable {
        /// What is allowed after the call.
        var mask: InterfaceOrientationMask
        var expected: InterfaceOrientation
    }

    /// Calls that keep what is shown while it is allowed.
    enum Call: CaseIterable {
        case update
        case setNeedsUpdate
        case applicationMask
        case presentation
        case activation

        /// Reduces the effective mask to `mask` by narrowing the deciding request or by covering it.
        func perform(
            on policy: inout RotationPolicy,
            root: RotationRequest.ID,
            _ mask: InterfaceOrientationMask,
            autorotates: Bool = true
        ) throws {
            // Preferred counts last but one for an update, and first for a modal node that is presented.
            let preferred: InterfaceOrientation? = mask.contains(.portrait) ? .portrait : nil
            switch self {
            case .update:
                try policy.change(root) {
                    $0.supported = mask; $0.preferred = preferred
                }
            case .setNeedsUpdate:
                let page = try policy.present(
                    .push,
                    mask,
                    preferred: preferred,
                    autorotates: autorotates,
                    in: root
                )
                try policy.forward(root, to: page)
                try policy.setNeedsUpdate(root, of: "client")
            case .applicationMask:
                try policy.change(root) { $0.preferred = preferred }
                try policy.setApplicationMask(mask, of: "org.example.App", for: "client")
            case .presentation: try policy.present(.modal, mask, autorotates: autorotates, in: root)
            case .activation:
                let sheet = try policy.present(.modal, mask, autorotates: autorotates, in: root, active: false)
                try policy.setActive(true, sheet)
            }
        }
    }

    /// What comes before the device's edge or replaces it; here portrait-upside-down.
    enum Upright: CaseIterable {
        case lock
        case laptop
        case never
        /// The asked node does not autorotate.
        case fixed

        /// A policy in that state, before the device is turned for landscape-right.
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
            }
            return policy
        }
    }

    @Test(
        arguments: Call.allCases,
        [
            Row(mask: .all, expected: .portrait),
            Row(mask: [.portraitUpsideDown, .landscape], expected: .landscapeRight),
            Row(mask: [.portraitUpsideDown, .landscapeLeft], expected: .portraitUpsideDown),
        ]
    )
    func `what is shown is kept while allowed, else the device's, else the lowest`(
        call: Call,
        row: Row
    ) throws {
        var policy = RotationPolicy.held(for: .landscapeRight)
        try policy.rotate(to: .portraitUpsideDown)
        let root = try policy.present(.modal, .all, preferred: .portrait)
        try call.perform(on: &policy, root: root, row.mask)
        #expect(policy.shown == row.expected)
    }

    @Test(arguments: Call.allCases, Upright.allCases)
    func `laptop mode comes before the device; a lock, never and a fixed node exclude the device`(
        call: Call,
        upright: Upright
    ) throws {
        let rows = [
            Row(mask: .all, expected: .landscapeLeft),
            Row(mask: [.portrait, .portraitUpsideDown, .landscapeRight], expected: .portraitUpsideDown),
            Row(mask: [.portrait, .landscapeRight], expected: upright == .laptop ? .landscapeRight : .portrait),
            Row(mask: .portrait, expected: .portrait),
        ]
        for row in rows {
            var policy = try upright.policy()
            let autorotates = upright != .fixed
            let root = try policy.present(.modal, .all, preferred: .landscapeLeft, autorotates: autorotates)
            policy.turn(for: .landscapeRight)
            try call.perform(on: &policy, root: root, row.mask, autorotates: autorotates)
            #expect(policy.shown == row.expected, "within \(row.mask)")
        }
    }

    @Test(arguments: Call.allCases)
    func `without a reading, what was shown before the request comes first`(call: Call) throws {
        var policy = RotationPolicy.held(for: nil)
        try policy.rotate(to: .portraitUpsideDown)
        let root = try policy.present(.modal, .all, preferred: .landscapeLeft)
        try call.perform(on: &policy, root: root, [.portrait, .portraitUpsideDown])
        #expect(policy.shown == .portraitUpsideDown)
    }

    /// With landscape-left preferred.
    @Test(
        arguments: [Call.update, .setNeedsUpdate, .applicationMask],
        [
            Row(mask: .all, expected: .portrait),
            Row(mask: [.portraitUpsideDown, .landscape], expected: .landscapeRight),
            Row(mask: [.portraitUpsideDown, .landscapeLeft], expected: .landscapeLeft),
        ]
    )
    func `preferred comes after the device's and before the lowest`(
        call: Call,
        row: Row
    ) throws {
        var policy = RotationPolicy.held(for: .landscapeRight)
        let root = try policy.present(.modal, .all, preferred: .landscapeLeft)
        try policy.rotate(to: .portrait)
        switch call {
        case .update: try policy.change(root) { $0.supported = row.mask }
        case .setNeedsUpdate:
            let page = try policy.present(.push, row.mask, preferred: .landscapeLeft, in: root)
            try policy.forward(root, to: page)
            try policy.setNeedsUpdate(page, of: "client")
        default: try policy.setApplicationMask(row.mask, of: "org.example.App", for: "client")
        }
        #expect(policy.shown == row.expected)
    }
}
