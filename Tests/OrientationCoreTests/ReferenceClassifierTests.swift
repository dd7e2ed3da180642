// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SplitMix
import Testing

/// The rule of docs/classifier.md, written from its text a second time, for components instead of edges.
private struct ReferenceClassifier {
    /// An edge is the axis, x 0 or y 1, and the sign that is up.
    private struct Edge: Equatable {
        var axis: Int
        var sign: Double
    }

    // The table of constants; tan() differs in its last bit between C libraries.
    private let axisRatio = 1.2348971565350515  // tan(51°)
    private let armedRatio = 1.6642794823505183  // tan(59°)

    /// The shortest gap between samples that discards the evidence, in seconds.
    let gap: Double
    private(set) var face = FaceOrientation.none
    private var current: Edge?
    private var challenger: Edge?
    private var evidence = 0.0
    private var disturbance = 0.0
    private var isArmed = false
    private var time: Double?
    private var average: [Double]?
    private var last: [Double] = []
    private var lastAverage: [Double] = []
    private var slow: [Double]?
    private var doubted: Edge?
    private var doubt = 0.0

    init(samplePeriod: Double) { gap = max(1, 3 * samplePeriod) }

    var isTurning: Bool { evidence > 0 }

    var edge: DeviceOrientation {
        switch (current?.axis, current?.sign) {
        case (0, 1): .landscapeRight
        case (0, -1): .landscapeLeft
        case (1, 1): .portraitUpsideDown
        case (1, -1): .portrait
        default: .unknown
        }
    }

    private func excess(_ v: [Double], over up: Int, side: Double) -> Double {
        side * v[1 - up] - axisRatio * abs(v[up])
    }

    private mutating func drain(_ interval: Double) { evidence = max(0, evidence - interval) }

    mutating func update(_ v: [Double], at now: Double) {
        guard (v + [now]).allSatisfy(\.isFinite), v != [0, 0, 0] else { return }
        var interval = 0.0
        if let time {
            interval = now - time
            if interval <= 0, interval >= -1 { return }
            if interval > gap || interval < 0 {
                (evidence, challenger, average, slow, doubted, doubt) = (0, nil, nil, nil, nil, 0)
                interval = max(0, interval)
            }
        }
        let norm = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).squareRoot()
        let deviation = abs(norm - 1)
        if time != nil { disturbance = max(disturbance * 0.6 / (0.6 + interval), min(2, deviation)) }
        time = now
        consider(v, norm, interval)
        guard deviation <= 32 else { return }
        doubtEdge(v, interval)
    }

    private mutating func consider(_ v: [Double], _ norm: Double, _ interval: Double) {
        var weight = 1 - abs(norm - 1) / 0.8
        let isAcceleration = weight <= 0
        if current == nil, norm >= 0.05, norm.isFinite { weight = 1 }
        if weight <= 0 {
            (last, lastAverage) = (v, v)
            return drain(interval)
        }
        if average == nil, !isAcceleration { (average, last, lastAverage) = (v, v, v) }
        decide(v, weight, interval)
        guard !isAcceleration, let before = average else { return }
        (last, lastAverage) = (v, before)
        let share = weight * interval / (0.2 + interval)
        let next = zip(before, v).map { $0 + ($1 - $0) * share }
        average = next
        if let current, face == .none, !isArmed {
            isArmed = current.sign * next[current.axis] > armedRatio * abs(next[1 - current.axis])
        }
    }

    private mutating func doubtEdge(_ v: [Double], _ interval: Double) {
        let before = slow ?? v
        let s = zip(before, v).map { $0 + ($1 - $0) * (interval / (1 + interval)) }
        slow = s
        let norm = (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]).squareRoot()
        var seen: Edge?
        if norm > 0.5, abs(s[2]) < 0.75 * norm {
            for axis in 0...1 where abs(s[axis]) > armedRatio * abs(s[1 - axis]) {
                seen = Edge(axis: axis, sign: s[axis] >= 0 ? 1 : -1)
            }
        }
        if current == nil || seen == current { seen = nil }
        if seen != doubted { (doubted, doubt) = (seen, 0) }
        guard let seen else { return }
        doubt += min(interval, 0.07)
        if doubt >= 1.5 { (current, challenger, evidence, isArmed) = (seen, nil, 0, false) }
    }

    private mutating func decide(_ v: [Double], _ weight: Double, _ interval: Double) {
        if abs(v[2]) >= (face == .none ? 0.77 : 0.73) {
            face = v[2] > 0 ? .faceDown : .faceUp
            return drain(interval)
        }
        face = .none
        func edge(_ axis: Int) -> Edge { Edge(axis: axis, sign: v[axis] >= 0 ? 1 : -1) }
        guard let current else { return current = edge(abs(v[1]) >= abs(v[0]) ? 1 : 0) }
        let (up, side) = (current.axis, edge(1 - current.axis).sign)
        var (own, quick) = (excess(v, over: up, side: side), 0.0)
        if isArmed, let average, disturbance < 1 {
            let motion = own - excess(average, over: up, side: side)
            let earlier = excess(last, over: up, side: side) - excess(lastAverage, over: up, side: side)
            if motion > 0 {
                own += (1 - disturbance) * min(0.32, 1.5 * motion)
                quick = (1 - disturbance) * min(1, max(0, min(motion, earlier)) / 0.5)
            }
        }
        let pointed: Edge
        if own > 0 || own == 0 && up == 0 {
            pointed = edge(1 - up)
        } else if edge(up) != current {
            (pointed, own, quick) = (edge(up), abs(v[up]), 0)
        } else {
            return drain(interval)
        }
        if pointed != challenger { (challenger, evidence) = (pointed, 0) }
        evidence += min(interval, 0.07) * weight * min(1, own / 0.7)
        let shaken = min(1, disturbance)
        let saved = (0.1 - 0.03) * quick
        if evidence >= 0.1 - saved + 0.3 * shaken * shaken {
            (self.current, challenger, evidence, isArmed) = (pointed, nil, 0, false)
        }
    }
}

