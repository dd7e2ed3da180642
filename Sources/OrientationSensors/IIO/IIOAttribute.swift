// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// One attribute file, local or behind the network.
struct IIOAttribute {
    /// How libiio reads and writes the file of another machine.
    struct Remote {
        let context: IIOContext
        let read: (UnsafeMutablePointer<CChar>?, Int) -> Int
        let write: (UnsafeRawPointer?, Int) -> Int
    }

    /// Of the device.
    let folder: DeviceFolder
    /// Nil for a file of this machine.
    let remote: Remote?
    /// The file, for messages and to tell shared attributes.
    let path: String

    /// The text without the white space around it.
    func read() throws(SystemError) -> String {
        // A page is the most that sysfs gives.
        let text = try withUnsafeText(of: try open(), capacity: 4096) { String(cString: $0) }
        return String(Substring(trimmed(text.utf8)))
    }

    /// The number in the file.
    func readNumber() throws(SystemError) -> Double { try readNumber(from: try open()) }

    /// The number in the file that ``open()`` has returned.
    ///
    /// Allocates nothing of ours. Throws EINVAL for any other text.
    func readNumber(from file: FileDescriptor?) throws(SystemError) -> Double {
        let number = try withUnsafeText(of: file, capacity: 128) { AttributeText.number($0) }
        guard let number else { throw SystemError("make a number of", path, errno: .invalid) }
        return number
    }

    /// Opens the file; nil for an attribute that libiio reads.
    func open() throws(SystemError) -> FileDescriptor? {
        guard remote == nil else { return nil }
        return FileDescriptor(owning: try checkSystem("read", path, orientd_open_for_reading(path)))
    }

    /// Writes a text and a newline; `iio_*_attr_write` would write a NUL too.
    func write(_ text: String) throws(SystemError) {
        guard let remote else { return try folder.write(text, to: path) }
        let operation = "write \(text) to"
        var line = text + "\n"
        try remote.context.checkConnection(operation, path)
        let written = line.withUTF8 { remote.write($0.baseAddress, $0.count) }
        try remote.context.checkAnswer(operation, path, written)
    }

    /// Reads the present text of an open file into a buffer; returns the number of bytes, or a negative errno.
    ///
    /// Fails with EIO for an empty file and with EFBIG for one that does not fit. Allocates nothing.
    private static func read(_ file: FileDescriptor, into text: UnsafeMutablePointer<CChar>?, _ capacity: Int) -> Int {
        // sysfs makes the text anew for each read from the beginning.
        var count = retryingInterrupted { pread(file.rawValue, text, capacity, 0) }
        // What stands in for sysfs may be a pipe.
        if count < 0, Errno.current.code == ESPIPE {
            count = retryingInterrupted { CLinux.read(file.rawValue, text, capacity) }
        }
        let result = count < 0 ? -Int(Errno.current.code) : count == 0 ? -Int(EIO) : count
        return result < capacity ? result : -Int(EFBIG)
    }

    /// Reads into a buffer on the stack; what `body` gets ends in a NUL.
    private func withUnsafeText<Result>(
        of file: FileDescriptor?,
        capacity: Int,
        _ body: (UnsafePointer<CChar>) -> Result
    ) throws(SystemError) -> Result {
        try remote?.context.checkConnection("read", path)
        var count = 0
        let result = withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity + 1) { buffer -> Result? in
            buffer.initialize(repeating: 0)
            count =
                remote?.read(buffer.baseAddress, capacity)
                ?? file.map { Self.read($0, into: buffer.baseAddress, capacity) } ?? -Int(EBADF)
            return count < 0 ? nil : buffer.baseAddress.map { body($0) }
        }
        if let remote { try remote.context.checkAnswer("read", path, count) } else { try check("read", path, count) }
        guard let result else { throw SystemError("read", path, errno: .invalid) }
        return result
    }
}
