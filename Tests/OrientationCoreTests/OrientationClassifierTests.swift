// SPDX-License-Identifier: Apache-2.0

import Glibc
import OrientationCore
import Testing

/// A classifier with samples at a fixed rate.
private struct Rig {
    var classifier: OrientationClassifier
    var time = 0.0
    let period: Double

    init(_ constants: OrientationClassifier.Constants = .robust, rate: Double = 15, start: Vector3? = .upright) {
        period = 1 / rate
        classifier = OrientationClassifier(constants: constants, samplePeriod: period)
        if let start { feed(start) }
    }

    mutating func feed(_ gravity: Vector3, count: Int = 1) {
        for _ in 0..<count {
            time += period
            classifier.update(gravity: gravity, at: time)
        }
    }

    /// Adds samples until the edge changes and returns their number; nil if it never does.
    mutating func samples(of gravity: Vector3, until edge: DeviceOrientation, atMost limit: Int = 100) -> Int? {
        for count in 1...limit {
            feed(gravity)
            if classifier.edge == edge { return count }
        }
        return nil
    }
}

extension OrientationClassifier.Constants {
    /// The accumulator of evidence alone: motion does not count in advance, and a disturbance is forgotten at once.
    fileprivate static var accumulator: Self {
        var constants = Self.robust
        (constants.leadTime, constants.disturbanceTime) = (0, 0)
        return constants
    }
}

extension Vector3 {
    fileprivate static let upright = Vector3(0, -1, 0)
    fileprivate static let upsideDown = Vector3(0, 1, 0)
    fileprivate static let rightEdgeUp = Vector3(-1, 0, 0)
    fileprivate static let leftEdgeUp = Vector3(1, 0, 0)
    fileprivate static let faceUp = Vector3(0, 0, -1)
    fileprivate static let faceDown = Vector3(0, 0, 1)
    fileprivate static let notANumber = Vector3(.nan, 0, 0)
}

extension Vector3 {
    fileprivate static func * (factor: Double, vector: Vector3) -> Vector3 {
        Vector3(factor * vector.x, factor * vector.y, factor * vector.z)
    }

    fileprivate static func + (first: Vector3, second: Vector3) -> Vector3 {
        Vector3(first.x + second.x, first.y + second.y, first.z + second.z)
    }
}

@Suite struct OrientationClassifierTests {
    // MARK: - First answers

    @Test(arguments: [0.06, 0.3, 1, 5, 26])
    func `the first sample sets the edge at once, whatever its norm`(norm: Double) {
        // x leans so little that the sample is not flat at any norm.
        let rig = Rig(start: norm * .rightEdgeUp)
        #expect(rig.classifier.edge == .landscapeLeft)
    }

    // What a chip reads that has just been switched on, or a driver makes up: one bit, or more than any number holds.
    @Test(arguments: [Vector3(0, 0.001, 0), Vector3(-0.001, -0.001, -0.001), Vector3(0, 0.04, 0), Vector3(0, 1e300, 0)])
    func `a first sample that cannot be gravity sets no edge`(sample: Vector3) {
        var rig = Rig(start: sample)
        #expect(rig.classifier.edge == .unknown)
        rig.feed(.rightEdgeUp)
        #expect(rig.classifier.edge == .landscapeLeft)
    }

    @Test(arguments: [Vector3.zero, Vector3(-0.0, 0, -0.0), .notANumber, Vector3(0, .infinity, 0)])
    func `an invalid first sample sets no edge`(sample: Vector3) {
        let rig = Rig(start: sample)
        #expect(rig.classifier.edge == .unknown)
        #expect(rig.classifier.face == .none)
    }

    @Test func `a flat start gives the face and no edge`() {
        var rig = Rig(start: .faceUp)
        #expect(rig.classifier.edge == .unknown)
        #expect(rig.classifier.face == .faceUp)
        rig.feed(.leftEdgeUp)
        #expect(rig.classifier.edge == .landscapeRight)
        #expect(rig.classifier.face == .none)
    }

    // MARK: - Step 1: samples that do not count

