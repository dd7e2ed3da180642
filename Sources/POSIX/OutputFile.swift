// SPDX-License-Identifier: Apache-2.0

import CLinux

/// A file, pipe or terminal that is written through a buffer.
///
/// Nothing is lost silently: whoever writes ends with `flush`, which throws as `write` does. A closed pipe is an error
/// only where SIGPIPE is ignored.
package struct OutputFile: ~Copyable {
    private static let capacity = 65536

    private let descriptor: FileDescriptor
    private let name: String
    private var buffer: [UInt8] = []

    /// Takes a descriptor to write to; `name` is what errors call it.
    package init(_ descriptor: FileDescriptor, name: String) {
        self.descriptor = descriptor
        self.name = name
        buffer.reserveCapacity(Self.capacity)
    }

    /// Creates a file, or empties it; `permissions` are those of a new one, less the umask.
    package static func create(_ path: String, permissions: UInt32 = 0o666) throws(SystemError) -> OutputFile {
        let descriptor = try checkSystem("create", path, orientd_create(path, permissions))
        return OutputFile(FileDescriptor(owning: descriptor), name: path)
    }

    /// Takes the process's standard output, which is closed with the value.
    package static func standardOutput() -> OutputFile {
        OutputFile(FileDescriptor(owning: STDOUT_FILENO), name: "standard output")
    }

    /// Whether a person may be watching each line as it comes.
    package var isTerminal: Bool { isatty(descriptor.rawValue) == 1 }

    package mutating func write(_ text: String) throws(SystemError) {
        try write(text.utf8)
    }

    package mutating func write(_ bytes: some Collection<UInt8>) throws(SystemError) {
        if buffer.count + bytes.count > Self.capacity { try flush() }
        buffer.append(contentsOf: bytes)
    }

    /// Hands everything written so far to the system.
    package mutating func flush() throws(SystemError) {
        var done = 0
        while done < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                CLinux.write(descriptor.rawValue, bytes.baseAddress?.advanced(by: done), bytes.count - done)
            }
            if count == -1, Errno.current == .interrupted { continue }
            done += try checkSystem("write", name, count)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Flushes, and waits until everything has reached the disk.
    package mutating func sync() throws(SystemError) {
        try flush()
        try descriptor.sync(name)
    }
}
