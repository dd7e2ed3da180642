// SPDX-License-Identifier: Apache-2.0

/// Decides from gravity which edge is up and which way the screen faces.
///
/// The bare rule says what a single sample means; a leaky accumulator of evidence decides when to believe it. One
/// value, fed with samples and their times, in constant time and memory.
public struct OrientationClassifier: Sendable {
    /// |z| in g from which on the device lies flat.
    public static let flatThreshold = 0.75

    /// The least gap in seconds after which earlier samples no longer count.
    public static let leastGap = 1.0

    /// A step back of the time, in seconds, over which the clock was set rather than samples mixed up.
    public static let longestStepBack = 1.0

    /// The least norm, in parts of the reference, that a sensor with a sound scale shows at rest.
    public static let leastSoundNorm = 0.5

    /// The greatest such norm.
    public static let greatestSoundNorm = 1.5

    /// The least norm in g that may become the reference.
    public static let leastReference = 0.05

    /// How far steady readings may be apart, in parts of their norm.
    public static let steadySpread = 0.02

    public let constants: Constants

    /// The edge that is up: unknown until the first sample that tells, and kept while the device lies flat.
    public private(set) var edge = DeviceOrientation.unknown

    /// The way the screen faces while the device lies flat.
    public private(set) var face = FaceOrientation.none

    /// The norm in g that stands for 1 g: 1, unless the sensor's scale proved wrong.
    public private(set) var reference = 1.0

    private let gap: Double
    private var lastTime = Double.nan
    private var challenger = DeviceOrientation.unknown
    private var evidence = 0.0
    private var inverseReference = 1.0
    private var steady: SteadySpan?

    /// Creates a classifier for samples that come about every `samplePeriod` seconds.
    public init(constants: Constants, samplePeriod: Double = 1.0 / 15) {
        self.constants = constants
        gap = max(Self.leastGap, 3 * samplePeriod)
    }

    /// Whether another edge has gathered evidence but not yet enough.
    ///
    /// A sensor that reports only changes may fall silent here; its last sample then still has to be counted.
    public var isTurning: Bool { evidence > 0 }

    /// Takes a sample of gravity in g, at a time in seconds on any clock.
    public mutating func update(gravity: Vector3, at time: Double) {
        guard isUsable(gravity, at: time) else { return }
        let interval = advance(to: time)

        // A norm costs a square root; the bare rule has no use for it.
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
}

// MARK: - Time

extension OrientationClassifier {
    /// Whether a sample counts at all.
    ///
    /// Without the need for evidence only the reading itself decides, as the bare rule has it.
    @inline(__always)  // A call would copy the whole classifier: a quarter of a sample's time.
    private func isUsable(_ gravity: Vector3, at time: Double) -> Bool {
        guard gravity.isFinite else { return false }
        guard constants.evidenceNeeded > 0 else { return true }
        guard time.isFinite, !(time <= lastTime && lastTime - time <= Self.longestStepBack) else { return false }
        // Hung chips read nothing but zeros.
        return gravity != .zero
    }

    /// Moves on to the time of a sample and returns the seconds since the last one, never below 0.
    private mutating func advance(to time: Double) -> Double {
        guard time.isFinite else { return 0 }
        let step = time - lastTime
        lastTime = time
        if step > gap || step < -Self.longestStepBack {
            evidence = 0
            challenger = .unknown
            steady = nil
        }
        // Not greater also before the first sample, when the step is not a number.
        return step > 0 ? min(step, .greatestFiniteMagnitude) : 0
    }
}

// MARK: - Evidence

extension OrientationClassifier {
    private mutating func drain(_ interval: Double) {
        evidence = max(0, evidence - interval)
    }

    /// Counts a sample for the edge it points to: the only place where a known edge changes.
    private mutating func gather(
        for pointed: DeviceOrientation,
        excess: Double,
        weight: Double,
        over interval: Double
    ) {
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
}

// MARK: - Scale

extension OrientationClassifier {
    /// The readings since a time, as the box around them.
    private struct SteadySpan {
        let start: Double
        var low: Vector3
        var high: Vector3

        init(start: Double, reading: Vector3) {
            self.start = start
            low = reading
            high = reading
        }

        mutating func include(_ reading: Vector3) {
            low = Vector3(min(low.x, reading.x), min(low.y, reading.y), min(low.z, reading.z))
            high = Vector3(max(high.x, reading.x), max(high.y, reading.y), max(high.z, reading.z))
        }

        /// The box's longest side.
        var spread: Double { max(high.x - low.x, high.y - low.y, high.z - low.z) }
    }

    /// Takes a steady but impossible norm for gravity itself: motion is never that steady.
    private mutating func repairReference(with gravity: Vector3, norm: Double, at time: Double) {
        let relative = norm * inverseReference
        let isSound = relative >= Self.leastSoundNorm && relative <= Self.greatestSoundNorm
        guard constants.steadyTime > 0, !isSound, norm >= Self.leastReference, norm.isFinite else {
            steady = nil
            return
        }
        guard var span = steady else {
            steady = SteadySpan(start: time, reading: gravity)
            return
        }
        span.include(gravity)
        guard span.spread <= Self.steadySpread * norm else {
            steady = SteadySpan(start: time, reading: gravity)
            return
        }
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
