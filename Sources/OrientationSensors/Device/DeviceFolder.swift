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

    /// Whether the whole path of a file names one below the directory, by its text alone: no empty part, `.` or `..`.
    func contains(_ file: String) -> Bool { parts(of: file) != nil }

    /// The folders and the name of a file below the directory; nil for any other path.
    private func parts(of file: String) -> [String]? {
        guard file.begins(with: path + "/") else { return nil }
        let parts = file.utf8.dropFirst(path.utf8.count + 1)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
        return parts.allSatisfy { !["", ".", ".."].contains($0) } ? parts : nil
    }

    /// Throws ENODEV once the device was unplugged.
    func checkPresence() throws(SystemError) {
        guard FileDescriptor.inode(of: path) == inode else { throw SystemError("use", path, errno: .noDevice) }
    }

    /// Writes a text and a newline to one of its files, whose whole path is given.
    ///
    /// Follows no link, so that it writes below the directory only. Throws ENODEV once the device was unplugged.
    func write(_ text: String, to file: String) throws(SystemError) {
        let operation = "write \(text) to"
        guard let parts = parts(of: file), let name = parts.last else {
            throw SystemError(operation, file, errno: .invalid)
        }
        var folder = try open(operation, file, orientd_open_folder(path))
        // The directory that was opened is the one that is checked and written in.
        guard folder.inode == inode else { throw SystemError("use", path, errno: .noDevice) }
        for part in parts.dropLast() {
            folder = try open(operation, file, orientd_open_folder_at(folder.rawValue, part))
        }
        let descriptor = try open(operation, file, orientd_open_for_writing_at(folder.rawValue, name))
        var line = text + "\n"
        try checkSystem(
            operation,
            file,
            line.withUTF8 { bytes in
                retryingInterrupted { CLinux.write(descriptor.rawValue, bytes.baseAddress, bytes.count) }
            }
        )
    }

    private func open(_ operation: String, _ file: String, _ opened: Int32) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try checkSystem(operation, file, opened))
    }
}
