// SPDX-License-Identifier: Apache-2.0

package import CLinux

/// An open file descriptor, closed with its owner.
package final class FileDescriptor {
    package let rawValue: Int32

    package init(owning rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit { close(rawValue) }

    package static func open(reading path: String) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try checkSystem("open", named(path), orientd_open_for_reading(path)))
    }

    /// Opens a device for reads that never block.
    package static func open(withoutWaiting path: String) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try checkSystem("open", named(path), orientd_open_without_waiting(path)))
    }

    private var information: stat? {
        var status = stat()
        return fstat(rawValue, &status) == 0 ? status : nil
    }

    /// Whether it refers to a pipe, which seems to be at its end until a program writes to it.
    package var isPipe: Bool { information?.isKind(S_IFIFO) ?? false }

    /// Whether it refers to a regular file that belongs to the user whose rights the process has.
    package var isOwnFile: Bool {
        information.map { $0.isKind(S_IFREG) && $0.st_uid == geteuid() } ?? false
    }

    /// The number of its file or folder, which no other has while it exists.
    package var inode: UInt64? { information.map { UInt64($0.st_ino) } }

    /// Whether no name refers to its file any more, as after the file was replaced.
    package var isDeleted: Bool { information?.st_nlink == 0 }

    /// Refers to a process, also after its id is reused: readable once the process has ended, and closed on exec.
    package static func process(_ id: Int32) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try checkSystem("watch process", "\(id)", orientd_pidfd_open(id)))
    }

    /// Returns the contents of a regular file of at most `limit` bytes; the null device counts as an empty one.
    ///
    /// Never waits for a pipe or a device. Throws `EFBIG` for a larger file, and `EINVAL` for another kind of file.
    package static func contents(of path: String, limit: Int = 1 << 20) throws(SystemError) -> [UInt8] {
        let file = FileDescriptor(owning: try checkSystem("read", named(path), orientd_open_without_waiting(path)))
        guard let information = file.information else { throw SystemError("look at", path, errno: .current) }
        // A service masks a file by a link to the null device, which is number 3 of the devices of kind 1.
        if information.isKind(S_IFCHR), information.st_rdev == 0x103 { return [] }
        // Reading a folder fails by itself.
        guard information.isKind(S_IFREG) || information.isKind(S_IFDIR) else {
            throw SystemError("read", path, errno: .invalid, reason: "it is no regular file")
        }
        let contents = try file.readToEnd(path, limit: limit + 1)
        guard contents.count <= limit else {
            throw SystemError("read", path, errno: .tooBig, reason: "it has more than \(limit) bytes")
        }
        return contents
    }

    /// Reads until the end, or for `limit` bytes; `name` is the subject of errors.
    package func readToEnd(_ name: String, limit: Int) throws(SystemError) -> [UInt8] {
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit, 65536))
        while contents.count < limit {
            let wanted = min(chunk.count, limit - contents.count)
            let count = retryingInterrupted { CLinux.read(rawValue, &chunk, wanted) }
            guard try checkSystem("read", name, count) > 0 else { break }
            contents += chunk[..<count]
        }
        return contents
    }

    /// Waits until the written data are on the disk; `name` is the subject of errors.
    package func sync(_ name: String) throws(SystemError) {
        try checkSystem("sync", name, fsync(rawValue))
    }

    /// Creates a pipe, closed on exec; the caller owns both ends.
    package static func pipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        try checkSystem("create a pipe", "", pipe2(&ends, O_CLOEXEC))
        return (ends[0], ends[1])
    }

    // MARK: - Folders

    /// The folder of a file, ending with a slash; `.` for a name alone.
    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return String(decoding: path.utf8[...slash], as: UTF8.self)
    }

    /// The number of a file or folder, which no other has while it exists; nil where there is none.
    package static func inode(of path: String) -> UInt64? {
        var information = stat()
        return stat(path, &information) == 0 ? UInt64(information.st_ino) : nil
    }

    /// The names in a folder, in no particular order.
    package static func names(in folder: String) throws(SystemError) -> [String] {
        guard let stream = opendir(folder) else { throw SystemError("read", folder, errno: .current) }
        defer { closedir(stream) }
        var names: [String] = []
        while let name = orientd_next_name(stream).map({ String(cString: $0) }) {
            if name != ".", name != ".." { names.append(name) }
        }
        guard Errno.current.code == 0 else { throw SystemError("read", folder, errno: .current) }
        return names
    }
}

/// Calls the system again for as long as a signal interrupts the call.
package func retryingInterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        guard result == -1, Errno.current == .interrupted else { return result }
    }
}

extension stat {
    /// Whether it describes a file of a kind, such as `S_IFREG`.
    package func isKind(_ kind: Int32) -> Bool { st_mode & mode_t(S_IFMT) == mode_t(kind) }
}

/// Returns a path as an error names it: an empty one would leave a gap.
func named(_ path: String) -> String { path.isEmpty ? "''" : path }
