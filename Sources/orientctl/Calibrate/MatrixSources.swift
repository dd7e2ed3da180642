// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import OrientationSensors
import SystemdBus

/// The mount matrices of a sensor from udev's hwdb and from the kernel, as texts.
struct MatrixSources: Hashable {
    let hwdb, kernel: String?

    /// Whether both are valid and describe different mountings.
    var areInConflict: Bool {
        guard let ours = hwdb.flatMap(AttributeText.matrixRows), let theirs = kernel.flatMap(AttributeText.matrixRows),
            // Drivers report the identity where the firmware has no matrix.
            MountMatrix(rows: theirs.x, theirs.y, theirs.z) != .identity
        else { return false }
        // The kernel's documentation defines x and y with the opposite sign, and many drivers follow it.
        return ![1.0, -1.0].contains { sign in
            ours.x.isNear(theirs.x, times: sign) && ours.y.isNear(theirs.y, times: sign) && ours.z.isNear(theirs.z)
        }
    }
}

extension MatrixSources {
    init(of sensor: Device) {
        hwdb = sensor.property(HwdbEntry.property)
        kernel = ["in_accel_mount_matrix", "in_mount_matrix", "mount_matrix"].lazy.compactMap(sensor.attribute).first
    }
}

extension Vector3 {
    /// Returns whether this is about `factor` times `other`.
    fileprivate func isNear(_ other: Vector3, times factor: Double = 1) -> Bool {
        (self - other * factor).magnitude < 0.1
    }
}
