// SPDX-License-Identifier: Apache-2.0

import CLinux

/// An open file descriptor, closed with its owner.
package final class FileDescriptor {
    package let rawValue: Int32

    package init(owning rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit {
        close(rawValue)
    }

    /// Opens a file for reading.
    package static func open(reading path: String) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try checkSystem("open", path, orientd_open_for_reading(path)))
    }

    /// Opens a device whose values are to be read as they come: reading never waits for one.
    package static func open(withoutWaiting path: String) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try checkSystem("open", path, orientd_open_without_waiting(path)))
    }

    /// Whether it refers to a regular file, which reading never waits for; `name` is what the error calls it.
    package func isRegularFile(_ name: String) throws(SystemError) -> Bool {
        var status = stat()
        try checkSystem("look at", name, fstat(rawValue, &status))
        return status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG)
    }

    /// Refers to a process, whatever becomes of its number: readable once it has ended, and closed on exec.
    package static func process(_ id: Int32) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try checkSystem("watch process", "\(id)", orientd_pidfd_open(id)))
    }

    /// Returns what a file holds, or the first `limit` bytes of that; nothing of a pipe that nobody writes to.
    package static func contents(of path: String, limit: Int = .max) throws(SystemError) -> [UInt8] {
        let file = FileDescriptor(owning: try checkSystem("read", path, orientd_open_without_waiting(path)))
        return try file.readToEnd(path, limit: limit)
    }

    /// Reads on until the end, or for `limit` bytes; `name` is what the error calls it.
    package func readToEnd(_ name: String, limit: Int = .max) throws(SystemError) -> [UInt8] {
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit, 65536))
        while contents.count < limit {
            let wanted = min(chunk.count, limit - contents.count)
            let count = CLinux.read(rawValue, &chunk, wanted)
            if count == -1, Errno.current == .interrupted { continue }
            guard try checkSystem("read", name, count) > 0 else { break }
            contents += chunk[..<count]
        }
        return contents
    }

    /// Waits until what was written has reached the disk; `name` is what the error calls it.
    package func sync(_ name: String) throws(SystemError) {
        try checkSystem("sync", name, fsync(rawValue))
    }

    /// Waits until what a file is called, after it was renamed, has reached the disk.
    package static func syncName(of path: String) throws(SystemError) {
        let folder = folder(of: path)
        try open(reading: folder).sync(folder)
    }

    /// The folder that a file is in, ending with a slash; `.` for a name alone.
    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return String(decoding: path.utf8[...slash], as: UTF8.self)
    }

    /// Creates a pipe, closed on exec; both ends are the caller's to own.
    package static func pipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
        var ends: (reading: Int32, writing: Int32) = (-1, -1)
        let result = withUnsafeMutableBytes(of: &ends) { bytes in
            CLinux.pipe(bytes.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        try checkSystem("create a pipe", "", result)
        // The process starts no other that could inherit them in between.
        try checkSystem("close on exec", "a pipe", orientd_close_on_exec(ends.reading))
        try checkSystem("close on exec", "a pipe", orientd_close_on_exec(ends.writing))
        return ends
    }
}
