// SPDX-License-Identifier: Apache-2.0

import CLinux

/// A file, pipe or terminal with a write buffer.
///
/// Call `flush` at the end: it reports the last errors. A closed pipe is an error only where SIGPIPE is ignored.
package struct OutputFile: ~Copyable {
    private static let capacity = 65536

    private let descriptor: FileDescriptor
    private let name: String
    private var buffer: [UInt8] = []

    /// `name` is the subject of errors.
    package init(_ descriptor: FileDescriptor, name: String) {
        self.descriptor = descriptor
        self.name = name
        buffer.reserveCapacity(Self.capacity)
    }

    /// Creates or truncates a file; the umask applies to `permissions`.
    ///
    /// With `waits` false a pipe that takes no more is an error, and so is one that nobody reads.
    package static func create(
        _ path: String,
        permissions: UInt32 = 0o666,
        waits: Bool = true
    ) throws(SystemError) -> OutputFile {
        let created =
            waits ? orientd_create(path, permissions) : orientd_create_without_waiting(path, permissions)
        return OutputFile(FileDescriptor(owning: try checkSystem("create", named(path), created)), name: path)
    }

    /// The process's standard output, which is closed with the value.
    package static func standardOutput() -> OutputFile {
        OutputFile(FileDescriptor(owning: STDOUT_FILENO), name: "standard output")
    }

    /// Writes lines to the process's standard output, and closes it.
    package static func print(_ lines: [String]) throws(SystemError) {
        var output = standardOutput()
        for line in lines { try output.write(line + "\n") }
        try output.flush()
    }

    /// Replaces a file atomically; its contents are on the disk when this returns.
    package static func replace(
        _ path: String,
        with contents: some Collection<UInt8>,
        permissions: UInt32,
        owner: (user: UInt32, group: UInt32)? = nil
    ) throws(SystemError) {
        // A name that nobody else uses, so no link is followed; udev and StateFile ignore files with such a suffix.
        var template = Array((path + ".XXXXXX").utf8CString)
        let descriptor = FileDescriptor(owning: try checkSystem("replace", path, mkostemp(&template, O_CLOEXEC)))
        do throws(SystemError) {
            if let owner {
                try checkSystem("set the owner of", path, fchown(descriptor.rawValue, owner.user, owner.group))
            }
            try checkSystem("set the permissions of", path, fchmod(descriptor.rawValue, permissions))
            var file = OutputFile(descriptor, name: path)
            try file.write(contents)
            try file.flush()
            try descriptor.sync(path)
            try checkSystem("replace", path, rename(template, path))
        } catch {
            unlink(template)
            throw error
        }
        let folder = FileDescriptor.folder(of: path)
        try FileDescriptor.open(reading: folder).sync(folder)
    }

    package var isTerminal: Bool { isatty(descriptor.rawValue) == 1 }

    package mutating func write(_ text: String) throws(SystemError) { try write(text.utf8) }

    package mutating func write(_ bytes: some Collection<UInt8>) throws(SystemError) {
        if buffer.count + bytes.count > Self.capacity { try flush() }
        buffer.append(contentsOf: bytes)
    }

    package mutating func flush() throws(SystemError) {
        var done = 0
        while done < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                retryingInterrupted {
                    CLinux.write(descriptor.rawValue, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                }
            }
            done += try checkSystem("write", name, count)
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