    @Test(arguments: [Vector3.zero, .notANumber, Vector3(0, 0, -.infinity)])
    func `zeros and numbers that are not finite do not affect a turn`(sample: Vector3) {
        var rig = Rig()
        rig.feed(.rightEdgeUp)
        #expect(rig.classifier.isTurning)
        rig.feed(sample)
        #expect(rig.classifier.isTurning)
        #expect(rig.classifier.edge == .portrait)
        rig.feed(.rightEdgeUp)
        #expect(rig.classifier.edge == .landscapeLeft)
    }

    @Test(arguments: [0, 0.001, 0.5, 1.0])
    func `a sample whose time does not advance is dropped`(stepBack: Double) {
        var rig = Rig()
        rig.feed(.rightEdgeUp)
        for _ in 0..<10 { rig.classifier.update(gravity: .rightEdgeUp, at: rig.time - stepBack) }
        #expect(rig.classifier.edge == .portrait)
        rig.feed(.rightEdgeUp)
        #expect(rig.classifier.edge == .landscapeLeft)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a sample whose time is not finite is dropped`(time: Double) {
        var rig = Rig()
        rig.classifier.update(gravity: .rightEdgeUp, at: time)
        #expect(!rig.classifier.isTurning)
        #expect(rig.samples(of: .rightEdgeUp, until: .landscapeLeft) == 2)
    }

    @Test func `a gap of over a second removes the challenger`() {
        var rig = Rig()
        rig.feed(.rightEdgeUp)
        rig.time += 1
        rig.feed(.rightEdgeUp)
        #expect(rig.classifier.edge == .portrait)
        rig.feed(.rightEdgeUp)
        #expect(rig.classifier.edge == .landscapeLeft)
    }

    @Test func `a slow sensor's gap is three of its periods`() {
        // At 0.5 Hz every sample comes two seconds after the last.
        var rig = Rig(rate: 0.5)
        #expect(rig.samples(of: .rightEdgeUp, until: .landscapeLeft) == 2)
        rig.feed(.upright)
        rig.time += 5
        rig.feed(.upright)
        #expect(rig.classifier.edge == .landscapeLeft)
        rig.feed(.upright)
        #expect(rig.classifier.edge == .portrait)
    }

    @Test func `a step back of over a second restarts the clock`() {
        var rig = Rig()
        rig.time = 1000
        rig.feed(.upright)
        rig.feed(.rightEdgeUp)
        rig.time = 5
        rig.feed(.rightEdgeUp)
        #expect(!rig.classifier.isTurning)
        #expect(rig.classifier.edge == .portrait)
        // The accepted sample counts for no time, so the turn takes two more.
        #expect(rig.samples(of: .rightEdgeUp, until: .landscapeLeft) == 2)
    }

    // MARK: - Step 2: motion

    @Test(arguments: [0.1, 0.2, 1.8, 2.5, 8])
    func `samples with a norm far from 1 g are no evidence`(norm: Double) {
        var constants = OrientationClassifier.Constants.robust
        constants.slowEvidence = 0
        var rig = Rig(constants, start: .upright)
        // The norm varies, as in motion; a steady one would be a wrong scale.
        for step in 0..<100 { rig.feed((step % 2 == 0 ? norm : norm * 1.1) * .rightEdgeUp) }
        #expect(rig.classifier.edge == .portrait)
    }

    @Test func `motion drains the challenger's evidence by its time`() {
        var rig = Rig(.accumulator)
        rig.feed(.rightEdgeUp)
        rig.feed(3 * .rightEdgeUp)
        rig.feed(3 * .rightEdgeUp)
        #expect(!rig.classifier.isTurning)
        #expect(rig.samples(of: .rightEdgeUp, until: .landscapeLeft) == 2)
    }

    @Test func `the further the norm is from 1 g the less a sample counts`() {
        // A weight of 1/4, at 0.4 g of the excess that counts fully, takes seven times as many samples.
        var constants = OrientationClassifier.Constants.accumulator
        constants.steadyTime = 0
        var rig = Rig(constants)
        #expect(rig.samples(of: 0.4 * Vector3(-1, 0, 0), until: .landscapeLeft) == 11)
    }

