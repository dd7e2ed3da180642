// SPDX-License-Identifier: Apache-2.0

/// Gravity freed from the hand's tremor, for publishing: a low-pass of one pole.
///
/// The classifier does not use it: a filter in front costs it 60 to 110 ms and gains nothing.
public struct GravityEstimator: Sendable {
    /// The filter's time constant in seconds.
    public static let timeConstant = 0.2

    /// The longest time in seconds between two samples that the filter bridges.
    public static let longestGap = 1.0

    /// The estimate in g, in the frame of the samples; nothing before the first finite one.
    public private(set) var gravity: Vector3?

    private var lastTime = 0.0

    public init() {}

    /// Takes a reading of gravity in g at a time in seconds.
    ///
    /// The estimate starts anew from this reading after a gap or when the time has gone back; a reading or a time
    /// that is not finite is ignored.
    public mutating func update(gravity reading: Vector3, at time: Double) {
        guard reading.isFinite, time.isFinite else { return }
        let interval = time - lastTime
        lastTime = time
        guard let last = gravity, interval >= 0, interval <= Self.longestGap else {
            gravity = reading
            return
        }
        let share = interval / (Self.timeConstant + interval)
        gravity = Vector3(
            last.x + share * (reading.x - last.x),
            last.y + share * (reading.y - last.y),
            last.z + share * (reading.z - last.z)
        )
    }
}
