// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import SystemdBus

/// A file of records for udev's hwdb.
struct HwdbFile {
    let path: String

    /// Adds a record, in the place of one with the same match; the file is whole at any time.
    ///
    /// What is no file, such as a pipe or a terminal, gets the record alone.
    func add(_ entry: HwdbEntry) throws(CommandError) {
        try calling { () throws(SystemError) in
            let path = target
            guard let text = try text(of: path) else { return try write(entry.text, to: path) }
            if path == HwdbEntry.standardPath { mkdir(folder, 0o755) }
            let new = path + ".new"
            // One that was left behind may be anything.
            unlink(new)
            do throws(SystemError) {
                try write(entry.added(to: text), to: new)
                try checkSystem("rename", new, rename(new, path))
            } catch {
                unlink(new)
                throw error
            }
        }
    }

    private func write(_ text: String, to path: String) throws(SystemError) {
        var file = try OutputFile.create(path, permissions: 0o644)
        try file.write(text)
        try file.flush()
    }

    /// The file that a link leads to; one that leads nowhere is left as it is, to be written through.
    private var target: String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// What a file holds; nothing where there is none yet, nil for what is no file that can be replaced.
    private func text(of path: String) throws(SystemError) -> String? {
        var information = stat()
        guard lstat(path, &information) == 0 else { return "" }
        guard information.st_mode & UInt32(S_IFMT) == UInt32(S_IFREG) else { return nil }
        return String(decoding: try FileDescriptor.contents(of: path), as: UTF8.self)
    }

    private var folder: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return String(decoding: path.utf8[..<slash], as: UTF8.self)
    }

    // MARK: - Loading

    /// What makes a record count for a device that is there.
    static func programs(for sysfsPath: String) -> [[String]] { loading(for: sysfsPath) + [restart] }

    private static func loading(for sysfsPath: String) -> [[String]] {
        [["systemd-hwdb", "update"], ["udevadm", "trigger", "--settle", sysfsPath]]
    }

    /// orientd takes the matrix of a sensor when it finds it.
    private static let restart = ["systemctl", "try-restart", "orientd.service"]

    /// Has hwdb and udev read a record that was added, and orientd the matrix; throws unless udev has it then.
    static func load(_ entry: HwdbEntry, for sysfsPath: String) throws(CommandError) {
        for program in loading(for: sysfsPath) { try Program.run(program) }
        let property = (try? Device(syspath: sysfsPath))?.property(HwdbEntry.property)
        guard property == entry.value else {
            let found = property.map { "\"\(printable($0))\"" } ?? "none"
            throw CommandError("udev has \(found) for \(HwdbEntry.property) of \(sysfsPath), not \"\(entry.value)\"")
        }
        StandardError.print("udev has the new matrix")
        do throws(CommandError) {
            try Program.run(restart)
        } catch {
            complain("warning: \(error.message); an orientd that runs has the old matrix until it is started again")
        }
    }
}
