// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// The directory of a device in sysfs: every write to a device of this machine goes through it.
///
/// A call that hangs may return after the device was unplugged, and must not write to another one at the same path.
package struct DeviceFolder: Hashable, Sendable {
    let path: String

    /// The inode of the directory; that of another device at the same path differs.
    ///
    /// Nil for a device of another machine, which counts as present.
    let inode: UInt64?

    init(_ path: String) {
        self.path = path
        inode = FileDescriptor.inode(of: path)
    }

    /// Whether a file belongs to the device.
    func contains(_ file: String) -> Bool { file.hasPrefix(path + "/") }

    /// Throws ENODEV once the device was unplugged.
    func checkPresence() throws(SystemError) {
        guard FileDescriptor.inode(of: path) == inode else { throw SystemError("use", path, errno: .noDevice) }
    }

    /// Writes a text and a newline to one of its files, whose whole path is given.
    ///
    /// Throws ENODEV once the device was unplugged.
    func write(_ text: String, to file: String) throws(SystemError) {
        try checkPresence()
        let operation = "write \(text) to"
        let descriptor = FileDescriptor(owning: try checkSystem(operation, file, orientd_open_for_writing(file)))
        var line = text + "\n"
        try checkSystem(
            operation,
            file,
            line.withUTF8 { bytes in
                retryingInterrupted { CLinux.write(descriptor.rawValue, bytes.baseAddress, bytes.count) }
            }
        )
    }
}
