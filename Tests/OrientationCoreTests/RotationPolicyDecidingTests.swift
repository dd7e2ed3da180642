// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationCore

/// Who may say which orientations are supported, and which request decides.
@Suite struct RotationPolicyDecidingTests {
    // MARK: - Masks

    @Test func `no request can widen the device configuration`() throws {
        var policy = RotationPolicy.held(supported: .allButUpsideDown)
        try policy.present(.modal, .all)
        #expect(policy.effectiveMask == .allButUpsideDown)
        policy.turn(for: .portraitUpsideDown)
        #expect(policy.shown == .portrait)
    }

    @Test func `without a request a root that supports all and autorotates decides`() {
        var policy = RotationPolicy.held(for: .landscapeLeft, supported: .landscape)
        #expect(policy.decidingRequest == nil)
        #expect(policy.effectiveMask == .landscape)
        #expect(policy.shown == .landscapeLeft)
        #expect(policy.deciding { $0.turn(for: .landscapeRight) }.transition?.reason == .sensor)
    }

    @Test func `the effective mask is that of the device, the application and the deciding request together`() throws {
        var policy = RotationPolicy.held(
            supported: .allButUpsideDown,
            masks: ["org.example.App": [.portraitUpsideDown, .landscape], "org.example.Other": .portrait]
        )
        try policy.present(.modal, [.portrait, .portraitUpsideDown, .landscapeLeft])
        #expect(policy.effectiveMask == .landscapeLeft)
    }

    @Test func `SetApplicationMask replaces the static mask, and 0 returns to it`() throws {
        var policy = RotationPolicy.held(masks: ["org.example.App": .portrait])
        try policy.present(.modal)
        #expect(policy.effectiveMask == .portrait)
        try policy.setApplicationMask(.landscape, of: "org.example.App", for: "client")
        #expect(policy.effectiveMask == .landscape)
        #expect(policy.hasApplicationMask(of: "org.example.App", for: "client"))
        try policy.setApplicationMask(nil, of: "org.example.App", for: "client")
        #expect(policy.effectiveMask == .portrait)
        #expect(!policy.hasApplicationMask(of: "org.example.App", for: "client"))
    }

    @Test func `SetApplicationMask binds only nodes of the calling connection and of that application`() throws {
        var policy = RotationPolicy.held()
        try policy.setApplicationMask(.portrait, of: "org.example.App", for: "stranger")
        try policy.setApplicationMask(.portrait, of: "org.example.Other", for: "client")
        try policy.present(.modal)
        #expect(policy.effectiveMask == .all)
    }

    @Test func `a dynamic mask is removed with its connection`() throws {
        var policy = RotationPolicy.held()
        try policy.setApplicationMask(.portrait, of: "org.example.App", for: "client")
        _ = policy.drop("client")
        try policy.present(.modal)
        #expect(policy.effectiveMask == .all)
    }

    @Test func `a dynamic mask that forbids what is shown turns the interface`() throws {
        var policy = RotationPolicy.held()
        try policy.present(.modal)
        let decision = try policy.deciding {
            try $0.setApplicationMask(.landscapeLeft, of: "org.example.App", for: "client")
        }
        #expect(decision.transition == Transition(from: .portrait, to: .landscapeLeft, reason: .request))
    }

    @Test(arguments: [0, 1, 32, 62, UInt32.max])
    func `a mask of 0, or with any other bit, is an error`(bits: UInt32) throws {
        var policy = RotationPolicy.held()
        let id = try policy.present(.modal)
        let mask = InterfaceOrientationMask(rawValue: bits)
        expectRefused(.invalidArgument, saying: "supported", by: &policy) {
            try $0.present(.modal, mask)
        }
        expectRefused(.invalidArgument, saying: "supported", by: &policy) {
            try $0.change(id) { $0.supported = mask }
        }
        expectRefused(.invalidArgument, saying: "mask", by: &policy) {
            try $0.setApplicationMask(mask, of: "org.example.App", for: "client")
        }
    }

    // MARK: - The topmost

    @Test func `a root is modal and a child pushed, unless they say otherwise`() {
        #expect(RotationRequest(appID: "", supported: .all).presentation == .modal)
        #expect(RotationRequest(appID: "", supported: .all, parent: 1).presentation == .push)
        #expect(RotationRequest(appID: "", supported: .all, presentation: .push).presentation == .push)
        #expect(RotationRequest(appID: "", supported: .all, presentation: .modal, parent: 1).presentation == .modal)
    }

