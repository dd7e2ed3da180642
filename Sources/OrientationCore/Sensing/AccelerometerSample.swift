// SPDX-License-Identifier: Apache-2.0

/// One reading of an accelerometer in the device frame.
public struct AccelerometerSample: Hashable, Sendable {
    /// Standard gravity in m/s².
    public static let standardGravity = 9.80665

    /// The time of the reading in seconds, on the source's own clock.
    public var time: Double

    /// Specific force in m/s²: x to the right edge, y to the top edge, z out of the screen.
    ///
    /// An upright device reads (0, +9.81, 0).
    public var acceleration: Vector3

    public init(time: Double, acceleration: Vector3) {
        self.time = time
        self.acceleration = acceleration
    }

    /// Gravity in g, in Apple's CoreMotion convention: upright is (0, -1, 0).
    public var gravity: Vector3 { acceleration / -Self.standardGravity }
}
