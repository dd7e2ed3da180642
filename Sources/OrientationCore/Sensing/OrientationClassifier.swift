// SPDX-License-Identifier: Apache-2.0

/// Determines from gravity which edge is up and which way the screen faces; docs/classifier.md has the rule.
///
/// The base rule interprets a single sample; a leaky accumulator of evidence decides when the edge changes. Takes
/// constant time and memory for each sample.
public struct OrientationClassifier: Sendable {
    /// The |z| in g from which the device lies flat.
    public static let flatThreshold = 0.75
    /// The shortest gap between samples, in seconds, that discards the evidence.
    public static let leastGap = 1.0
    /// The longest step back of time, in seconds, that counts as a sample out of order; a longer one restarts the clock.
    public static let longestStepBack = 1.0
    /// The plausible norms at rest, relative to the reference.
    public static let soundNorms = 0.5...1.5
    /// The least norm in g that may become the reference.
    public static let leastReference = 0.05
    /// The greatest spread of steady readings, relative to their norm.
    public static let steadySpread = 0.02

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
        let interval = advance(to: time)

        // The base rule needs no norm, which costs a square root.
        var norm = 1.0
        if constants.normTolerance > 0 || constants.steadyTime > 0 {
            norm = gravity.magnitude
            repairReference(with: gravity, norm: norm, at: time)
            norm *= inverseReference
        }
        let x = gravity.x * inverseReference
        let y = gravity.y * inverseReference
        let z = gravity.z * inverseReference

        var weight = 1.0
        if constants.normTolerance > 0, edge != .unknown {
            weight = 1 - abs(norm - 1) / constants.normTolerance
            guard weight > 0 else { return drain(interval) }
        }

        let margin = face == .none ? constants.flatMargin : -constants.flatMargin
        guard abs(z) < Self.flatThreshold + margin else {
            face = z < 0 ? .faceUp : .faceDown
            return drain(interval)
        }
        face = .none

        let vertical: DeviceOrientation = y >= 0 ? .portraitUpsideDown : .portrait
        let horizontal: DeviceOrientation = x >= 0 ? .landscapeRight : .landscapeLeft
        let pointed: DeviceOrientation
        let excess: Double
        switch edge {
        case .portrait, .portraitUpsideDown:
            let threshold = constants.axisRatio * abs(y)
            pointed = abs(x) > threshold ? horizontal : vertical
            excess = abs(x) > threshold ? abs(x) - threshold : abs(y)
        case .landscapeLeft, .landscapeRight:
            let threshold = constants.axisRatio * abs(x)
            pointed = abs(y) >= threshold ? vertical : horizontal
            excess = abs(y) >= threshold ? abs(y) - threshold : abs(x)
        case .unknown, .faceUp, .faceDown:
            edge = abs(y) >= abs(x) ? vertical : horizontal
            return
        }
        guard pointed != edge else { return drain(interval) }
        gather(for: pointed, excess: excess, weight: weight, over: interval)
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
            evidence = 0
            challenger = .unknown
            steady = nil
        }
        // False also before the first sample, when the step is NaN.
        return step > 0 ? min(step, .greatestFiniteMagnitude) : 0
    }

    // MARK: - Evidence

    private mutating func drain(_ interval: Double) { evidence = max(0, evidence - interval) }

    /// Adds a sample's evidence for the edge it points to; the only place where a known edge changes.
    private mutating func gather(for pointed: DeviceOrientation, excess: Double, weight: Double, over interval: Double)
    {
        if pointed != challenger {
            challenger = pointed
            evidence = 0
        }
        let counted = constants.longestCounted > 0 ? min(interval, constants.longestCounted) : interval
        let share = constants.fullExcess > 0 ? min(1, excess / constants.fullExcess) : 1
        evidence += counted * weight * share
        if evidence >= constants.evidenceNeeded {
            edge = pointed
            challenger = .unknown
            evidence = 0
        }
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
        evidence = 0
        challenger = .unknown
    }
}
