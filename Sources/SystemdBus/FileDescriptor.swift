// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
#error("unsupported libc")
#endif

/// An open file descriptor, closed with its owner.
package struct FileDescriptor: ~Copyable {
    package let rawValue: Int32

    package init(owning rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit {
        close(rawValue)
    }

    /// Opens a file for reading.
    package static func open(reading path: String) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try checkSystem("open", path, Glibc.open(path, O_RDONLY | O_CLOEXEC)))
    }

    /// Creates a pipe, closed on exec.
    package static func pipe() throws(SystemError) -> Pipe {
        var ends: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutableBytes(of: &ends) { bytes in
            pipe2(bytes.assumingMemoryBound(to: Int32.self).baseAddress, O_CLOEXEC)
        }
        try checkSystem("create a pipe", "", result)
        return Pipe(reading: FileDescriptor(owning: ends.0), writing: FileDescriptor(owning: ends.1))
    }
}

/// The two ends of a pipe.
package struct Pipe: ~Copyable {
    package let reading: FileDescriptor
    package let writing: FileDescriptor
}
