// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

/// The conversion of a sensor's raw values to measurements.
package enum SensorScaling: Hashable, Sendable {
    case acceleration(SensorFrame)
    case light(offset: Double, scale: Double, unit: LightUnit)
    case proximity(nearLevel: Double)
    case heading(offset: Double, scale: Double)
    /// To degrees.
    case angle(offset: Double, scale: Double)

    /// The frame of an accelerometer; that of a trace for all other sensors.
    package var frame: SensorFrame { if case .acceleration(let frame) = self { frame } else { SensorFrame() } }

    /// Whether values read differ so clearly from those of a scan that a buffer which reports changes must give another.
    ///
    /// Less is within the threshold of a hub, which is not known. A hub that does not answer in time reads 0.
    func isContradicted(by read: Vector3, after scan: Vector3, wasNear: Bool) -> Bool {
        guard read != .zero else { return false }
        switch (measurement(raw: scan, time: 0, wasNear: wasNear), measurement(raw: read, time: 0, wasNear: wasNear)) {
        case (.acceleration(let scan), .acceleration(let read)):
            guard let scan = scan.acceleration.direction, let read = read.acceleration.direction else { return false }
            return scan.dot(read) < 0.5
        case (.light(let scan, _), .light(let read, _)): return abs(read - scan) > max(1, abs(scan) / 2, abs(read) / 2)
        case (.proximity(let wasNear), .proximity(let isNear)): return wasNear != isNear
        case (.heading(let scan), .heading(let read)):
            let difference = abs(read - scan)
            return min(difference, 360 - difference) > 20
        default: return false
        }
    }

    /// Whether a raw reading shows motion at a sensing level, or is not one of acceleration.
    func showsMotion(_ raw: Vector3, _ sensing: Sensing) -> Bool {
        guard sensing.level != .stream, case .acceleration(let frame) = self else { return true }
        return sensing.showsMotion(frame.acceleration(raw: raw))
    }

    /// A raw reading of acceleration in m/s² on the axes of the display, or, in x, another one in its unit.
    func vector(_ raw: Vector3) -> Vector3 {
        switch self {
        case .acceleration(let frame): frame.acceleration(raw: raw)
        case .light(let offset, let scale, _), .heading(let offset, let scale), .angle(let offset, let scale):
            Vector3((raw.x + offset) * scale, 0, 0)
        case .proximity: raw
        }
    }

    /// Converts a raw reading made at `time` in seconds; a sensor of one channel has its value in x.
    ///
    /// `wasNear` is what the reading of a proximity sensor before this one said.
    func measurement(raw: Vector3, time: Double, wasNear: Bool = false) -> Measurement {
        let value = vector(raw)
        switch self {
        case .acceleration: return .acceleration(AccelerometerSample(time: time, acceleration: value))
        case .light(_, _, let unit):
            let level = value.x
            // acpi-als reads -1 for more light than it can tell.
            return .light(level: raw.x == -1 ? .nan : level < 0 ? 0 : level, unit)
        case .proximity(let level):
            // Readings grow as something comes nearer. Noise about the level must not turn the screen of a phone at the
            // ear on and off, so that near ends below nine tenths of it.
            return .proximity(isNear: wasNear ? raw.x >= 0.9 * level : raw.x > level)
        case .heading:
            let degrees = value.x.truncatingRemainder(dividingBy: 360)
            return .heading(degrees: degrees < 0 ? degrees + 360 : degrees)
        case .angle: return .angle(degrees: value.x)
        }
    }
}

/// One reading of a sensor, in the unit of its kind.
package enum Measurement: Hashable, Sendable {
    case acceleration(AccelerometerSample)
    case light(level: Double, LightUnit)
    case proximity(isNear: Bool)

    /// Clockwise from north, from 0 to less than 360.
    case heading(degrees: Double)

    /// Of the hinge, as it was read: `HingeAngle.angle(ofReading:)` says whether that is an angle.
    case angle(degrees: Double)
}
