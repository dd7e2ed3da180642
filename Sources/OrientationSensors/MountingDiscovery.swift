// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import SystemdBus

/// Finds out how an accelerometer is mounted, with a warning and a default for each invalid value.
struct MountingDiscovery {
    /// The device's directory, for messages.
    let path: String

    /// The driver's name of the chip.
    let name: String
    let udev: Device?
    private(set) var warnings: [String] = []

    init(path: String, name: String, udev: Device?) {
        self.path = path
        self.name = name
        self.udev = udev
    }

    /// udev's properties come first, then the kernel's files.
    mutating func mounting(
        matrixFile: IIOAttribute? = nil,
        label: String? = nil,
        locationFile: IIOAttribute? = nil
    ) -> AccelerometerMounting {
        let (matrix, matrixSource) = matrix(matrixFile)
        return AccelerometerMounting(
            location: location(label, locationFile),
            matrix: matrix,
            matrixSource: matrixSource,
            faceUp: faceUp
        )
    }

    /// The sign of z with the display up, by the driver: negative for HID's and Chromebooks' sensors.
    private var faceUp: SensorFrame.FaceUp {
        name == "accel_3d" || name.utf8.starts(with: "cros-ec".utf8) ? .negativeZ : .positiveZ
    }

    // MARK: - Mount matrix

    private mutating func matrix(_ file: IIOAttribute?) -> (MountMatrix, source: String) {
        if let text = udev?.property("ACCEL_MOUNT_MATRIX") {
            return matrix(text, from: "ACCEL_MOUNT_MATRIX of " + path)
        }
        guard let file else { return (.identity, "") }
        do {
            return matrix(try file.read(), from: file.path)
        } catch {
            warnings.append(file.path + ": \(error.errno), using the identity")
            return (.identity, "")
        }
    }

    private mutating func matrix(_ text: String, from source: String) -> (MountMatrix, source: String) {
        let shown = source + ": " + AttributeText.quoted(text)
        guard let rows = AttributeText.matrixRows(text) else {
            warnings.append(shown + " is not a mount matrix, using the identity")
            return (.identity, "")
        }
        let (matrix, verdict) = MountMatrix.repaired(rows.x, rows.y, rows.z)
        switch verdict {
        case .sound:
            return (matrix, source)
        case .thirdRowReplaced:
            warnings.append(shown + " is singular, using the cross product of the first two rows for the third")
            return (matrix, source)
        case .singular:
            warnings.append(shown + " is singular, using the identity")
            return (.identity, "")
        }
    }

    // MARK: - Location

    private mutating func location(_ label: String?, _ file: IIOAttribute?) -> SensorLocation {
        if let text = udev?.property("ACCEL_LOCATION") {
            if let location = SensorLocation(udev: text) { return location }
            warnings.append(
                "ACCEL_LOCATION of " + path + ": " + AttributeText.quoted(text)
                    + " is neither display nor base, ignored"
            )
        }
        if let label, let location = SensorLocation(label: label) { return location }
        if let text = try? file?.read(), let location = SensorLocation(attribute: text) { return location }
        return .unknown
    }
}
