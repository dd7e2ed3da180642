// SPDX-License-Identifier: Apache-2.0

/// Decides from an accelerometer's samples whether the device rests, and so how closely the sensor is to be read.
///
/// The device rests when its samples have stayed within a threshold of the first of them for long enough. It moves
/// again with the first sample beyond the threshold around their mean, which stays fixed, so that slow turns add up.
struct MotionDetector: Sendable {
    /// The least threshold in g, 1.7°: a turn of 10° a second crosses it in 0.17 s.
    private static let leastThreshold = 0.03
    /// The threshold in standard deviations of the sensor's noise, where that is more.
    private static let noiseFactor = 6.0
    /// The noise in g above which a sensor never rests.
    private static let greatestNoise = 0.03
    /// The greatest variance of noise, relative to half that of the differences between consecutive samples.
    ///
    /// It is 1 for a sensor's noise; a device that is moved to and fro has more.
    private static let greatestVariance = 2.0
    /// How long, in seconds, and for how many samples the device must be still.
    private static let stillness = (seconds: 2.0, samples: 10)
    /// Seconds at rest until the level is `doze`.
    private static let watchTime = 30.0
    /// The part of the threshold that counts as motion for a sensor that compares with its own last report.
    ///
    /// That report differs from the mean by noise: one that is due to motion must count as such.
    private static let reportedShare = 0.75

    private(set) var sensing = Sensing.stream

    /// When to call ``doze(at:)``, on the clock of the events; nil for never.
    private(set) var deadline: Double?

    var isResting: Bool { sensing.level != .stream }

    private let isEnabled: Bool
    private var reportsChanges = false

    // The samples since the device was still.
    private var start = 0.0
    private var origin = Vector3.zero
    private var last = Vector3.zero
    private var sum = Vector3.zero
    /// The sums of the squared differences between consecutive samples.
    private var squares = Vector3.zero
    /// The sums of the squared differences from the first sample.
    private var deviations = Vector3.zero
    private var count = 0

    /// Without `isEnabled` the level is always `stream`.
    init(isEnabled: Bool) { self.isEnabled = isEnabled }

    /// Starts afresh, at level `stream`; `reportsChanges`: the device itself may compare readings.
    mutating func begin(reportsChanges: Bool) {
        self.reportsChanges = reportsChanges
        stream()
    }

    /// Returns to level `stream`; the device must be still anew.
    mutating func stream() {
        sensing = .stream
        deadline = nil
        count = 0
    }

    /// Adds a sample of the clock time `time`; ignores one that is not finite.
    ///
    /// `gravity` is what the sensor reads for 1 g, in g. `isTurning`: a turn is under way, which is no rest; without
    /// `mayRest` the device never rests.
    mutating func add(
        _ sample: AccelerometerSample,
        gravity: Double = 1,
        isTurning: Bool = false,
        mayRest: Bool = true,
        at time: Double
    ) {
        guard isEnabled, sample.acceleration.isFinite, sample.time.isFinite else { return }
        if isResting {
            guard isTurning || sensing.showsMotion(sample.acceleration) else { return }
            stream()
        }
        let unit = gravity * AccelerometerSample.standardGravity
        guard count > 0, sample.time >= start, include(sample.acceleration, unit) else { return restart(with: sample) }
        guard mayRest, !isTurning, count >= Self.stillness.samples,
            sample.time - start >= Self.stillness.seconds
        else { return }
        guard isStill(unit) else { return restart(with: sample) }
        rest(unit, at: time)
    }

    /// Notes that a device that reports changes only has been silent for long; its last sample still holds.
    mutating func fallSilent(gravity: Double, at time: Double) {
        guard isEnabled, !isResting, count > 0 else { return }
        sum = last
        squares = .zero
        deviations = .zero
        count = 1
        rest(gravity * AccelerometerSample.standardGravity, at: time)
    }

    /// Reads more rarely from the deadline on.
    mutating func doze(at time: Double) {
        guard let deadline, time >= deadline else { return }
        self.deadline = nil
        sensing.level = .doze
    }

    private mutating func restart(with sample: AccelerometerSample) {
        start = sample.time
        origin = sample.acceleration
        last = sample.acceleration
        sum = sample.acceleration
        squares = .zero
        deviations = .zero
        count = 1
    }

    /// Adds a reading to those since the device was still; false if it is not still any more.
    private mutating func include(_ reading: Vector3, _ unit: Double) -> Bool {
        let step = reading - last
        let way = reading - origin
        squares = squares + Vector3(step.x * step.x, step.y * step.y, step.z * step.z)
        deviations = deviations + Vector3(way.x * way.x, way.y * way.y, way.z * way.z)
        last = reading
        sum = sum + reading
        count += 1
        return noise <= Self.greatestNoise * unit && way.greatestComponent <= threshold(unit)
    }

    /// The standard deviation of the axis with the most noise, in m/s².
    ///
    /// From the differences between consecutive samples, so that a slow turn hardly counts as noise.
    private var noise: Double { count > 1 ? (squares.greatestComponent / Double(2 * (count - 1))).squareRoot() : 0 }

    /// Whether the samples differ by noise only, for a sensor with more noise than the least threshold.
    private func isStill(_ unit: Double) -> Bool {
        guard Self.noiseFactor * noise > Self.leastThreshold * unit else { return true }
        let samples = Double(count)
        let mean = sum / samples - origin
        let variance = (deviations.x + deviations.y + deviations.z) / samples - mean.dot(mean)
        return variance <= Self.greatestVariance * (squares.x + squares.y + squares.z) / (2 * (samples - 1))
    }

    private func threshold(_ unit: Double) -> Double { max(Self.leastThreshold * unit, Self.noiseFactor * noise) }

    private mutating func rest(_ unit: Double, at time: Double) {
        sensing.level = .watch
        sensing.reference = sum / Double(count)
        sensing.sensitivity = threshold(unit)
        sensing.threshold = sensing.sensitivity * (reportsChanges ? Self.reportedShare : 1)
        deadline = time + Self.watchTime
        count = 0
    }
}
