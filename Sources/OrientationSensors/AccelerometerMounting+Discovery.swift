// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import SystemdBus

extension AccelerometerMounting {
    /// Finds out how an accelerometer is mounted, with a warning and a default for each invalid value.
    ///
    /// udev's properties come first, then the kernel's files. `path` is the device's directory, for messages; `name` is
    /// the driver's name of the chip.
    init(
        path: String,
        name: String,
        udev: Device?,
        matrixFile: IIOAttribute? = nil,
        label: String? = nil,
        locationFile: IIOAttribute? = nil,
        _ progress: DescriptionProgress,
        warnings: inout [String]
    ) {
        // First: it tells which sensor hangs, should the rest hang.
        location = Self.location(of: path, udev, label, locationFile, progress, &warnings)
        let location = location
        progress.update { $0.location = location }
        (matrix, matrixSource) = Self.matrix(of: path, udev, matrixFile, progress, &warnings)
        // The driver decides the sign: HID's and Chromebooks' read negative z with the display up.
        faceUp = name == "accel_3d" || name.utf8.starts(with: "cros-ec".utf8) ? .negativeZ : .positiveZ
    }

    private static func matrix(
        of path: String,
        _ udev: Device?,
        _ file: IIOAttribute?,
        _ progress: DescriptionProgress,
        _ warnings: inout [String]
    ) -> (MountMatrix, source: String) {
        let text: String
        let source: String
        if let property = udev?.property("ACCEL_MOUNT_MATRIX") {
            (text, source) = (property, "ACCEL_MOUNT_MATRIX of " + path)
        } else if let file {
            do {
                (text, source) = (try progress.text(of: file), file.path)
            } catch {
                warnings.append(file.path + ": \(error.errno), using the identity")
                return (.identity, "")
            }
        } else {
            return (.identity, "")
        }
        let shown = source + ": " + AttributeText.quoted(text)
        guard let rows = AttributeText.matrixRows(text) else {
            warnings.append(shown + " is not a mount matrix, using the identity")
            return (.identity, "")
        }
        let (matrix, verdict) = MountMatrix.repaired(rows.x, rows.y, rows.z)
        switch verdict {
        case .sound: break
        case .thirdRowReplaced:
            warnings.append(shown + " is singular, using the cross product of the first two rows for the third")
        case .singular:
            warnings.append(shown + " is singular, using the identity")
            return (.identity, "")
        }
        return (matrix, source)
    }

    private static func location(
        of path: String,
        _ udev: Device?,
        _ label: String?,
        _ file: IIOAttribute?,
        _ progress: DescriptionProgress,
        _ warnings: inout [String]
    ) -> SensorLocation {
        if let text = udev?.property("ACCEL_LOCATION") {
            if let location = SensorLocation(udev: text) { return location }
            let shown = "ACCEL_LOCATION of " + path + ": " + AttributeText.quoted(text)
            warnings.append(shown + " is neither display nor base, ignored")
        }
        if let label, let location = SensorLocation(label: label) { return location }
        if let file, let text = try? progress.text(of: file), let location = SensorLocation(attribute: text) {
            return location
        }
        return .unknown
    }
}
