// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

/// What is known of an accelerometer from its discovery.
package struct AccelerometerDescription: Hashable, Sendable {
    /// The kernel's name of the device: `iio:device0`.
    package let id: String

    /// The driver's name of the chip: `accel_3d`, `lis3dh`.
    package let name: String

    /// The device's real directory, `/sys/devices/…`; empty where it is another machine's.
    package let sysfsPath: String

    /// The node that scans are read from, `/dev/iio:device0`; empty where it is another machine's.
    package let devicePath: String
    package let location: SensorLocation

    /// Added to raw values, before the scale.
    package let offset: Vector3

    /// Raw values to m/s², per axis.
    package let scale: Vector3

    /// From the sensor's axes to the display's.
    package let matrix: MountMatrix

    /// The property or file that the matrix is from; empty for the identity that stands in for none.
    package let matrixSource: String

    /// The guess for `FaceUp=auto`: HID and Chromebook sensors read negative z with the display up.
    package let faceUp: SensorFrame.FaceUp

    /// Whether values can be read one by one from attributes.
    package let canPoll: Bool

    /// Whether the device offers scans; that one can be had shows only when it is tried.
    package let canBuffer: Bool

    /// The way to the device frame; the convention and, where the guess is wrong, the sign of z are configuration.
    package func frame(
        convention: SensorFrame.Convention = .desktop,
        faceUp: SensorFrame.FaceUp? = nil
    ) -> SensorFrame {
        SensorFrame(
            offset: offset,
            scale: scale,
            matrix: matrix,
            convention: convention,
            // The kernel's convention is the device frame itself, z included.
            faceUp: faceUp ?? (convention == .kernel ? .positiveZ : self.faceUp)
        )
    }
}
