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
    /// Whether the device tells its scale; otherwise what it reads at rest is taken for 1 g.
    package internal(set) var hasScale = true
    package let traits: SensorTraits

    /// Seconds between two readings; nil for an accelerometer, whose rate is configuration.
    package internal(set) var period: Double?

    /// Whether it is used only where there is no other of its kind, as its readings are coarser or less certain.
    package internal(set) var isSubstitute = false

    /// What it says of itself that is not used, for the log; empty for nothing.
    package internal(set) var note = ""

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
    /// For an accelerometer the convention is configuration, as is the sign of z of each half where it is not derived.
    package func scaling(
        convention: SensorFrame.Convention = .desktop,
        faceUp: PerRole<SensorFrame.FaceUp?> = PerRole(nil)
    ) -> SensorScaling {
        switch traits {
        case .accelerometer(let mounting):
            let configured = faceUp[mounting.location.role]
            let frame = SensorFrame(
                offset: offset,
                scale: scale,
                matrix: mounting.matrix,
                convention: mounting.convention ?? convention,
                // Both conventions, and the device frame, differ by a rotation only.
                faceUp: configured ?? SensorFrame.FaceUp(mounting.matrix, mounting.quantity),
                faceUpReason: configured != nil ? .configured : mounting.matrixSource.isEmpty ? .driver : .matrix
            )
            return .acceleration(frame)
        case .ambientLight(let unit):
            return .light(offset: offset.x, scale: scale.x, unit: unit)
        case .proximity(let nearLevel):
            return .proximity(nearLevel: nearLevel)
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

    /// What the driver measures.
    package let quantity: SensorFrame.Quantity

    /// The convention that the matrix follows; nil for the configured one.
    package internal(set) var convention: SensorFrame.Convention?
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
