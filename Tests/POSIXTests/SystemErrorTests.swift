// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import POSIX
import PrivateBus
import SystemdBus
import Testing

@Suite struct SystemErrorTests {
    @Test(arguments: [(ENOENT, "No such file or directory"), (EIO, "Input/output error"), (0, "Success")])
    func `an errno of either sign reads as the system's text`(code: Int32, text: String) {
        #expect("\(Errno(code))" == text)
        #expect("\(Errno(-code))" == text)
        #expect(Errno(-code).code == code)
        #expect(Errno(-code) == Errno(code))
    }

    @Test func `an error tells what could not be done, to what and why`() {
        #expect(
            "\(SystemError("open", "/dev/x", errno: .notFound))" == "cannot open /dev/x: No such file or directory"
        )
        let error = SystemError("read", "x", errno: .invalid, reason: "it is no file")
        #expect("\(error)" == "cannot read x: it is no file")
        #expect("\(SystemError("fork", errno: .again))" == "cannot fork: Resource temporarily unavailable")
    }

    @Test func `libsystemd's results are failures when negative`() throws {
        #expect(try check("do", "it", 0) == 0)
        #expect(try check("do", 5) == 5)
        #expect(throws: SystemError("do", "it", errno: .busy)) { try check("do", "it", -EBUSY) }
        #expect(throws: SystemError("do", "", errno: .invalid)) { try check("do", -EINVAL) }
    }

    @Test func `the system's results are failures when -1, with the reason in errno`() throws {
        #expect(try checkSystem("do", "it", Int32(0)) == 0)
        #expect(try checkSystem("do", "it", -2) == -2)
        #expect(throws: SystemError("close", "nothing", errno: Errno(EBADF))) {
            try checkSystem("close", "nothing", close(-1))
        }
        #expect(throws: SystemError("read", "nothing", errno: Errno(EBADF))) {
            try checkSystem("read", "nothing", read(-1, nil, 0))
        }
    }
}

@Suite struct FileDescriptorTests {
    @Test(arguments: [("/nonexistent/file", ENOENT), ("/dev/null/file", ENOTDIR), ("", ENOENT)])
    func `a file that cannot be opened is an error with its path`(path: String, code: Int32) {
        #expect(throws: SystemError("open", path.isEmpty ? "''" : path, errno: Errno(code))) {
            _ = try FileDescriptor.open(reading: path).rawValue
        }
    }

    @Test(arguments: [("/nonexistent/file", ENOENT), ("/", EISDIR)])
    func `contents that cannot be read are an error with the path`(path: String, code: Int32) {
        #expect(throws: SystemError("read", path, errno: Errno(code))) { try FileDescriptor.contents(of: path) }
    }

    @Test func `a descriptor is closed with its owner, and on exec`() throws {
        let ends = try FileDescriptor.pipe()
        var owners: [FileDescriptor] = [FileDescriptor(owning: ends.reading), FileDescriptor(owning: ends.writing)]
        #expect(owners.map { Glibc.fcntl($0.rawValue, F_GETFD) } == [FD_CLOEXEC, FD_CLOEXEC])
        // A number that nothing else in the process is given meanwhile.
        #expect(dup2(ends.reading, 1000) == 1000)
        owners = [FileDescriptor(owning: 1000)]
        var byte: UInt8 = 0
        owners = []
        #expect(read(1000, &byte, 1) == -1)
        #expect(Errno.current == Errno(EBADF))
    }
}

@Suite struct ProcessDescriptorTests {
    @Test func `a process's descriptor can be read once the process has ended, and not before`() throws {
        let loop = try EventLoop()
        var process: pid_t = 0
        var arguments = [strdup("sleep"), strdup("1000"), nil]
        defer { for argument in arguments { free(argument) } }
        try check("start", "sleep", -posix_spawnp(&process, "sleep", nil, nil, &arguments, environ))
        let descriptor = try FileDescriptor.process(process)
        #expect(Glibc.fcntl(descriptor.rawValue, F_GETFD) == FD_CLOEXEC)
        var hasEnded = false
        let watch = try loop.watch(descriptor.rawValue) { hasEnded = true }
        try loop.runWhatIsDue()
        #expect(!hasEnded)
        kill(process, SIGKILL)
        try loop.run { hasEnded }
        // Its number may be another's from here on.
        waitpid(process, nil, 0)
        withExtendedLifetime(watch) {}
    }

    static let strangers: [(Int32, Int32)] = [(0, EINVAL), (4_194_305, ESRCH)]

    @Test(arguments: strangers)
    func `a process that does not exist is an error with its number`(process: Int32, code: Int32) {
        #expect(throws: SystemError("watch process", "\(process)", errno: Errno(code))) {
            _ = try FileDescriptor.process(process)
        }
    }
}

@Suite struct OutputFileTests {
    @Test func `a full disk shows at the latest when flushing`() throws {
        var file = try OutputFile.create("/dev/full")
        let isTerminal = file.isTerminal
        #expect(!isTerminal)
        try file.write("some text")
        do throws(SystemError) {
            try file.flush()
            Issue.record("nothing was thrown")
        } catch {
            #expect(error == SystemError("write", "/dev/full", errno: Errno(ENOSPC)))
        }
    }

    @Test func `a full disk shows while writing once the buffer is full`() throws {
        var file = try OutputFile.create("/dev/full")
        let text = String(repeating: "x", count: 60_000)
        try file.write(text)
        do throws(SystemError) {
            try file.write(text)
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.errno == Errno(ENOSPC))
        }
    }

    @Test func `syncing what is not on a disk is an error`() throws {
        let file = try FileDescriptor.open(reading: "/dev/null")
        #expect(throws: SystemError("sync", "/dev/null", errno: .invalid)) { try file.sync("/dev/null") }
    }

    @Test func `a file that cannot be created is an error with its path`() {
        #expect(throws: SystemError("create", "/nonexistent/file", errno: .notFound)) {
            _ = try OutputFile.create("/nonexistent/file").isTerminal
        }
    }

    @Test(arguments: [[], [0], [1], [65_535, 1, 1], [65_536, 65_536], [200_000, 3], [1, 65_536, 70_000, 0, 5]])
    func `everything written arrives, once and in order`(lengths: [Int]) throws {
        var path = Array("/tmp/orientd-output-XXXXXX".utf8CString)
        let descriptor = try FileDescriptor(owning: checkSystem("create", "a file", mkstemp(&path)))
        let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(name) }
        write(descriptor.rawValue, "what was there before", 21)

        var expected: [UInt8] = []
        var file = try OutputFile.create(name)
        for (index, length) in lengths.enumerated() {
            let text = String(repeating: "\(index)", count: length)
            expected += text.utf8
            try file.write(text)
        }
        try file.flush()
        try file.flush()

        lseek(descriptor.rawValue, 0, SEEK_SET)
        var received = [UInt8](repeating: 0, count: expected.count + 100)
        received.removeLast(received.count - max(0, read(descriptor.rawValue, &received, received.count)))
        // Swift Testing takes minutes to tell two such arrays apart.
        #expect(received.elementsEqual(expected), "\(received.count) bytes instead of \(expected.count)")
    }
}
