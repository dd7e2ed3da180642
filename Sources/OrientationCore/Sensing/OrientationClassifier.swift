// SPDX-License-Identifier: Apache-2.0

/// Determines from gravity which edge is up and which way the screen faces; docs/classifier.md has the rule.
///
/// The base rule interprets a single sample; a leaky accumulator of evidence decides when the edge changes, and motion
/// towards another edge counts in advance. Takes constant time and memory for each sample.
public struct OrientationClassifier: Sendable {
    /// The |z| in g from which the device lies flat.
    public static let flatThreshold = 0.75
    /// The shortest gap between samples, in seconds, that discards the evidence.
    public static let leastGap = 1.0
    /// The longest step back, in seconds, that counts as a sample out of order; a longer one restarts the clock.
    public static let longestStepBack = 1.0
    /// The plausible norms at rest, relative to the reference.
    public static let soundNorms = 0.5...1.5
    /// The least norm in g that may become the reference, and that of the first answer, relative to the reference.
    public static let leastReference = 0.05
    /// The greatest spread of steady readings, relative to their norm.
    public static let steadySpread = 0.02
    /// The greatest disturbance in g that is remembered.
    public static let greatestDisturbance = 2.0
    /// The greatest deviation of the norm from 1 g, in g, of a sample that counts in the slow average.
    ///
    /// No greater one is a movement, and it would outweigh seconds of samples.
    public static let greatestForce = 32.0
    /// The time constant in seconds of the slow average.
    public static let slowTime = 1.0
    /// The norm in g above which the slow average has a direction.
    public static let leastSlowNorm = 0.5

    public let constants: Constants

    /// The edge that is up: unknown until the first conclusive sample, and kept while the device lies flat.
    public private(set) var edge = DeviceOrientation.unknown

    /// The way the screen faces while the device lies flat.
    public private(set) var face = FaceOrientation.none

    /// The norm in g that counts as 1 g: 1, unless the sensor's scale is wrong.
    public private(set) var reference = 1.0

    private let gap: Double
    private var lastTime = Double.nan
    private var challenger = DeviceOrientation.unknown
    private var evidence = 0.0
    /// The recent deviation of the norm from 1 g, in g: acceleration that is no gravity.
    private var disturbance = 0.0
    /// Motion is measured against this.
    private var recent = RecentGravity()
    /// Whether gravity was clearly inside the present edge's sector since the edge changed: only then motion counts.
    private var isArmed = false
    /// What remains of motion that disturbs nearly every sample, such as running.
    private var slow = SlowGravity()
    private var inverseReference = 1.0
    /// The start and the bounds of steady readings at an implausible norm.
    private var steady: (start: Double, bounds: Vector3.Bounds)?

    /// Creates a classifier for samples about every `samplePeriod` seconds.
    public init(constants: Constants, samplePeriod: Double = 1.0 / 15) {
        self.constants = constants
        gap = max(Self.leastGap, 3 * samplePeriod)
    }

    /// Whether another edge has some evidence, but not enough yet.
    ///
    /// A sensor that reports only changes may fall silent here; its last sample must then be repeated.
    public var isTurning: Bool { evidence > 0 }

    /// Adds a sample of gravity in g, at a time in seconds on any clock.
    public mutating func update(gravity: Vector3, at time: Double) {
        guard isUsable(gravity, at: time) else { return }
        let isFirst = lastTime.isNaN
        let interval = advance(to: time)

        // The base rule needs no norm, which costs a square root.
        var deviation = 0.0
        var weight = 1.0
        var isGravity = true
        if constants.needsNorm {
            let norm = gravity.magnitude
            repairReference(with: gravity, norm: norm, at: time)
            deviation = abs(norm * inverseReference - 1)
            if !isFirst { noteDisturbance(deviation, over: interval) }
            if constants.normTolerance > 0 {
                weight = 1 - deviation / constants.normTolerance
                isGravity = weight > 0
                // The first answer comes at once, but not from what a chip reads that has just been switched on.
                if edge == .unknown, norm.isFinite, norm * inverseReference >= Self.leastReference { weight = 1 }
            }
        }
        let scaled = gravity * inverseReference
        if weight > 0 {
            if isGravity { recent.begin(scaled) }
            decide(scaled, weight: weight, over: interval)
        } else {
            recent.skip(scaled)
            drain(interval)
        }
        if constants.leadTime > 0, isGravity {
            recent.follow(scaled, share: weight * interval / (constants.leadTime + interval))
            if !isArmed, face == .none { isArmed = recent.average.isInside(edge, ratio: constants.armedRatio) }
        }
        if constants.slowEvidence > 0, deviation <= Self.greatestForce { decideSlowly(scaled, over: interval) }
    }

