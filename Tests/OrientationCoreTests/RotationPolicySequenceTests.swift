// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SplitMix
import Testing

/// Random sequences of operations on the policy and on the slow model.
@Suite struct RotationPolicySequenceTests {
    @Test(arguments: 0..<180)
    func `the policy equals the slow model after every operation`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let configuration = random.configuration()
        let autorotate = random.pick([AutorotateMode.always, .always, .tabletMode, .never])
        let memory = random.chance(30) ? random.memory() : nil
        var policy = RotationPolicy(configuration: configuration, autorotate: autorotate, memory: memory)
        var slow = SlowPolicy(configuration: configuration, autorotate: autorotate, memory: memory)
        try #require(
            PolicyState(of: policy).differences(from: PolicyState(of: slow)).isEmpty,
            "seed \(seed), at the start"
        )

        for step in 1...300 {
            let operation = random.operation(on: policy)
            let place: Comment = "seed \(seed), step \(step): \(operation)"
            let before = PolicyState(of: slow)
            let shownBefore = slow.nodes.filter(slow.isOnShow).map(\.id)

            let expected = Outcome { () throws(RotationRefusal) in try operation.perform(on: &slow) }
            let outcome = Outcome { () throws(RotationRefusal) in try operation.perform(on: &policy) }
            let state = PolicyState(of: policy)
            try #require(outcome == expected, place)
            try #require(state.differences(from: PolicyState(of: slow)).isEmpty, place)

            // Invariants.
            if case .refused = outcome { try #require(state.differences(from: before).isEmpty, place) }
            if state.shown == before.shown { try #require(state.reason == before.reason, place) }
            try #require(state.mask.contains(state.shown) || state.rule == .waiting, place)
            let subject = operation.subject ?? state.requests.first { !before.requests.contains($0) }
            if let subject, !shownBefore.contains(subject), slow.node(subject).map(slow.isOnShow) != true {
                try #require(state.shows(as: before), place)
            }
        }
        try expectReleasingAllMakesFresh(policy, slow, &random, "seed \(seed), at the end")
    }

    /// Without requests a policy equals a new one with the same memory and device.
    private func expectReleasingAllMakesFresh(
        _ policy: RotationPolicy,
        _ slow: SlowPolicy,
        _ random: inout SplitMix,
        _ comment: Comment
    ) throws {
        var policy = policy
        // Another request, so that a release always uncovers something.
        _ = try policy.present(RotationRequest(appID: "last", supported: .all), of: "last")
        for id in policy.requests.shuffled(using: &random) where policy.request(id) != nil {
            _ = try policy.release(id, of: slow.node(id)?.client ?? "last")
        }
        #expect(policy.requests.isEmpty && policy.decidingRequest == nil, comment)
        #expect(policy.autorotatingRequests == 0, comment)
        #expect(policy.effectiveMask == policy.configuration.supported, comment)

        var fresh = RotationPolicy(
            configuration: policy.configuration,
            autorotate: policy.autorotate,
            memory: policy.memory
        )
        fresh.setTabletMode(policy.tabletMode)
        fresh.deviceTurned(to: slow.edge)
        if slow.isPaused { fresh.pause() }
        #expect(policy.shown == fresh.shown, comment)
        #expect(policy.rule == fresh.rule, comment)
    }
}

// MARK: - Comparing

private enum Outcome: Equatable {
    case done
    case refused(Refusal)

    init(_ body: () throws(RotationRefusal) -> Void) {
        do {
            try body()
            self = .done
        } catch {
            self = .refused(Refusal(error))
        }
    }
}
