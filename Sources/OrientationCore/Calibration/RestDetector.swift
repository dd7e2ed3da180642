// SPDX-License-Identifier: Apache-2.0

/// Detects when an accelerometer has been still for long enough that its reading is gravity.
///
/// Uses the direction filtered by ``GravityEstimator``, in any unit and any axes.
public struct RestDetector: Sendable {
    /// How long the readings must be steady, in seconds.
    public static let restTime = 1.0
    /// The greatest spread of steady readings on an axis, relative to their norm: about 3°.
    public static let greatestSpread = 0.05

    private var estimator = GravityEstimator()
    private var start = 0.0
    private var lastTime = 0.0
    private var bounds = Vector3.Bounds(.zero)
    private var sum = Vector3.zero
    private var count = 0.0

    public init() {}

    /// The part of `restTime` that has passed, from 0 to 1.
    public var progress: Double { count > 0 ? min(1, (lastTime - start) / Self.restTime) : 0 }

    /// The mean of the readings since the device came to rest; nil before `restTime` has passed.
    public var reading: Vector3? { progress >= 1 ? sum / count : nil }

    /// Adds a reading at a time in seconds; ignores one that is not finite.
    public mutating func update(_ reading: Vector3, at time: Double) {
        guard reading.isFinite, time.isFinite else { return }
        let interval = time - lastTime
        estimator.update(gravity: reading, at: time)
        guard let steady = estimator.gravity else { return }
        let isGap = interval < 0 || interval > GravityEstimator.longestGap
        lastTime = time
        bounds.include(steady)
        if count == 0 || isGap || bounds.spread > Self.greatestSpread * steady.magnitude {
            start = time
            bounds = Vector3.Bounds(steady)
            sum = reading
            count = 1
        } else {
            sum = sum + reading
            count += 1
        }
    }
}