    /// Decides about the edge and the face from gravity relative to the reference.
    @inline(__always)  // A call would copy the whole classifier.
    private mutating func decide(_ gravity: Vector3, weight: Double, over interval: Double) {
        let margin = face == .none ? constants.flatMargin : -constants.flatMargin
        guard abs(gravity.z) < Self.flatThreshold + margin else {
            face = gravity.z < 0 ? .faceUp : .faceDown
            return drain(interval)
        }
        face = .none

        guard edge != .unknown else {
            edge = gravity.nearestEdge
            return
        }
        let (vertical, horizontal) = (gravity.verticalEdge, gravity.horizontalEdge)
        let isUpright = edge == .portrait || edge == .portraitUpsideDown
        let ratio = constants.axisRatio, side = (isUpright ? gravity.x : gravity.y) >= 0 ? 1.0 : -1
        /// How far gravity is outside the sector around the upright axis on that side, in g; below 0 inside.
        func outside(_ gravity: Vector3) -> Double {
            let (upright, other) = isUpright ? (gravity.y, gravity.x) : (gravity.x, gravity.y)
            return side * other - ratio * abs(upright)
        }
        var excess = outside(gravity)
        var quickness = 0.0
        if isArmed {
            let motion = excess - outside(recent.average)
            let calm = max(0, 1 - disturbance)
            excess += calm * min(constants.greatestLead, max(0, constants.lead * motion))
            if constants.quickMotion > 0, constants.quickEvidence > 0 {
                let before = outside(recent.last) - outside(recent.lastAverage)
                quickness = calm * max(0, min(1, min(motion, before) / constants.quickMotion))
            }
        }
        // A tie goes to y, as in the base rule.
        if isUpright ? excess > 0 : excess >= 0 {
            gather(for: isUpright ? horizontal : vertical, excess, quickness, weight: weight, over: interval)
        } else if (isUpright ? vertical : horizontal) != edge {
            // A half turn.
            let upright = isUpright ? gravity.y : gravity.x
            gather(for: isUpright ? vertical : horizontal, abs(upright), 0, weight: weight, over: interval)
        } else {
            drain(interval)
        }
    }

    // MARK: - Time

    /// Whether a sample counts at all; the base rule accepts every finite one.
    @inline(__always)  // A call would copy the whole classifier: 25 % of the time for a sample.
    private func isUsable(_ gravity: Vector3, at time: Double) -> Bool {
        guard gravity.isFinite else { return false }
        guard constants.evidenceNeeded > 0 else { return true }
        guard time.isFinite, !(time <= lastTime && lastTime - time <= Self.longestStepBack) else { return false }
        // Hung chips return zeros.
        return gravity != .zero
    }

    /// Sets the time of the last sample and returns the seconds since the one before, at least 0.
    private mutating func advance(to time: Double) -> Double {
        guard time.isFinite else { return 0 }
        let step = time - lastTime
        lastTime = time
        if step > gap || step < -Self.longestStepBack {
            restart()
            steady = nil
        }
        // False also before the first sample, when the step is NaN.
        return step > 0 ? min(step, .greatestFiniteMagnitude) : 0
    }

    // MARK: - Evidence

    /// Forgets what earlier samples said about a turn.
    private mutating func restart() {
        evidence = 0
        challenger = .unknown
        recent = RecentGravity()
        slow = SlowGravity()
    }

    private mutating func drain(_ interval: Double) { evidence = max(0, evidence - interval) }

    /// Adds a sample's evidence for the edge it points to; the only place where a known edge changes.
    private mutating func gather(
        for pointed: DeviceOrientation,
        _ excess: Double,
        _ quickness: Double,
        weight: Double,
        over interval: Double
    ) {
        if pointed != challenger {
            challenger = pointed
            evidence = 0
        }
        let share = constants.fullExcess > 0 ? min(1, excess / constants.fullExcess) : 1
        evidence += counted(interval) * weight * share
        let strength = min(1, disturbance)
        let needed =
            constants.evidenceNeeded - (constants.evidenceNeeded - constants.quickEvidence) * quickness
            + constants.disturbanceEvidence * strength * strength
        if evidence >= needed { turn(to: pointed) }
    }

    private mutating func turn(to other: DeviceOrientation) {
        edge = other
        challenger = .unknown
        evidence = 0
        isArmed = false
    }

    /// Turns to another edge that the slow average has pointed to for long enough, however disturbed its samples are.
    @inline(__always)  // A call would copy the whole classifier.
    private mutating func decideSlowly(_ gravity: Vector3, over interval: Double) {
        slow.follow(gravity, share: interval / (Self.slowTime + interval))
        let pointed = slow.edge(ratio: constants.armedRatio)
        let isOther = edge != .unknown && pointed != edge
        slow.point(to: isOther ? pointed : .unknown, for: counted(interval))
        if slow.evidence >= constants.slowEvidence { turn(to: pointed) }
    }

