// SPDX-License-Identifier: Apache-2.0

import CMallocShims
import OrientationCore

/// Prints the cost of a turn of the device, and of a request that is made or released, among many other requests.
@main
struct PolicyBenchmark {
    static func main() throws {
        print("requests  ns/turn  allocations/turn  ns/request  allocations/request")
        for count in [1, 100, 250] {
            var policy = try makePolicy(requests: count)
            var isLandscape = false
            let turn = try measure(&policy) { policy throws(RotationRefusal) in
                isLandscape.toggle()
                policy.deviceTurned(to: isLandscape ? .landscapeLeft : .portrait)
            }
            let request = RotationRequest(appID: "org.example.Player", supported: .all, preferred: .landscapeLeft)
            var held: RotationRequest.ID?
            let change = try measure(&policy) { policy throws(RotationRefusal) in
                if let id = held {
                    try policy.release(id, of: "client")
                    held = nil
                } else {
                    held = try policy.present(request, of: "client")
                }
            }
            print("\(count)  \(turn)  \(change)")
        }
    }

    /// Returns a policy with `count` requests: windows with a page and a sheet each, 64 requests per client.
    private static func makePolicy(requests count: Int) throws(RotationRefusal) -> RotationPolicy {
        var policy = RotationPolicy(configuration: RotationConfiguration(), autorotate: .always)
        var window: RotationRequest.ID?
        for index in 0..<count {
            if index % 64 == 0 || index % 3 == 0 { window = nil }
            let request = RotationRequest(
                appID: "org.example.App",
                supported: .all,
                presentation: index % 3 == 1 ? .push : .modal,
                parent: window
            )
            let id = try policy.present(request, of: ":1.\(index / 64)")
            window = window ?? id
        }
        return policy
    }

    /// Returns the nanoseconds and allocations per call.
    private static func measure(
        _ policy: inout RotationPolicy,
        _ body: (inout RotationPolicy) throws(RotationRefusal) -> Void
    ) throws(RotationRefusal) -> String {
        let rounds = 1_000_000
        var changes = 0
        let clock = ContinuousClock()
        let allocations = benchmark_allocation_count()
        let begin = clock.now
        for _ in 0..<rounds {
            let shown = policy.shown
            try body(&policy)
            if policy.shown != shown { changes += 1 }
        }
        let elapsed = clock.now - begin
        let perCall = Double(benchmark_allocation_count() - allocations) / Double(rounds)
        precondition(changes == rounds, "every call turns the interface")
        return "\(Int(elapsed / .nanoseconds(rounds)))  \(perCall)"
    }
}