    // MARK: - Step 3: flat

    @Test func `lying flat keeps the edge`() {
        var rig = Rig()
        rig.feed(.faceUp, count: 50)
        #expect(rig.classifier.edge == .portrait)
        #expect(rig.classifier.face == .faceUp)
        rig.feed(.faceDown, count: 50)
        #expect(rig.classifier.edge == .portrait)
        #expect(rig.classifier.face == .faceDown)
    }

    @Test func `the face has hysteresis around 0.75 g`() {
        var rig = Rig()
        func pose(_ z: Double) -> Vector3 { Vector3(0, -(1 - z * z).squareRoot(), z) }
        let steps: [(Double, FaceOrientation)] = [
            (0.76, .none), (0.78, .faceDown), (0.76, .faceDown), (0.74, .faceDown), (0.72, .none), (0.76, .none),
            (-0.76, .none), (-0.78, .faceUp), (-0.74, .faceUp), (-0.72, .none),
        ]
        for (z, face) in steps {
            rig.feed(pose(z))
            #expect(rig.classifier.face == face, "z = \(z)")
        }
    }

    @Test func `motion does not change the face`() {
        var rig = Rig()
        rig.feed(.faceUp)
        rig.feed(Vector3(0, -3, 0))
        #expect(rig.classifier.face == .faceUp)
        rig.feed(3 * .faceDown)
        #expect(rig.classifier.face == .faceUp)
        rig.feed(.upright)
        #expect(rig.classifier.face == .none)
    }

    @Test func `flat samples drain the evidence`() {
        var rig = Rig()
        rig.feed(.rightEdgeUp)
        rig.feed(.faceUp, count: 2)
        #expect(!rig.classifier.isTurning)
    }

    // MARK: - Step 5: who challenges

    @Test(arguments: [(50.9, false), (51.1, true)])
    func `the edge changes only beyond the diagonal plus the margin`(degrees: Double, turns: Bool) {
        let across = degrees == 50.9 ? Vector3(-0.77605, -0.63067, 0) : Vector3(-0.77824, -0.62796, 0)
        var rig = Rig(.accumulator)
        rig.feed(across, count: 2000)
        #expect((rig.classifier.edge == .landscapeLeft) == turns)

        // And back, mirrored at the diagonal.
        var back = Rig(.accumulator, start: .rightEdgeUp)
        back.feed(Vector3(across.y, across.x, 0), count: 2000)
        #expect((back.classifier.edge == .portrait) == turns)
    }

    static let turns: [(Vector3, DeviceOrientation, Vector3, DeviceOrientation)] = {
        let poses: [(Vector3, DeviceOrientation)] = [
            (.upright, .portrait), (.upsideDown, .portraitUpsideDown), (.rightEdgeUp, .landscapeLeft),
            (.leftEdgeUp, .landscapeRight),
        ]
        return poses.flatMap { from in poses.filter { $0.1 != from.1 }.map { (from.0, from.1, $0.0, $0.1) } }
    }()

    @Test(arguments: turns)
    func `every clear turn, half turns too, takes two samples at 15 Hz`(
        from: Vector3,
        edge: DeviceOrientation,
        to: Vector3,
        next: DeviceOrientation
    ) {
        var rig = Rig(start: from)
        rig.feed(from, count: 10)
        #expect(rig.classifier.edge == edge)
        #expect(rig.samples(of: to, until: next) == 2)
        #expect(!rig.classifier.isTurning)
    }

    // MARK: - Steps 6 to 9: evidence

    @Test func `a lean just beyond the margin takes longer`() throws {
        var clear = Rig(.accumulator)
        var lean = Rig(.accumulator)
        let short = clear.samples(of: .rightEdgeUp, until: .landscapeLeft)
        let long = lean.samples(of: Vector3(-0.80, -0.60, 0), until: .landscapeLeft)
        #expect(try #require(long) >= 5 * #require(short))
    }