    /// The seconds that one sample counts for.
    private func counted(_ interval: Double) -> Double {
        constants.longestCounted > 0 ? min(interval, constants.longestCounted) : interval
    }

    // MARK: - Disturbance

    private mutating func noteDisturbance(_ deviation: Double, over interval: Double) {
        guard constants.disturbanceTime > 0 else { return }
        let kept = disturbance * constants.disturbanceTime / (constants.disturbanceTime + interval)
        disturbance = max(kept, min(Self.greatestDisturbance, deviation))
    }

    // MARK: - Scale

    /// Makes a steady but implausible norm the reference; motion is never that steady.
    private mutating func repairReference(with gravity: Vector3, norm: Double, at time: Double) {
        let isSound = Self.soundNorms.contains(norm * inverseReference)
        guard constants.steadyTime > 0, !isSound, norm >= Self.leastReference, norm.isFinite else {
            steady = nil
            return
        }
        var span = steady ?? (start: time, bounds: Vector3.Bounds(gravity))
        span.bounds.include(gravity)
        if span.bounds.spread > Self.steadySpread * norm { span = (time, Vector3.Bounds(gravity)) }
        guard time - span.start >= constants.steadyTime else {
            steady = span
            return
        }
        reference = norm
        inverseReference = 1 / norm
        steady = nil
        disturbance = 0
        restart()
    }
}

extension Vector3 {
    /// The edge that the base rule finds; a tie goes to y.
    fileprivate var nearestEdge: DeviceOrientation { abs(y) >= abs(x) ? verticalEdge : horizontalEdge }

    fileprivate var verticalEdge: DeviceOrientation { y >= 0 ? .portraitUpsideDown : .portrait }

    fileprivate var horizontalEdge: DeviceOrientation { x >= 0 ? .landscapeRight : .landscapeLeft }

    /// Whether the axis of an edge exceeds the other one by a factor, on the edge's side.
    fileprivate func isInside(_ edge: DeviceOrientation, ratio: Double) -> Bool {
        switch edge {
        case .portrait: -y > ratio * abs(x)
        case .portraitUpsideDown: y > ratio * abs(x)
        case .landscapeLeft: -x > ratio * abs(y)
        case .landscapeRight: x > ratio * abs(y)
        case .unknown, .faceUp, .faceDown: false
        }
    }
}

/// Gravity at the last sample and on average.
private struct RecentGravity {
    private(set) var average = Vector3.zero
    private(set) var last = Vector3.zero
    /// The average before the last sample.
    private(set) var lastAverage = Vector3.zero
    private var isEmpty = true

    /// Starts with a sample unless there is one.
    mutating func begin(_ sample: Vector3) {
        guard isEmpty else { return }
        average = sample
        last = sample
        lastAverage = sample
        isEmpty = false
    }

    /// Moves the average towards a sample by a share of the difference.
    mutating func follow(_ sample: Vector3, share: Double) {
        last = sample
        lastAverage = average
        average = average + (sample - average) * share
    }

    /// Notes a sample that is no gravity, so that it does not count as earlier motion.
    mutating func skip(_ sample: Vector3) {
        last = sample
        lastAverage = sample
    }
}

/// The slow average of gravity, and how long it has pointed to another edge.
private struct SlowGravity {
    private var average = Vector3.zero
    private var isEmpty = true
    private var pointed = DeviceOrientation.unknown
    /// The seconds for which the average has pointed to the same other edge.
    private(set) var evidence = 0.0

    /// The edge whose axis exceeds the other one by a factor; unknown without one, or while the average lies flat.
    func edge(ratio: Double) -> DeviceOrientation {
        let (x, y, z) = (average.x, average.y, average.z)
        let square = x * x + y * y + z * z
        let leastNorm = OrientationClassifier.leastSlowNorm, flat = OrientationClassifier.flatThreshold
        guard square > leastNorm * leastNorm, z * z < flat * flat * square else { return .unknown }
        let nearest = average.nearestEdge
        return average.isInside(nearest, ratio: ratio) ? nearest : .unknown
    }

    /// Moves the average towards a sample by a share of the difference; the first sample is the average.
    mutating func follow(_ sample: Vector3, share: Double) {
        let share = isEmpty ? 1 : share
        isEmpty = false
        average = average + (sample - average) * share
    }

    /// Counts a sample after which the average points to another edge, or with `unknown` to none.
    mutating func point(to other: DeviceOrientation, for seconds: Double) {
        if other != pointed {
            pointed = other
            evidence = 0
        }
        if other != .unknown { evidence += seconds }
    }
}
