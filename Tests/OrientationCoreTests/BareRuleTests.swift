// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SplitMix
import Testing

/// The base rule, as docs/semantics.md states it.
private func bareRule(_ gravity: Vector3, keeping edge: DeviceOrientation) -> DeviceOrientation {
    let (x, y, z) = (gravity.x, gravity.y, gravity.z)
    guard x.isFinite, y.isFinite, z.isFinite else { return edge }
    if abs(z) >= 0.75 { return edge }
    if abs(y) >= abs(x) { return y >= 0 ? .portraitUpsideDown : .portrait }
    return x >= 0 ? .landscapeRight : .landscapeLeft
}

@Suite struct BareRuleTests {
    static let table: [(Vector3, DeviceOrientation)] = [
        (Vector3(0, -1, 0), .portrait),
        (Vector3(0, 1, 0), .portraitUpsideDown),
        (Vector3(-1, 0, 0), .landscapeLeft),
        (Vector3(1, 0, 0), .landscapeRight),
        // Ties go to y, and zero of either sign counts as positive.
        (Vector3(0.5, -0.5, 0), .portrait),
        (Vector3(-0.5, 0.5, 0), .portraitUpsideDown),
        (Vector3(0, 0, 0), .portraitUpsideDown),
        (Vector3(-0.0, -0.0, -0.0), .portraitUpsideDown),
        // Flat has no edge.
        (Vector3(0, -0.6, 0.75), .unknown),
        (Vector3(0, -0.6, -0.75), .unknown),
        (Vector3(0, -0.6, 0.75.nextDown), .portrait),
    ]

    @Test(arguments: table)
    func `the first sample is decided by the base rule`(gravity: Vector3, expected: DeviceOrientation) {
        var classifier = OrientationClassifier(constants: .base)
        classifier.update(gravity: gravity, at: 0)
        #expect(classifier.edge == expected)
        #expect(bareRule(gravity, keeping: .unknown) == expected)
    }

    @Test(arguments: UInt64(1)...20)
    func `with all constants zero the classifier equals the base rule bit for bit`(seed: UInt64) {
        var random = SplitMix(state: seed)
        var classifier = OrientationClassifier(constants: .base)
        var expected = DeviceOrientation.unknown
        var time = 0.0
        for step in 0..<20_000 {
            time = Self.time(after: time, &random)
            let gravity = Self.gravity(&random)
            expected = bareRule(gravity, keeping: expected)
            classifier.update(gravity: gravity, at: time)
            guard classifier.edge == expected else {
                Issue.record("seed \(seed), step \(step), \(gravity) at \(time): \(classifier.edge), not \(expected)")
                return
            }
            #expect(!classifier.isTurning && classifier.reference == 1)
        }
    }

    /// Readings near the rule's thresholds, ties, zeros of both signs and the output of broken sensors.
    static func gravity(_ random: inout SplitMix) -> Vector3 {
        let special: [Double] = [
            0, -0.0, 0.75, -0.75, 0.75.nextDown, -0.75.nextUp, 1, -1, 0.5, -0.5, .nan, .infinity, -.infinity, 1e308,
            -1e308, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .greatestFiniteMagnitude,
        ]
        func component() -> Double {
            switch random.next() % 8 {
            case 0: special[Int(random.next() % UInt64(special.count))]
            case 1: Double(bitPattern: random.next())
            default: Double.random(in: -1.2...1.2, using: &random)
            }
        }
        let x = component()
        return switch random.next() % 6 {
        case 0: Vector3(x, x, component() / 2)
        case 1: Vector3(x, -x, component() / 2)
        case 2: Vector3(x, x.nextUp, component() / 2)
        default: Vector3(x, component(), component() / 2)
        }
    }

    static func time(after time: Double, _ random: inout SplitMix) -> Double {
        switch random.next() % 12 {
        case 0: time
        case 1: time - Double.random(in: 0...3, using: &random)
        case 2: time + Double.random(in: 0...10, using: &random)
        case 3: Double(bitPattern: random.next())
        default: (time.isFinite ? time : 0) + 1.0 / 15
        }
    }

    @Test(arguments: UInt64(101)...110)
    func `no input makes the robust classifier lose its invariants`(seed: UInt64) {
        var random = SplitMix(state: seed)
        var classifier = OrientationClassifier(constants: .robust)
        var time = 0.0
        for step in 0..<20_000 {
            let before = classifier.edge
            time = Self.time(after: time, &random)
            let gravity = Self.gravity(&random)
            classifier.update(gravity: gravity, at: time)
            let sound =
                classifier.reference.isFinite && classifier.reference >= 0.05
                && classifier.edge.isEdge == (before.isEdge || classifier.edge != before)
            guard sound else {
                Issue.record("seed \(seed), step \(step), \(gravity) at \(time): \(classifier)")
                return
            }
        }
    }
}
