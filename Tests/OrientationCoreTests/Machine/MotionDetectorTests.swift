// SPDX-License-Identifier: Apache-2.0

import SplitMix
import Testing

@testable import OrientationCore

private let g = AccelerometerSample.standardGravity

/// A detector and the readings that it gets at a constant rate.
private struct Scene {
    var detector = MotionDetector(isEnabled: true)
    var rate = 15.0
    var time = 100.0
    /// The standard deviation in g.
    var noise = 0.0
    var generator = SplitMix(state: 1)

    /// Adds one reading, in g, with noise.
    mutating func add(_ gravity: Vector3, isTurning: Bool = false, mayRest: Bool = true) {
        time += 1 / rate
        let reading = Vector3(gravity.x + error(), gravity.y + error(), gravity.z + error()) * g
        let sample = AccelerometerSample(time: time, acceleration: reading)
        detector.add(sample, isTurning: isTurning, mayRest: mayRest, at: time)
    }

    /// Lies still until the device rests; returns the seconds that it took.
    @discardableResult
    mutating func rest(_ gravity: Vector3 = Vector3(0, 1, 0), limit: Double = 10) throws -> Double {
        let start = time
        lie(gravity, limit: limit)
        try #require(detector.isResting)
        return time - start
    }

    /// Lies still until the device rests, or for `limit` seconds.
    mutating func lie(_ gravity: Vector3 = Vector3(0, 1, 0), limit: Double) {
        let start = time
        while !detector.isResting, time - start <= limit { add(gravity) }
    }

    /// About normally distributed: the sum of twelve uniform numbers.
    private mutating func error() -> Double {
        guard noise > 0 else { return 0 }
        return noise * ((0..<12).reduce(0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) } - 6)
    }
}

/// A device that stands upright, turned around z by so many degrees; small angles suffice.
private func turned(_ degrees: Double) -> Vector3 {
    let angle = degrees * .pi / 180
    return Vector3(angle - angle * angle * angle / 6, 1 - angle * angle / 2, 0)
}

@Suite struct MotionDetectorTests {
    // MARK: - Rest

    @Test(arguments: [(0, 15), (0.001, 15), (0.005, 15), (0.005, 5), (0.005, 100)] as [(Double, Double)])
    func `it rests after two seconds of stillness`(noise: Double, rate: Double) throws {
        var scene = Scene(rate: rate, noise: noise)
        let seconds = try scene.rest()
        #expect((2...2.5).contains(seconds))
        #expect(scene.detector.sensing.level == .watch && scene.detector.deadline == scene.time + 30)
        #expect((scene.detector.sensing.reference - Vector3(0, g, 0)).greatestComponent < 0.01 * g)
    }

    @Test func `a slow sensor needs ten samples`() throws {
        var scene = Scene(rate: 1)
        let seconds = try scene.rest(limit: 20)
        #expect(seconds == 10)
    }

    @Test(arguments: [(0.001, 0.0299...0.0301), (0.01, 0.045...0.08), (0.02, 0.09...0.16)])
    func `the threshold is 0.03 g, or six standard deviations of the noise`(
        noise: Double,
        range: ClosedRange<Double>
    ) throws {
        var scene = Scene(noise: noise)
        try scene.rest(limit: 60)
        #expect(range.contains(scene.detector.sensing.threshold / g))
        #expect(scene.detector.sensing.sensitivity == scene.detector.sensing.threshold)
    }

    // A device that was moved to and fro five times in two seconds rested, with a threshold of 9 degrees.
    @Test(arguments: 1...8)
    func `motion to and fro is no noise`(samples: Int) {
        var scene = Scene(noise: 0.002)
        for index in 0..<600 { scene.add(Vector3(0, 1, index / (2 * samples) % 2 == 0 ? 0.05 : -0.05)) }
        #expect(!scene.detector.isResting)
    }

    @Test func `a sensor of much noise never rests`() {
        var scene = Scene(noise: 0.045)
        scene.lie(limit: 600)
        #expect(!scene.detector.isResting)
    }

