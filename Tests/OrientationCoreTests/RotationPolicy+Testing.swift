// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationCore

/// Helpers for the tests of the policy.
extension RotationPolicy {
    /// A policy on a device held for `upright`; nil if there is no reading yet.
    static func held(
        for upright: InterfaceOrientation? = .portrait,
        supported: InterfaceOrientationMask = .all,
        masks: [String: InterfaceOrientationMask] = [:],
        autorotate: AutorotateMode = .always,
        memory: SavedState? = nil
    ) -> RotationPolicy {
        var policy = RotationPolicy(
            configuration: RotationConfiguration(supported: supported, applicationMasks: masks),
            autorotate: autorotate,
            memory: memory
        )
        if let upright { policy.turn(for: upright) }
        return policy
    }

    /// A convertible in laptop mode with the laptop orientation portrait-upside-down, held for portrait.
    static func laptop(supported: InterfaceOrientationMask = .all) -> RotationPolicy {
        var policy = RotationPolicy(
            configuration: RotationConfiguration(supported: supported, laptop: .portraitUpsideDown),
            autorotate: .tabletMode
        )
        policy.turn(for: .portrait)
        policy.setTabletMode(.laptop)
        return policy
    }

    mutating func turn(for upright: InterfaceOrientation) { deviceTurned(to: upright.device) }

    /// Does something, and returns what that decided.
    mutating func deciding(_ body: (inout RotationPolicy) throws -> Void) rethrows -> Decision {
        let before = shown
        try body(&self)
        let change = Transition(from: before, to: shown, reason: reason)
        return Decision(transition: shown == before ? nil : change, rule: rule)
    }

    /// Presents a request; without a parent it is a root.
    @discardableResult
    mutating func present(
        _ presentation: RotationRequest.Presentation,
        _ supported: InterfaceOrientationMask = .all,
        preferred: InterfaceOrientation? = nil,
        autorotates: Bool = true,
        in parent: RotationRequest.ID? = nil,
        forwardsTo target: RotationRequest.ID? = nil,
        active: Bool = true,
        app: String = "org.example.App",
        of client: String = "client"
    ) throws(RotationRefusal) -> RotationRequest.ID {
        let request = RotationRequest(
            appID: app,
            supported: supported,
            preferred: preferred,
            shouldAutorotate: autorotates,
            presentation: presentation,
            parent: parent,
            forwardsTo: target,
            isActive: active
        )
        return try present(request, of: client)
    }

    /// Updates a request with some of its options changed.
    mutating func change(
        _ id: RotationRequest.ID,
        of client: String = "client",
        _ body: (inout RotationRequest) -> Void
    ) throws(RotationRefusal) {
        var request = request(id) ?? RotationRequest(appID: "none", supported: .all)
        body(&request)
        try update(id, to: request, of: client)
    }

    mutating func setActive(_ isActive: Bool, _ id: RotationRequest.ID) throws(RotationRefusal) {
        try change(id) { $0.isActive = isActive }
    }

    mutating func forward(_ id: RotationRequest.ID, to target: RotationRequest.ID?) throws(RotationRefusal) {
        try change(id) { $0.forwardsTo = target }
    }

    mutating func release(_ id: RotationRequest.ID) throws(RotationRefusal) {
        try release(id, of: "client")
    }

    var decidingID: RotationRequest.ID? { decidingRequest?.id }
}

/// What a call of the policy decided.
struct Decision: Equatable {
    let transition: Transition?
    let rule: RotationRule

    /// The decision of an event that changed nothing.
    static func unchanged(_ rule: RotationRule) -> Decision { Decision(transition: nil, rule: rule) }
}

enum Refusal {
    case invalidArgument
    case invalidInterfaceOrientation
    case orientationNotSupported
    case notYourRequest
    case unknownRequest
    case limitExceeded

    init(_ refusal: RotationRefusal) {
        self =
            switch refusal {
            case .invalidArgument: .invalidArgument
            case .invalidInterfaceOrientation: .invalidInterfaceOrientation
            case .orientationNotSupported: .orientationNotSupported
            case .notYourRequest: .notYourRequest
            case .unknownRequest: .unknownRequest
            case .limitExceeded: .limitExceeded
            }
    }
}

/// Expects a refusal whose text contains all `words`, and an unchanged policy.
func expectRefused<Result>(
    _ refusal: Refusal,
    saying words: String...,
    by policy: inout RotationPolicy,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (inout RotationPolicy) throws -> Result
) {
    let before = PolicyState(of: policy)
    let error = #expect(throws: RotationRefusal.self, sourceLocation: sourceLocation) { try body(&policy) }
    if let error {
        #expect(Refusal(error) == refusal, sourceLocation: sourceLocation)
        for word in words {
            #expect(
                error.description.contains(word),
                "\(error) does not contain \(word)",
                sourceLocation: sourceLocation
            )
        }
    }
    #expect(PolicyState(of: policy).differences(from: before) == [], sourceLocation: sourceLocation)
}
