// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import POSIX
import Testing

@Suite final class FileContentsTests {
    private let path: String

    init() throws {
        var template = Array("/tmp/orientd-file-XXXXXX".utf8CString)
        close(mkstemp(&template))
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { unlink(path) }

    private func write(_ count: Int) throws {
        var file = try OutputFile.create(path)
        try file.write([UInt8](repeating: 0x78, count: count))
        try file.flush()
    }

    @Test(arguments: [0, 1, 65536, 100_000])
    func `a file is read whole up to the limit`(count: Int) throws {
        try write(count)
        #expect(try FileDescriptor.contents(of: path, limit: count) == [UInt8](repeating: 0x78, count: count))
    }

    @Test(arguments: [0, 1, 65536, 100_000])
    func `a larger file is an error, not a part of it`(limit: Int) throws {
        try write(limit + 1)
        let error = SystemError("read", path, errno: .tooBig, reason: "it has more than \(limit) bytes")
        #expect(throws: error) { try FileDescriptor.contents(of: path, limit: limit) }
    }

    // The kernel's files have no size.
    @Test func `a file of the kernel is read`() throws {
        #expect(try FileDescriptor.contents(of: "/proc/self/comm", limit: 64).last == UInt8(ascii: "\n"))
    }

    @Test func `the null device is an empty file`() throws {
        #expect(try FileDescriptor.contents(of: "/dev/null") == [])
    }

    // Devices and pipes never ended: the reader took all memory, or waited.
    @Test func `a device, a pipe or a socket is not read`() throws {
        unlink(path)
        #expect(mkfifo(path, 0o600) == 0)
        let writer = FileDescriptor(owning: open(path, O_RDWR))
        #expect(Glibc.write(writer.rawValue, "x", 1) == 1)
        for path in ["/dev/zero", "/dev/urandom", "/dev/tty0", path] where access(path, R_OK) == 0 {
            let error = SystemError("read", path, errno: .invalid, reason: "it is no regular file")
            #expect(throws: error) { try FileDescriptor.contents(of: path) }
        }
    }

    @Test func `a long text is cut for a message`() {
        #expect(shortened("abc", to: 3) == "abc")
        #expect(shortened("abcd", to: 3) == "abc…")
    }
}
