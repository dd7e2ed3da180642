// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import POSIX
import PrivateBus
import SystemdBus
import Testing

@Suite struct ChildProcessTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    /// Runs a script of the shell to its end; returns its lines and how it ended.
    private func run(_ script: String, timeout: Double? = nil) throws -> (lines: [String], end: ChildProcess.End) {
        var (lines, end) = ([String](), ChildProcess.End?.none)
        _ = try ChildProcess(["sh", "-c", script], timeout: timeout, loop: loop) {
            lines.append(String(decoding: $0, as: UTF8.self))
        } onEnd: {
            end = $0
        }
        try loop.run { end != nil }
        return (lines, try #require(end))
    }

    private static func printing(_ count: Int, _ text: String) -> String {
        "head -c \(count) /dev/zero | tr '\\0' '\(text)'; echo"
    }

    @Test(arguments: [
        ("true", [], 0), ("exit 3", [], 3), ("kill -9 $$", [], 137), ("echo a; echo; echo b", ["a", "", "b"], 0),
        // What follows the last newline is no line.
        ("printf 'a\\nb'", ["a"], 0), ("exec >&-; sleep 0", [], 0),
    ])
    func `its lines and its status are those of the program`(script: String, lines: [String], status: Int32) throws {
        let (found, end) = try run(script)
        #expect(found == lines)
        #expect(end.status == status && end.reason == nil)
    }

    // A process in the background held the pipe, whose end the program's caller waited for.
    @Test func `a process that keeps the output open is not waited for`() throws {
        let (lines, end) = try run("echo a; sleep 1000 & echo $!")
        #expect(lines.first == "a" && end.status == 0)
        kill(try #require(lines.last.flatMap { pid_t($0) }), SIGKILL)
    }

    @Test func `a line may be as long as the limit`() throws {
        let (lines, end) = try run(Self.printing(ChildProcess.longestLine, "x"))
        #expect(lines.map { $0.utf8.count } == [ChildProcess.longestLine] && end.reason == nil)
    }

    // It was a core of CPU and a gigabyte of memory, or a trap.
    @Test(arguments: [
        (printing(ChildProcess.longestLine + 1, "x") + "; exec sleep 1000", "printed a line of more than 4096 bytes"),
        ("exec cat /dev/zero", "printed a line of more than 4096 bytes"),
        ("exec yes", "printed more than 16384 bytes in a second"),
    ])
    func `a program that prints too much is stopped`(script: String, reason: String) throws {
        let (lines, end) = try run(script)
        #expect(end.reason == reason)
        #expect(lines.count <= ChildProcess.mostInSecond / 2)
    }

    @Test func `a program that takes too long is stopped, with those it has started`() throws {
        var (child, end) = (pid_t(0), ChildProcess.End?.none)
        let script = "sleep 1000 & echo $!; wait"
        _ = try ChildProcess(["sh", "-c", script], timeout: 0.1, loop: loop) {
            child = pid_t(String(decoding: $0, as: UTF8.self)) ?? 0
        } onEnd: {
            end = $0
        }
        try loop.run { end != nil }
        #expect(end?.reason == "took longer than 0.1 s" && child > 0)
        // Its parent, which has ended, does not reap it.
        let comm = { try? FileDescriptor.contents(of: "/proc/\(child)/stat") }
        // Its end is no event of the loop.
        let timer = try loop.timer {}
        try loop.run {
            timer.arm(after: 0.01)
            return comm().map { String(decoding: $0, as: UTF8.self).contains(") Z") } ?? true
        }
    }

    // The agent waited for ever.
    @Test func `a program that ignores SIGTERM is killed`() throws {
        let (_, end) = try run("trap '' TERM; echo a; while :; do sleep 1; done", timeout: 0.5)
        #expect(end.status == 128 + SIGKILL && end.reason == "took longer than 0.5 s")
    }

    @Test func `an abandoned program is killed and reaped, and nothing is called`() throws {
        var process = pid_t(0)
        let child = try ChildProcess(["sh", "-c", "trap '' TERM; echo $$; exec cat"], loop: loop) {
            process = pid_t(String(decoding: $0, as: UTF8.self)) ?? 0
        } onEnd: { _ in
            Issue.record("it was called")
        }
        try loop.run { process > 0 }
        child.abandon()
        child.abandon()
        child.stop("late")
        try loop.run { kill(process, 0) == -1 && errno == ESRCH }
    }

    @Test func `a program that cannot be run is an error`() {
        #expect(throws: SystemError("run", "/nonexistent", errno: .notFound)) {
            _ = try ChildProcess(["/nonexistent"], loop: loop) { _ in }
        }
    }
}
