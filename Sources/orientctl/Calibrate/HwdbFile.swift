// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import POSIX
import SystemdBus

/// A file of records for udev's hwdb.
struct HwdbFile {
    let path: String

    /// The administrator's own.
    static let standard = HwdbFile(path: HwdbEntry.standardPath)

    /// Says whether a record has that matrix, for whatever sensor.
    func hasMatrix(_ value: String) -> Bool {
        (try? FileDescriptor.contents(of: path)).map { HwdbEntry.isMatrix(value, in: $0) } ?? false
    }

    /// Adds a record, which takes the place of an earlier one; what else the file has stays, and it is whole at any time.
    ///
    /// What is no file, such as a pipe or a terminal, gets the record alone.
    func add(_ entry: HwdbEntry) throws(CommandError) {
        try calling { () throws(SystemError) in
            let path = target
            guard let old = try status(of: path) else {
                if path == HwdbEntry.standardPath { mkdir(FileDescriptor.folder(of: path), 0o755) }
                return try replace(path, with: entry.added(to: []), permissions: 0o644)
            }
            guard old.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else { return try write(entry.text, to: path) }
            let bytes = entry.added(to: try FileDescriptor.contents(of: path))
            try replace(path, with: bytes, permissions: old.st_mode & 0o7777, owner: (old.st_uid, old.st_gid))
        }
    }

    /// The file that a link leads to; one that leads nowhere is left as it is, to be written through.
    private var target: String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// What there is; nil where there is nothing.
    private func status(of path: String) throws(SystemError) -> stat? {
        var status = stat()
        guard lstat(path, &status) != 0 else { return status }
        guard Errno.current == .notFound else { throw SystemError("look at", path, errno: Errno.current) }
        return nil
    }

    private func write(_ text: String, to path: String) throws(SystemError) {
        var file = try OutputFile.create(path)
        try file.write(text)
        try file.flush()
    }

    /// Puts `bytes` in the place of what a file held; they are on the disk when this returns.
    private func replace(
        _ path: String,
        with bytes: [UInt8],
        permissions: mode_t,
        owner: (user: uid_t, group: gid_t)? = nil
    ) throws(SystemError) {
        // A name that nobody else has; udev reads none that ends so.
        var template = Array((path + ".XXXXXX").utf8CString)
        let descriptor = FileDescriptor(owning: try checkSystem("create a file beside", path, mkstemp(&template)))
        let new = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do throws(SystemError) {
            if let owner {
                try checkSystem("keep the owner of", path, fchown(descriptor.rawValue, owner.user, owner.group))
            }
            try checkSystem("set the permissions of", new, fchmod(descriptor.rawValue, permissions))
            var file = OutputFile(descriptor, name: new)
            try file.write(bytes)
            try file.sync()
            try checkSystem("rename \(new) to", path, rename(new, path))
        } catch {
            unlink(new)
            throw error
        }
        try FileDescriptor.syncName(of: path)
    }

    // MARK: - Loading

    /// What makes a record count for a device that is there: orientd takes notice of the event.
    static func programs(for sysfsPath: String) -> [[String]] {
        [
            ["systemd-hwdb", "update"],
            // By itself udevd looks for a newer hwdb.bin at an event only, and then not again for 3 s.
            ["udevadm", "control", "--reload"],
            ["udevadm", "trigger", "--settle", sysfsPath],
        ]
    }

    /// Has hwdb and udev read a record that was added; throws unless udev has it then.
    static func load(_ entry: HwdbEntry, for sysfsPath: String) throws(CommandError) {
        for program in programs(for: sysfsPath) { try Program.run(program) }
        let property = (try? Device(syspath: sysfsPath))?.property(HwdbEntry.property)
        guard property == entry.value else {
            let found = property.map { "\"\(printable($0))\"" } ?? "none"
            throw CommandError("udev has \(found) for \(HwdbEntry.property) of \(sysfsPath), not \"\(entry.value)\"")
        }
        StandardError.print("udev has the new matrix")
    }
}
