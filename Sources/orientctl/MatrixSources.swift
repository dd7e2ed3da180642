// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import OrientationSensors
import SystemdBus

/// What udev's hwdb and the kernel say of how a sensor is built in, each in its own words.
struct MatrixSources: Hashable {
    /// Nil where hwdb has none.
    let hwdb: String?

    /// Nil where the kernel has none.
    let kernel: String?

    init(hwdb: String?, kernel: String?) {
        self.hwdb = hwdb
        self.kernel = kernel
    }

    init(of sensor: Device) {
        hwdb = sensor.property(HwdbEntry.property)
        kernel = ["in_accel_mount_matrix", "in_mount_matrix", "mount_matrix"].lazy.compactMap(sensor.attribute).first
    }

    /// Whether both make sense and mean different mountings; hwdb's counts then.
    var areInConflict: Bool {
        guard let ours = hwdb.flatMap(AttributeText.matrixRows), let theirs = kernel.flatMap(AttributeText.matrixRows),
            // Drivers have the identity where the firmware says nothing.
            MountMatrix(rows: theirs.x, theirs.y, theirs.z) != .identity
        else { return false }
        // The kernel's own document has x and y the other way round, and many drivers' matrices follow that.
        return ![1.0, -1.0].contains { sign in
            ours.x.isNear(theirs.x, times: sign) && ours.y.isNear(theirs.y, times: sign) && ours.z.isNear(theirs.z)
        }
    }
}

extension Vector3 {
    /// Says whether this is so many times `other`, but for rounding.
    fileprivate func isNear(_ other: Vector3, times factor: Double = 1) -> Bool {
        Vector3(x - factor * other.x, y - factor * other.y, z - factor * other.z).magnitude < 0.1
    }
}
