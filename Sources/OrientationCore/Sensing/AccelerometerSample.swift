// SPDX-License-Identifier: Apache-2.0

/// One reading of an accelerometer, past the reader: in the device frame.
public struct AccelerometerSample: Hashable, Sendable {
    /// The time of the reading in seconds, on a clock that is the source's own.
    public var time: Double

    /// Specific force in m/s²: x to the right edge, y to the top edge, z out of the screen.
    ///
    /// A device that stands upright reads (0, +9.81, 0).
    public var acceleration: Vector3

    public init(time: Double, acceleration: Vector3) {
        self.time = time
        self.acceleration = acceleration
    }

    /// Gravity in g, in Apple's CoreMotion convention: upright is (0, -1, 0).
    public var gravity: Vector3 {
        let standard = -9.80665
        return Vector3(acceleration.x / standard, acceleration.y / standard, acceleration.z / standard)
    }
}
