// SPDX-License-Identifier: Apache-2.0

/// Tells when an accelerometer has been held still for long enough to take its reading for gravity.
///
/// What counts is the direction freed from tremor, as ``GravityEstimator`` has it; any unit and any axes will do.
public struct RestDetector: Sendable {
    /// How long the readings must be steady, in seconds.
    public static let restTime = 1.0

    /// How far steady readings may be apart on an axis, in parts of their strength: about 3°.
    public static let greatestSpread = 0.05

    private var estimator = GravityEstimator()
    private var start = 0.0
    private var lastTime = 0.0
    private var low = Vector3.zero
    private var high = Vector3.zero
    private var sum = Vector3.zero
    private var count = 0.0

    public init() {}

    /// How much of the time has passed, from 0 to 1.
    public var progress: Double { count > 0 ? min(1, (lastTime - start) / Self.restTime) : 0 }

    /// The mean of the readings since the device has been still; nothing before it has been so for long enough.
    public var reading: Vector3? {
        progress >= 1 ? Vector3(sum.x / count, sum.y / count, sum.z / count) : nil
    }

    /// Takes a reading at a time in seconds; one that is not finite is ignored.
    public mutating func update(_ reading: Vector3, at time: Double) {
        guard reading.isFinite, time.isFinite else { return }
        let interval = time - lastTime
        estimator.update(gravity: reading, at: time)
        guard let steady = estimator.gravity else { return }
        let isGap = interval < 0 || interval > GravityEstimator.longestGap
        lastTime = time
        if count == 0 || isGap { return begin(reading, steady, at: time) }
        low = Vector3(min(low.x, steady.x), min(low.y, steady.y), min(low.z, steady.z))
        high = Vector3(max(high.x, steady.x), max(high.y, steady.y), max(high.z, steady.z))
        let spread = max(high.x - low.x, high.y - low.y, high.z - low.z)
        guard spread <= Self.greatestSpread * steady.magnitude else { return begin(reading, steady, at: time) }
        sum = Vector3(sum.x + reading.x, sum.y + reading.y, sum.z + reading.z)
        count += 1
    }

    private mutating func begin(_ reading: Vector3, _ steady: Vector3, at time: Double) {
        start = time
        low = steady
        high = steady
        sum = reading
        count = 1
    }
}