    @Test func `samples of the current edge drain the evidence without removing it`() {
        var rig = Rig(.accumulator, rate: 100)
        rig.feed(.rightEdgeUp, count: 8)
        rig.feed(.upright, count: 3)
        #expect(rig.classifier.isTurning)
        #expect(rig.samples(of: .rightEdgeUp, until: .landscapeLeft) ?? 0 <= 6)
    }

    @Test func `another challenger starts without evidence`() {
        var rig = Rig(.accumulator, rate: 100)
        rig.feed(.rightEdgeUp, count: 8)
        rig.feed(.leftEdgeUp, count: 8)
        rig.feed(.upsideDown, count: 8)
        #expect(rig.classifier.edge == .portrait)
    }

    @Test(arguments: [10.0, 15, 50, 100, 400])
    func `a clear turn takes a tenth of a second at any rate`(rate: Double) throws {
        var rig = Rig(.accumulator, rate: rate)
        let samples = rig.samples(of: .rightEdgeUp, until: .landscapeLeft)
        let count = try #require(samples)
        #expect(Double(count) / rate >= 0.1 - 1e-9)
        #expect(count >= 2)
        #expect(Double(count) / rate <= 0.2 + 1e-9)
    }

    @Test(arguments: [5.0, 15, 50, 100], [Vector3.upsideDown, .rightEdgeUp, .leftEdgeUp])
    func `a single spike never changes the edge`(rate: Double, spike: Vector3) {
        var rig = Rig(rate: rate)
        for _ in 0..<100 {
            rig.feed(.upright, count: 3)
            rig.feed(spike)
            #expect(rig.classifier.edge == .portrait)
        }
    }

    @Test func `a single sample after any silence never changes the edge`() {
        var rig = Rig()
        for gap in [0.2, 0.9, 1.1, 60, 1e9, 1e300] {
            rig.feed(.upright, count: 3)
            rig.classifier.update(gravity: .rightEdgeUp, at: rig.time + gap)
            #expect(rig.classifier.edge == .portrait)
            #expect(rig.classifier.isTurning)
            rig.time += gap
        }
    }

    // MARK: - Motion and disturbances

    /// A pose in the plane of the screen: 0° is portrait, 90° has the right edge up.
    private static func pose(_ degrees: Double) -> Vector3 {
        let radians = degrees * Double.pi / 180
        return Vector3(-sin(radians), -cos(radians), 0)
    }

    /// Turns from portrait in so many seconds, and returns how long after 45° the edge changes.
    private static func delay(
        _ constants: OrientationClassifier.Constants,
        to degrees: Double = 90,
        in seconds: Double,
        rate: Double = 50,
        after knock: Vector3? = nil
    ) -> Double? {
        var rig = Rig(constants, rate: rate)
        rig.feed(.upright, count: Int(rate))
        if let knock { rig.feed(knock) }
        let begin = rig.time
        for step in 1...Int((seconds + 2) * rate) {
            rig.feed(pose(degrees * min(1, Double(step) / rate / seconds)))
            if rig.classifier.edge == .landscapeLeft { return rig.time - begin - seconds * 45 / degrees }
        }
        return nil
    }

    @Test(arguments: [15.0, 50, 100], [0.4, 0.8, 1.6])
    func `a turn is seen sooner because its motion counts in advance`(rate: Double, seconds: Double) throws {
        let sooner = try #require(Self.delay(.robust, in: seconds, rate: rate))
        let later = try #require(Self.delay(.accumulator, in: seconds, rate: rate))
        #expect(sooner < later - 0.03 && sooner > 0)
    }

