// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

/// How an accelerometer is built in.
package struct AccelerometerMounting: Hashable, Sendable {
    package let location: SensorLocation

    /// From the sensor's axes to the display's.
    package let matrix: MountMatrix

    /// The property or file that the matrix is from; empty for the identity that stands in for none.
    package let matrixSource: String

    /// The guess for `FaceUp=auto`: HID and Chromebook sensors read negative z with the display up.
    package let faceUp: SensorFrame.FaceUp
}
