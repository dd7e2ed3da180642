// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// Reading of attribute files of this machine, without libiio.
enum AttributeFile {
    /// Opens a file to be read.
    static func open(_ path: String) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try checkSystem("read", path, orientd_open_for_reading(path)))
    }

    /// Reads the present text of an open file into a buffer; returns the number of bytes, or a negative errno.
    ///
    /// Fails with EIO for an empty file and with EFBIG for one that does not fit. Allocates nothing.
    static func read(_ file: FileDescriptor, into text: UnsafeMutablePointer<CChar>?, _ capacity: Int) -> Int {
        // sysfs makes the text anew for each read from the beginning.
        var count = retryingInterrupted { pread(file.rawValue, text, capacity, 0) }
        // What stands in for sysfs may be a pipe.
        if count < 0, Errno.current.code == ESPIPE {
            count = retryingInterrupted { CLinux.read(file.rawValue, text, capacity) }
        }
        let result = count < 0 ? -Int(Errno.current.code) : count == 0 ? -Int(EIO) : count
        return result < capacity ? result : -Int(EFBIG)
    }

    /// The text of a file without white space around it; empty for an empty file.
    static func text(_ path: String) throws(SystemError) -> String {
        let contents = try FileDescriptor.contents(of: path, limit: 4096)
        return String(decoding: trimmed(contents), as: UTF8.self)
    }
}