    @Test(arguments: [20.0, 30, 35, 40], [0.15, 0.3, 1])
    func `a turn that stops before the diagonal changes nothing`(degrees: Double, seconds: Double) {
        for rate in [15.0, 50, 100] { #expect(Self.delay(.robust, to: degrees, in: seconds, rate: rate) == nil) }
    }

    // The average began with it, and what followed looked like a turn.
    @Test(arguments: [0.06, 2, 3, 26])
    func `a first sample that is acceleration is no motion`(norm: Double) {
        var rig = Rig(rate: 50, start: norm * .upright)
        rig.feed(Self.pose(44), count: 200)
        #expect(rig.classifier.edge == .portrait)
    }

    @Test func `a device held near the diagonal does not flap`() {
        var rig = Rig(rate: 50)
        rig.feed(Self.pose(40), count: 50)
        for step in 0..<5000 { rig.feed(Self.pose(45 + 5 * sin(Double(step) * 0.4))) }
        #expect(rig.classifier.edge == .portrait)
    }

    @Test func `after a knock a turn takes longer`() throws {
        let calm = try #require(Self.delay(.robust, in: 0.4))
        let knocked = try #require(Self.delay(.robust, in: 0.4, after: Vector3(1, -3, 2)))
        #expect(knocked > calm + 0.1)
    }

    @Test func `each constant that is 0 turns its rule off`() throws {
        let usual = try #require(Self.delay(.robust, in: 0.4))
        func without(_ change: (inout OrientationClassifier.Constants) -> Void) -> Double? {
            var constants = OrientationClassifier.Constants.robust
            change(&constants)
            return Self.delay(constants, in: 0.4)
        }
        let accumulator = try #require(Self.delay(.accumulator, in: 0.4))
        let noLead = try #require(without { $0.lead = 0 })
        let noQuickness = try #require(without { $0.quickMotion = 0 })
        #expect(without { $0.quickEvidence = 0 } == noQuickness)
        let neither = try #require(without { ($0.lead, $0.quickMotion) = (0, 0) })
        #expect(noLead > usual && noQuickness > usual)
        #expect(neither == accumulator && without { $0.leadTime = 0 } == accumulator)
        #expect(without { $0.disturbanceTime = 0 } == usual)
    }

    // MARK: - The slow average

    /// Returns after how many seconds of running the edge is right, with the device turned to `pose` meanwhile.
    ///
    /// A runner is in the air for a third of the time, when nothing is felt, and hits the ground with up to 3 g.
    private static func secondsRunning(
        _ constants: OrientationClassifier.Constants,
        in pose: Vector3,
        until edge: DeviceOrientation,
        rate: Double,
        swing: Double = 0.2
    ) -> Double? {
        var rig = Rig(constants, rate: rate)
        rig.feed(.upright, count: Int(rate))
        let begin = rig.time
        while rig.time < begin + 60 {
            let phase = (rig.time - begin) * 2.7 * 2 * Double.pi
            let force = 1 + 1.6 * sin(phase)
            let sway = swing * sin(phase / 2)
            rig.feed(Vector3(force * pose.x + sway, force * pose.y - sway, force * pose.z + sway))
            if rig.classifier.edge == edge { return rig.time - begin }
        }
        return nil
    }

    // While running, a wrong edge stayed for up to four minutes.
    @Test(
        arguments: [15.0, 50, 100],
        [(90.0, DeviceOrientation.landscapeLeft), (-90, .landscapeRight), (180, .portraitUpsideDown)]
    )
    func `a turn while running is followed within four seconds`(rate: Double, turn: (Double, DeviceOrientation)) throws
    {
        let pose = Self.pose(turn.0)
        let seconds = try #require(Self.secondsRunning(.robust, in: pose, until: turn.1, rate: rate))
        #expect(seconds >= 1.5 && seconds <= 4)
        var constants = OrientationClassifier.Constants.robust
        constants.slowEvidence = 0
        #expect(Self.secondsRunning(constants, in: pose, until: turn.1, rate: rate) == nil)
    }

    /// An average of less than 59°, one that lies flat, and one of hardly any force have no edge.
    @Test(arguments: [pose(57), 0.62 * pose(90) + Vector3(0, 0, 0.79), 0.07 * pose(90)])
    func `a slow average that is not clear changes nothing`(pose: Vector3) {
        for rate in [15.0, 50, 100] {
            #expect(Self.secondsRunning(.robust, in: pose, until: .landscapeLeft, rate: rate, swing: 0) == nil)
        }
    }

    @Test func `the slow average must point to one edge for a second and a half on end`() {
        // The norm varies, so that the samples are no evidence and make no reference.
        func feed(_ rig: inout Rig, _ pose: Vector3, seconds: Double) {
            for step in 0..<Int(seconds * 50) { rig.feed((step % 2 == 0 ? 2.0 : 2.5) * pose) }
        }
        var rig = Rig(rate: 50)
        for _ in 0..<20 {
            feed(&rig, .rightEdgeUp, seconds: 1.4)
            feed(&rig, .upsideDown, seconds: 1.4)
            feed(&rig, .leftEdgeUp, seconds: 1.4)
            feed(&rig, .upright, seconds: 1.4)
        }
        #expect(rig.classifier.edge == .portrait)
        feed(&rig, .rightEdgeUp, seconds: 3.5)
        #expect(rig.classifier.edge == .landscapeLeft)
    }

    // One reading of 300 g outweighed five seconds of others.
    @Test(arguments: [40, 300, 1e6, 1e300])
    func `a reading that no movement explains does not count in the slow average`(norm: Double) {
        for rate in [15.0, 50] {
            var rig = Rig(rate: rate)
            rig.feed(.upright, count: 30)
            rig.feed(norm * .rightEdgeUp)
            for _ in 0..<Int(20 * rate) {
                rig.feed(.upright)
                #expect(rig.classifier.edge == .portrait)
            }
        }
    }

    // MARK: - A wrong scale

    @Test(arguments: [0.06, 0.1, 0.4, 1.6, 9.80665, 26, 1000])
    func `a steady implausible norm becomes the reference`(norm: Double) {
        var rig = Rig()
        rig.feed(norm * .rightEdgeUp, count: 5)
        #expect(rig.classifier.reference == 1)
        rig.feed(norm * .rightEdgeUp)
        #expect(rig.classifier.reference == norm)
        rig.feed(norm * .rightEdgeUp, count: 2)
        #expect(rig.classifier.edge == .landscapeLeft)
        rig.feed(norm * .faceUp, count: 2)
        #expect(rig.classifier.face == .faceUp)
        rig.feed(norm * .rightEdgeUp, count: 5)
        #expect(rig.samples(of: norm * .upright, until: .portrait) == 2)
        #expect(rig.classifier.reference == norm)
    }

    @Test(arguments: [0, 0.01, 0.049, 0.5, 0.7, 1, 1.5])
    func `a plausible or very small norm never becomes the reference`(norm: Double) {
        var rig = Rig()
        rig.feed(norm * .rightEdgeUp, count: 100)
        #expect(rig.classifier.reference == 1)
    }

    @Test func `readings with a spread of over two percent are motion`() {
        var rig = Rig()
        for step in 0..<20 { rig.feed((step % 4 == 0 ? 2.0 : 2.05) * .rightEdgeUp) }
        #expect(rig.classifier.reference == 1)
        #expect(rig.classifier.edge == .portrait)
    }

    @Test func `a slow drift is not steady`() {
        var rig = Rig(rate: 50)
        for step in 0..<200 { rig.feed((2 + 0.004 * Double(step)) * .rightEdgeUp) }
        #expect(rig.classifier.reference == 1)
    }

    @Test func `a gap restarts the steady time`() {
        var rig = Rig()
        for _ in 0..<50 {
            rig.feed(3 * .rightEdgeUp, count: 2)
            rig.time += 2
        }
        #expect(rig.classifier.reference == 1)
    }

    @Test func `the reference can change again`() {
        var rig = Rig()
        rig.feed(26 * .rightEdgeUp, count: 10)
        #expect(rig.classifier.reference == 26)
        rig.feed(.upright, count: 10)
        #expect(rig.classifier.reference == 1)
        #expect(rig.classifier.edge == .portrait)
    }

    @Test func `base keeps 1 g`() {
        var rig = Rig(.base)
        rig.feed(26 * .rightEdgeUp, count: 100)
        #expect(rig.classifier.reference == 1)
    }

    // MARK: - Value

    @Test func `with the robust constants a single sample never counts enough`() {
        let constants = OrientationClassifier.Constants.robust
        #expect(constants.longestCounted < constants.evidenceNeeded)
    }
}
