// SPDX-License-Identifier: Apache-2.0

/// A one-pole low-pass filter that removes hand tremor from gravity, for publishing.
///
/// The classifier reads unfiltered gravity: a filter in front adds 60 to 110 ms and improves nothing.
public struct GravityEstimator: Sendable {
    /// The filter's time constant in seconds.
    public static let timeConstant = 0.2
    /// The longest time in seconds between two samples that the filter accepts.
    public static let longestGap = 1.0

    /// The estimate in g, in the frame of the samples; nil before the first finite one.
    public private(set) var gravity: Vector3?

    private var lastTime = 0.0

    public init() {}

    /// Adds a reading of gravity in g at a time in seconds.
    ///
    /// Restarts from this reading after a gap or when time goes back. Ignores a reading or a time that is not finite.
    public mutating func update(gravity reading: Vector3, at time: Double) {
        guard reading.isFinite, time.isFinite else { return }
        let interval = time - lastTime
        lastTime = time
        guard let last = gravity, interval >= 0, interval <= Self.longestGap else {
            gravity = reading
            return
        }
        gravity = last + (reading - last) * (interval / (Self.timeConstant + interval))
    }
}