    @Test(arguments: [1, 2, 5, 10, 45] as [Double])
    func `a turn at constant speed is no rest`(degreesASecond: Double) {
        var scene = Scene(noise: 0.002)
        for index in 0..<Int(90 / degreesASecond * 15) { scene.add(turned(Double(index) * degreesASecond / 15 - 45)) }
        #expect(!scene.detector.isResting)
    }

    @Test func `neither a turn under way nor an unknown orientation is rest`() {
        var scene = Scene()
        for _ in 0..<60 { scene.add(Vector3(0, 1, 0), isTurning: true) }
        for _ in 0..<60 { scene.add(Vector3(0, 1, 0), mayRest: false) }
        #expect(!scene.detector.isResting)
        scene.add(Vector3(0, 1, 0))
        #expect(scene.detector.isResting)
    }

    @Test func `it never rests where that is turned off`() {
        var scene = Scene(detector: MotionDetector(isEnabled: false))
        scene.lie(limit: 60)
        #expect(!scene.detector.isResting && scene.detector.deadline == nil)
    }

    @Test func `a silent sensor that reports changes only rests at its last reading`() {
        var scene = Scene()
        scene.add(Vector3(0, 1, 0))
        scene.add(Vector3(1, 0, 0))
        scene.detector.fallSilent(gravity: 1, at: scene.time + 2)
        #expect(scene.detector.sensing.level == .watch && scene.detector.sensing.reference == Vector3(g, 0, 0))
        #expect(scene.detector.deadline == scene.time + 32)
    }

    // MARK: - At rest

    @Test func `after thirty seconds of rest it dozes`() throws {
        var scene = Scene()
        try scene.rest()
        let deadline = try #require(scene.detector.deadline)
        scene.detector.doze(at: deadline - 1)
        #expect(scene.detector.sensing.level == .watch)
        scene.detector.doze(at: deadline)
        #expect(scene.detector.sensing.level == .doze && scene.detector.deadline == nil)
    }

    @Test(arguments: [0.001, 0.005, 0.01, 0.02])
    func `noise does not wake it in an hour at 1.25 readings a second`(noise: Double) throws {
        var scene = Scene(noise: noise)
        try scene.rest(limit: 60)
        scene.rate = 1.25
        for _ in 0..<4500 { scene.add(Vector3(0, 1, 0)) }
        #expect(scene.detector.isResting)
    }

    // The reference followed the readings, so that no slow turn was ever seen.
    @Test(arguments: [0.1, 1, 10] as [Double], [1.25, 5, 15] as [Double])
    func `a turn is seen within two degrees and a reading, however slow`(degreesASecond: Double, rate: Double) throws {
        var scene = Scene()
        try scene.rest(turned(0))
        scene.rate = rate
        var angle = 0.0
        while scene.detector.isResting, angle < 45 {
            angle += degreesASecond / rate
            scene.add(turned(angle))
        }
        #expect(angle <= 1.8 + degreesASecond / rate)
        #expect(scene.detector.deadline == nil)
    }

    @Test func `a sensor that compares with its own report wakes it a little earlier`() throws {
        var scene = Scene()
        scene.detector.begin(reportsChanges: true)
        try scene.rest(turned(0))
        #expect(scene.detector.sensing.threshold == 0.75 * scene.detector.sensing.sensitivity)
    }

    @Test func `a turn under way wakes it`() throws {
        var scene = Scene()
        try scene.rest()
        scene.add(Vector3(0, 1, 0), isTurning: true)
        #expect(scene.detector.sensing == .stream)
    }

    @Test func `readings that are not finite change nothing`() throws {
        var scene = Scene()
        scene.add(Vector3(.nan, 0, 0))
        try scene.rest()
        scene.add(Vector3(.infinity, 0, 0))
        #expect(scene.detector.isResting)
    }

    @Test func `a sensor of the wrong scale rests too, with the threshold in its own scale`() {
        var detector = MotionDetector(isEnabled: true)
        for index in 0..<40 {
            let bit = Double(index % 2) * 0.1 * g
            let sample = AccelerometerSample(time: Double(index) / 15, acceleration: Vector3(0, 10 * g + bit, 0))
            detector.add(sample, gravity: 10, at: sample.time)
        }
        #expect(detector.isResting && abs(detector.sensing.sensitivity / (6 * g) - 0.1 / 2.0.squareRoot()) < 0.01)
    }
}
