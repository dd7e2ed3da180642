// SPDX-License-Identifier: Apache-2.0

/// How far the screen leans back or forward, as net.hadess.SensorProxy reports it.
public enum Tilt: String, NamedValue {
    /// No reading yet.
    case undefined
    /// Upright, within 20°.
    case vertical
    case tiltedUp = "tilted-up"
    case tiltedDown = "tilted-down"
    /// Flat, from 70°.
    case faceUp = "face-up"
    case faceDown = "face-down"

    /// The tangents of the angles at which vertical and tilted end: 20.5° and 69.5°, as iio-sensor-proxy compares
    /// rounded degrees; the lower limits are 2° less.
    private static let limits = (tilted: 0.373885, flat: 2.674621)
    private static let lowerLimits = (tilted: 0.334595, flat: 2.414214)

    /// Creates the tilt from gravity in any unit; undefined if gravity is zero or not finite.
    ///
    /// `faceUp` is the sign of z that the sensor itself reports while the screen faces up. iio-sensor-proxy assumes a
    /// positive sign for every sensor, and so does this: a sensor with a negative sign gets the mirrored tilt. On the
    /// way back, the `previous` tilt stays for another 2°, as hysteresis.
    public init(_ gravity: Vector3, faceUp: SensorFrame.FaceUp, after previous: Tilt = .undefined) {
        let across = (gravity.x * gravity.x + gravity.y * gravity.y).squareRoot()
        let along = abs(gravity.z)
        guard gravity.isFinite, across + along > 0 else {
            self = .undefined
            return
        }
        let isUp = (gravity.z < 0) == (faceUp == .positiveZ)
        func tilt(_ limits: (tilted: Double, flat: Double)) -> Tilt {
            if along < limits.tilted * across { return .vertical }
            if along < limits.flat * across { return isUp ? .tiltedUp : .tiltedDown }
            return isUp ? .faceUp : .faceDown
        }
        self = tilt(Self.lowerLimits) == previous ? previous : tilt(Self.limits)
    }
}
