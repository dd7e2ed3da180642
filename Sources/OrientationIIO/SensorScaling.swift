// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

/// The way from a sensor's raw values to what they mean.
package enum SensorScaling: Hashable, Sendable {
    case acceleration(SensorFrame)
    case light(offset: Double, scale: Double)
    case proximity(nearLevel: Double)

    /// Returns what a raw reading of that time in seconds means; a sensor of one channel has its value in x.
    package func measurement(raw: Vector3, time: Double) -> Measurement {
        switch self {
        case .acceleration(let frame):
            .acceleration(AccelerometerSample(time: time, acceleration: frame.acceleration(raw: raw)))
        case .light(let offset, let scale):
            .light((raw.x + offset) * scale)
        case .proximity(let nearLevel):
            .proximity(isNear: raw.x >= nearLevel)
        }
    }
}

/// One reading of a sensor, in the unit of its kind.
package enum Measurement: Hashable, Sendable {
    case acceleration(AccelerometerSample)

    /// In the unit of the sensor's ``LightUnit``.
    case light(Double)
    case proximity(isNear: Bool)
}