    @Test func `the topmost active modal node decides, however deep`() throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(.modal)
        let page = try policy.present(.push, in: root)
        #expect(policy.decidingID == root)
        let sheet = try policy.present(.modal, in: page)
        #expect(policy.decidingID == sheet)
        try policy.present(.push, in: sheet)
        #expect(policy.decidingID == sheet)
        let second = try policy.present(.modal, in: sheet)
        #expect(policy.decidingID == second)
        try policy.release(sheet)
        #expect(policy.decidingID == root)
    }

    @Test(arguments: [RotationRequest.Presentation.modal, .push])
    func `without a modal node the root decides`(presentation: RotationRequest.Presentation) throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(presentation, .portrait)
        try policy.present(.push, .landscape, in: root)
        #expect(policy.decidingID == root)
        #expect(policy.effectiveMask == .portrait)
    }

    @Test func `ancestors do not restrict the deciding request`() throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(.modal, .portrait, autorotates: false)
        try policy.present(.modal, .landscape, in: root)
        #expect(policy.effectiveMask == .landscape)
        policy.turn(for: .landscapeLeft)
        #expect(policy.shown == .landscapeLeft)
    }

    @Test func `of several modal nodes in a window the one presented or activated last is on top`() throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(.modal)
        let page = try policy.present(.push, in: root)
        let first = try policy.present(.modal, in: root)
        let second = try policy.present(.modal, in: page)
        #expect(policy.decidingID == second)
        try policy.setActive(false, first)
        try policy.setActive(true, first)
        #expect(policy.decidingID == first)
        try policy.setActive(false, page)
        try policy.setActive(true, page)
        #expect(policy.decidingID == second)
    }

    // The branch of a released modal node stayed above modal nodes that were presented later than its other nodes.
    @Test func `releasing a modal node uncovers the one that was presented before it`() throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(.modal)
        let page = try policy.present(.push, in: root)
        try policy.present(.modal, in: page)
        let sheet = try policy.present(.modal, in: root)
        let last = try policy.present(.modal, in: page)
        #expect(policy.decidingID == last)
        try policy.release(last)
        #expect(policy.decidingID == sheet)
    }

    // MARK: - Windows

    @Test func `the active window is the root presented or activated last, whoever's it is`() throws {
        var policy = RotationPolicy.held()
        let first = try policy.present(.modal, of: "client")
        let second = try policy.present(.push, of: "stranger")
        #expect(policy.decidingID == second)
        try policy.setActive(false, first)
        #expect(policy.decidingID == second)
        try policy.setActive(true, first)
        #expect(policy.decidingID == first)
    }

    @Test func `a modal node presented in a background window turns nothing`() throws {
        var policy = RotationPolicy.held()
        let background = try policy.present(.modal)
        let active = try policy.present(.modal)
        let sheet = try policy.present(.modal, .landscape, in: background)
        #expect(policy.decidingID == active)
        #expect(policy.shown == .portrait)
        try policy.release(active)
        #expect(policy.decidingID == sheet)
        #expect(policy.shown.isLandscape)
    }

    // It became the active window.
    @Test func `a background window that becomes modal stays in the background`() throws {
        var policy = RotationPolicy.held()
        let background = try policy.present(.push, .landscape)
        let active = try policy.present(.modal)
        try policy.change(background) { $0.presentation = .modal }
        #expect(policy.decidingID == active)
        #expect(policy.shown == .portrait)
    }

    @Test func `making a modal node active presents it`() throws {
        var policy = RotationPolicy.held()
        try policy.present(.modal)
        let player = try policy.present(.modal, .all, preferred: .landscapeLeft, active: false)
        #expect(policy.shown == .portrait)
        let decision = try policy.deciding { try $0.setActive(true, player) }
        #expect(policy.decidingID == player)
        #expect(decision.transition == Transition(from: .portrait, to: .landscapeLeft, reason: .request))
    }

    @Test func `making an active node modal presents it`() throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(.modal)
        let player = try policy.present(.push, .all, preferred: .landscapeLeft, in: root)
        try policy.present(.modal, .all, in: root)
        try policy.change(player) { $0.presentation = .modal }
        #expect(policy.decidingID == player)
        #expect(policy.shown == .landscapeLeft)
    }

    // MARK: - Activity

    @Test func `inactive nodes take no part`() throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(.modal)
        let before = PolicyState(of: policy)
        let sheet = try policy.present(.modal, .landscape, preferred: .landscapeLeft, in: root, active: false)
        let window = try policy.present(.modal, .landscape, active: false)
        for id in [sheet, window] {
            try policy.change(id) {
                $0.supported = .portraitUpsideDown; $0.preferred = nil
            }
            try policy.setNeedsUpdate(id, of: "client")
        }
        #expect(PolicyState(of: policy).shows(as: before))
        try policy.release(sheet)
        try policy.release(window)
        #expect(PolicyState(of: policy) == before)
    }

    @Test func `an inactive node hides all below it`() throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(.modal)
        let page = try policy.present(.push, in: root)
        let sheet = try policy.present(.modal, .landscape, in: page)
        #expect(policy.decidingID == sheet)
        try policy.setActive(false, page)
        #expect(policy.decidingID == root)
        #expect(policy.shown == .portrait)
        try policy.present(.modal, .landscape, in: page)
        #expect(policy.decidingID == root)
        try policy.setActive(false, root)
        #expect(policy.decidingID == nil)
    }

    // Descendants of an inactive node were counted, so the sensor ran for nobody.
    @Test func `the sensor is needed by active nodes that autorotate, and not by those that are hidden`() throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(.modal, autorotates: false)
        let page = try policy.present(.push, in: root)
        try policy.present(.push, in: page)
        try policy.present(.modal, active: false)
        #expect(policy.autorotatingRequests == 2)
        try policy.change(root) { $0.shouldAutorotate = true }
        #expect(policy.autorotatingRequests == 3)
        try policy.setActive(false, page)
        #expect(policy.autorotatingRequests == 1)
        try policy.present(.push, in: page)
        #expect(policy.autorotatingRequests == 1)
        try policy.setActive(true, page)
        #expect(policy.autorotatingRequests == 4)
        try policy.release(root)
        #expect(policy.autorotatingRequests == 0)
    }

    // MARK: - Containers

    @Test func `a container answers for its children unless it forwards to its top or selected child`() throws {
        var policy = RotationPolicy.held()
        let tabs = try policy.present(.modal, .portrait)
        let map = try policy.present(.push, .landscape, in: tabs)
        let list = try policy.present(.push, .all, in: tabs)
        #expect(policy.decidingID == tabs)
        try policy.forward(tabs, to: map)
        #expect(policy.decidingID == map)
        try policy.forward(tabs, to: list)
        #expect(policy.decidingID == list)
        try policy.forward(tabs, to: nil)
        #expect(policy.decidingID == tabs)
    }

    @Test func `forwarding covers supported`() throws {
        var policy = RotationPolicy.held()
        let stack = try policy.present(.modal, .portrait)
        try policy.forward(stack, to: policy.present(.push, .landscape, in: stack))
        #expect(policy.effectiveMask == .landscape)
    }

    @Test(arguments: [true, false])
    func `forwarding covers should-autorotate`(autorotates: Bool) throws {
        var policy = RotationPolicy.held()
        let stack = try policy.present(.modal, autorotates: !autorotates)
        try policy.forward(stack, to: policy.present(.push, autorotates: autorotates, in: stack))
        policy.turn(for: .landscapeLeft)
        #expect(policy.shown == (autorotates ? .landscapeLeft : .portrait))
    }

    @Test func `forwarding covers preferred, where the container is presented modally`() throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(.modal)
        let stack = try policy.present(.modal, .all, preferred: .portraitUpsideDown, in: root, active: false)
        let page = try policy.present(.push, .all, preferred: .landscapeLeft, in: stack)
        try policy.forward(stack, to: page)
        try policy.setActive(true, stack)
        #expect(policy.decidingID == page)
        #expect(policy.shown == .landscapeLeft)
    }

    @Test func `forwarding may nest, and may lead to any node of the caller's`() throws {
        var policy = RotationPolicy.held()
        let tabs = try policy.present(.modal)
        let stack = try policy.present(.push, in: tabs)
        let page = try policy.present(.push, .landscape, in: stack)
        try policy.forward(tabs, to: stack)
        #expect(policy.decidingID == stack)
        try policy.forward(stack, to: page)
        #expect(policy.decidingID == page)
        try policy.forward(tabs, to: page)
        #expect(policy.decidingID == page)
        let other = try policy.present(.modal, forwardsTo: page)
        #expect(policy.decidingID == page)
        try policy.release(other)
        #expect(policy.decidingID == page)
    }

    @Test(arguments: ["inactive", "released", "within an inactive one", "within a released one"])
    func `forwarding lapses at an inactive or released child`(lapse: String) throws {
        var policy = RotationPolicy.held()
        let tabs = try policy.present(.modal)
        let stack = try policy.present(.push, in: tabs)
        let page = try policy.present(.push, .landscape, in: stack)
        try policy.forward(tabs, to: page)
        #expect(policy.decidingID == page)
        switch lapse {
        case "inactive": try policy.setActive(false, page)
        case "released": try policy.release(page)
        case "within an inactive one": try policy.setActive(false, stack)
        default: try policy.release(stack)
        }
        #expect(policy.decidingID == tabs)
    }

    // Every later update was refused because of the unchanged forwards-to.
    @Test func `a container whose child was released can still be updated`() throws {
        var policy = RotationPolicy.held()
        let stack = try policy.present(.modal)
        let page = try policy.present(.push, in: stack)
        try policy.forward(stack, to: page)
        try policy.release(page)
        try policy.change(stack) { $0.supported = .landscape }
        #expect(policy.effectiveMask == .landscape)
        expectRefused(.invalidArgument, saying: "forwards-to", by: &policy) {
            try $0.present(.modal, forwardsTo: page)
        }
    }

    // MARK: - Trees

    @Test func `parent and forwards-to must be the caller's own nodes`() throws {
        var policy = RotationPolicy.held()
        let own = try policy.present(.modal)
        let strangers = try policy.present(.modal, of: "stranger")
        for target in [strangers, 9999] {
            expectRefused(.invalidArgument, saying: "parent", by: &policy) {
                try $0.present(.push, in: target)
            }
            expectRefused(.invalidArgument, saying: "parent", by: &policy) {
                try $0.change(own) { $0.parent = target }
            }
            expectRefused(.invalidArgument, saying: "forwards-to", by: &policy) {
                try $0.present(.modal, forwardsTo: target)
            }
            expectRefused(.invalidArgument, saying: "forwards-to", by: &policy) {
                try $0.forward(own, to: target)
            }
        }
    }

    @Test func `parent and forwards-to must make no cycle`() throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(.modal)
        let page = try policy.present(.push, in: root)
        let leaf = try policy.present(.push, in: page)
        try policy.forward(root, to: page)
        try policy.forward(page, to: leaf)
        for id in [root, page, leaf] {
            expectRefused(.invalidArgument, saying: "parent", by: &policy) {
                try $0.change(root) { $0.parent = id }
            }
            expectRefused(.invalidArgument, saying: "forwards-to", by: &policy) {
                try $0.forward(leaf, to: id)
            }
        }
    }

    @Test func `a request that moves to another parent becomes the topmost there`() throws {
        var policy = RotationPolicy.held()
        let background = try policy.present(.modal)
        let active = try policy.present(.modal)
        let sheet = try policy.present(.modal, .landscape, in: background)
        let covered = try policy.present(.modal, in: active)
        #expect(policy.decidingID == covered)
        try policy.change(sheet) { $0.parent = active }
        #expect(policy.decidingID == sheet)
        #expect(policy.shown.isLandscape)
        // Moving it away uncovers the other one.
        let decision = try policy.deciding { try $0.change(sheet) { $0.parent = background } }
        #expect(policy.decidingID == covered)
        #expect(decision.transition?.to == .portrait)
        try policy.release(background)
        #expect(policy.requests == [active, covered])
    }

    // Each refused call used up one of 2^32 ids, and the next one after the last ended orientd.
    @Test func `refused requests use up no ids`() throws {
        var policy = RotationPolicy.held(supported: .portrait)
        let first = try policy.present(.modal)
        expectRefused(.invalidInterfaceOrientation, by: &policy) { try $0.present(.modal, .landscape) }
        #expect(try policy.present(.modal) == first + 1)
    }

    @Test func `releasing a node releases its descendants`() throws {
        var policy = RotationPolicy.held()
        let root = try policy.present(.modal)
        let page = try policy.present(.push, in: root)
        let leaf = try policy.present(.modal, in: page)
        let other = try policy.present(.push, in: root)
        #expect(try policy.release(page, of: "client") == [page, leaf])
        #expect(policy.requests == [root, other])
        expectRefused(.unknownRequest, by: &policy) { try $0.release(leaf) }
    }

    @Test func `only the requests of a closed connection are released`() throws {
        var policy = RotationPolicy.held()
        let strangers = try policy.present(.modal, of: "stranger")
        let root = try policy.present(.modal)
        let page = try policy.present(.push, in: root)
        #expect(policy.drop("client") == [root, page])
        #expect(policy.requests == [strangers])
        #expect(policy.decidingID == strangers)
    }

    @Test func `a request belongs to the connection that made it`() throws {
        var policy = RotationPolicy.held()
        let id = try policy.present(.modal)
        expectRefused(.notYourRequest, by: &policy) {
            try $0.change(id, of: "stranger") { $0.supported = .landscape }
        }
        expectRefused(.notYourRequest, by: &policy) {
            try $0.setNeedsUpdate(id, of: "stranger")
        }
        expectRefused(.notYourRequest, by: &policy) {
            try $0.release(id, of: "stranger")
        }
        expectRefused(.unknownRequest, by: &policy) {
            try $0.release(9999)
        }
    }

    @Test func `an Update cannot change the application id`() throws {
        var policy = RotationPolicy.held(masks: ["org.example.Other": .portrait])
        let id = try policy.present(.modal)
        try policy.change(id) { $0.appID = "org.example.Other" }
        #expect(policy.request(id)?.appID == "org.example.App")
        #expect(policy.effectiveMask == .all)
    }
}