@Suite struct ReferenceClassifierTests {
    /// Returns the sample at which the two first differ.
    private static func compare(_ samples: [(Vector3, Double)], period: Double = 1 / 15.0) -> Comment? {
        var constants = OrientationClassifier.Constants.robust
        // The reference has no repair of a wrong scale.
        constants.steadyTime = 0
        var classifier = OrientationClassifier(constants: constants, samplePeriod: period)
        var reference = ReferenceClassifier(samplePeriod: period)
        for (index, (gravity, time)) in samples.enumerated() {
            classifier.update(gravity: gravity, at: time)
            reference.update([gravity.x, gravity.y, gravity.z], at: time)
            let isEqual =
                classifier.edge == reference.edge && classifier.face == reference.face
                && classifier.isTurning == reference.isTurning
            guard isEqual else {
                return "sample \(index), \(gravity) at \(time): \(classifier.edge), not \(reference.edge)"
            }
        }
        return nil
    }

    @Test(arguments: UInt64(1)...20)
    func `hostile readings are decided as the reference decides them`(seed: UInt64) {
        var random = SplitMix(state: seed)
        var time = 0.0
        let samples = (0..<20_000).map { _ in
            time = BareRuleTests.time(after: time, &random)
            return (BareRuleTests.gravity(&random), time)
        }
        let difference = Self.compare(samples)
        #expect(difference == nil, difference)
    }

    /// A device that turns at all speeds, rests, lies down, is shaken, is not sampled for a while, and reads
    /// nonsense.
    @Test(arguments: UInt64(1)...40)
    func `turns are decided as the reference decides them`(seed: UInt64) {
        var random = SplitMix(state: seed)
        func uniform(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
        let period = [1 / 15.0, 1 / 50.0, 1 / 100.0, 0.5][Int(seed % 4)]
        var (time, x, y, z) = (0.0, 0.0, -1.0, 0.0)
        var samples: [(Vector3, Double)] = []
        for _ in 0..<400 {
            let target = (x: uniform(-1...1), y: uniform(-1...1), z: uniform(-0.8...0.8))
            let norm = (target.x * target.x + target.y * target.y + target.z * target.z).squareRoot()
            let noise = random.next() % 4 == 0 ? uniform(0...1.5) : 0.01
            let share = uniform(0.02...1) * period * 15
            for _ in 0..<Int(uniform(0.2...3) / period) {
                time += random.next() % 100 == 0 ? uniform(-1.5...3) : period * uniform(0.8...1.2)
                x += (target.x / norm - x) * share
                y += (target.y / norm - y) * share
                z += (target.z / norm - z) * share
                func shaken(_ value: Double) -> Double { value + uniform(-noise...noise) }
                samples.append((Vector3(shaken(x), shaken(y), shaken(z)), time))
                if random.next() % 100 == 0 {
                    samples.append((BareRuleTests.gravity(&random), time + uniform(0...1) * period))
                }
            }
        }
        let difference = Self.compare(samples, period: period)
        #expect(difference == nil, difference)
    }
}
