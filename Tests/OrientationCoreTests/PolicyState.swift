// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

/// The visible state of a policy.
struct PolicyState: Equatable {
    let shown: InterfaceOrientation
    let reason: InterfaceReason
    let memory: SavedState
    let mask: InterfaceOrientationMask
    let rule: RotationRule
    let deciding: RotationRequest.ID?
    let autorotating: Int
    let requests: [RotationRequest.ID]
    let contents: [RotationRequest?]

    init(of policy: some Policy) {
        shown = policy.shown
        reason = policy.reason
        memory = policy.memory
        mask = policy.effectiveMask
        rule = policy.rule
        deciding = policy.decidingRequest?.id
        autorotating = policy.autorotatingRequests
        requests = policy.requests
        contents = requests.map(policy.request)
    }

    /// The differing properties, for messages.
    func differences(from other: PolicyState) -> [String] {
        if self == other { return [] }
        return zip(Mirror(reflecting: self).children, Mirror(reflecting: other).children).compactMap { mine, others in
            let (mine, others) = ("\(mine)", "\(others)")
            return mine == others ? nil : "\(mine) instead of \(others)"
        }
    }

    /// Whether nothing but the requests themselves differs.
    func shows(as other: PolicyState) -> Bool {
        shown == other.shown && reason == other.reason && memory == other.memory && mask == other.mask
            && rule == other.rule && deciding == other.deciding && autorotating == other.autorotating
    }
}
