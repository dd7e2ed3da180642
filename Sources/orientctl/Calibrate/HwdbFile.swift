// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import POSIX
import SystemdBus

/// A file of records for udev's hwdb.
struct HwdbFile {
    let path: String

    /// Adds a record in place of an earlier one for the same match, and replaces the file atomically.
    ///
    /// Pipes and terminals get the record alone.
    func add(_ entry: HwdbEntry) throws(SystemError) {
        let path = target
        guard let old = try status(of: path) else {
            if path == HwdbEntry.standardPath { mkdir(FileDescriptor.folder(of: path), 0o755) }
            return try OutputFile.replace(path, with: entry.added(to: []), permissions: 0o644)
        }
        guard old.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else { return try OutputFile.write(entry.text, to: path) }
        let bytes = entry.added(to: try FileDescriptor.contents(of: path))
        try OutputFile.replace(path, with: bytes, permissions: old.st_mode & 0o7777, owner: (old.st_uid, old.st_gid))
    }

    /// The target of a symbolic link; a dangling one is written through.
    private var target: String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Returns the file's status; nil if it does not exist.
    private func status(of path: String) throws(SystemError) -> stat? {
        var status = stat()
        guard lstat(path, &status) != 0 else { return status }
        guard Errno.current == .notFound else { throw SystemError("look at", path, errno: Errno.current) }
        return nil
    }

    // MARK: - Loading

    /// The programs that apply a record to a present device; orientd handles the resulting event.
    static func programs(for sysfsPath: String) -> [[String]] {
        [
            ["systemd-hwdb", "update"],
            // Without it udevd checks for a newer hwdb.bin at most every 3 s, and only at an event.
            ["udevadm", "control", "--reload"],
            ["udevadm", "trigger", "--settle", sysfsPath],
        ]
    }

    /// Applies a record that was added; throws unless udev has the new matrix then.
    static func load(_ entry: HwdbEntry, for sysfsPath: String) throws(CommandError) {
        for program in programs(for: sysfsPath) { try Program.run(program) }
        let property = (try? Device(syspath: sysfsPath))?.property(HwdbEntry.property)
        guard property == entry.value else {
            let found = property.map { "\"\(printable($0))\"" } ?? "none"
            throw CommandError("udev's \(HwdbEntry.property) of \(sysfsPath) is \(found) instead of \"\(entry.value)\"")
        }
        StandardError.print("udev has the new matrix")
    }
}
