// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

/// What a scan finds out about a sensor.
package struct SensorDescription: Hashable, Sendable {
    /// The kernel's name of the device: `iio:device0`.
    package let id: String

    /// The driver's name of the chip: `accel_3d`, `lis3dh`.
    package let name: String

    /// The device's real directory, `/sys/devices/…`; empty for another machine's.
    package let sysfsPath: String

    /// The node that scans are read from, `/dev/iio:device0`; empty where there is none, or for another machine's.
    package internal(set) var devicePath = ""

    /// Added to raw values, before the scale.
    package internal(set) var offset = Vector3.zero

    /// From raw values to the unit of the measurement, per channel.
    package internal(set) var scale = Vector3(1, 1, 1)
    package let traits: SensorTraits

    /// Seconds between two readings; nil for an accelerometer, whose rate is configuration.
    package internal(set) var period: Double?

    /// Whether it is used only where IIO has no sensor of its kind: its readings are coarser.
    package internal(set) var isSubstitute = false

    /// Whether values can be read one by one from attributes.
    package let canPoll: Bool

    /// Whether the device offers scans; only trying shows whether they come.
    package let canBuffer: Bool

    package var kind: SensorKind { traits.kind }

    /// How an accelerometer is built in; nil for every other sensor.
    package var mounting: AccelerometerMounting? {
        if case .accelerometer(let mounting) = traits { mounting } else { nil }
    }

    /// The conversion of its raw values.
    ///
    /// For an accelerometer the convention and, where the guess is wrong, the sign of z are configuration.
    package func scaling(
        convention: SensorFrame.Convention = .desktop,
        faceUp: SensorFrame.FaceUp? = nil
    ) -> SensorScaling {
        switch traits {
        case .accelerometer(let mounting):
            let frame = SensorFrame(
                offset: offset,
                scale: scale,
                matrix: mounting.matrix,
                convention: convention,
                // The kernel's convention is the device frame itself, z included.
                faceUp: faceUp ?? (convention == .kernel ? .positiveZ : mounting.faceUp)
            )
            return .acceleration(frame)
        case .ambientLight(let unit):
            return .light(offset: offset.x, scale: scale.x, unit: unit)
        case .proximity(let nearLevel):
            return .proximity(nearLevel: nearLevel, isNear: false)
        case .compass:
            return .heading(offset: offset.x, scale: scale.x)
        case .hinge:
            return .angle(offset: offset.x, scale: scale.x)
        }
    }
}

/// How an accelerometer is mounted.
package struct AccelerometerMounting: Hashable, Sendable {
    package let location: SensorLocation

    /// From the sensor's axes to the display's.
    package let matrix: MountMatrix

    /// The property or file that the matrix is from; empty for the default, the identity.
    package let matrixSource: String

    /// The guess for `FaceUp=auto`: HID and Chromebook sensors read negative z with the display up.
    package let faceUp: SensorFrame.FaceUp
}

/// What only sensors of one kind have.
package enum SensorTraits: Hashable, Sendable {
    case accelerometer(AccelerometerMounting)
    case ambientLight(LightUnit)

    /// Something is near above this raw value.
    case proximity(nearLevel: Double)
    case compass
    case hinge

    package var kind: SensorKind {
        switch self {
        case .accelerometer: .accelerometer
        case .ambientLight: .ambientLight
        case .proximity: .proximity
        case .compass: .compass
        case .hinge: .hinge
        }
    }
}

/// The unit of an ambient light sensor.
package enum LightUnit: String, Hashable, Sendable {
    /// Lux, as near as the driver gets to it.
    case lux

    /// Per cent of the brightest.
    case vendor
}
