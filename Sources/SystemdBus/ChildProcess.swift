// SPDX-License-Identifier: Apache-2.0

import CLinux
package import POSIX

/// A program that runs as a child of this process, which never waits for it: the loop reads its output and reaps it.
///
/// It lives, also without a reference, until the program has ended.
package final class ChildProcess {
    /// How it ended: its status as shells have it, 0 for success, and why it was stopped, as words that follow its name;
    /// nil if it ended by itself.
    package typealias End = (status: Int32, reason: String?)

    /// How many bytes a line of its output may have, and its output in a second.
    package static let longestLine = 4096, mostInSecond = 16384

    /// Seconds from SIGTERM to SIGKILL.
    private static let grace = 2.0

    private let loop: EventLoop
    private let process: Int32
    private let isGroupLeader: Bool
    private let timeout: Double?
    private var onLine: (([UInt8]) -> Void)?
    private var onEnd: ((End) -> Void)?

    private var output: FileDescriptor?
    private var reading, watch: EventSource?
    private var timer: Timer?
    private var lines = LineBuffer(longest: ChildProcess.longestLine)
    /// How many bytes it has printed in the second that began at that time.
    private var printed = 0, second = -Double.infinity
    private var reason: String?
    /// This while the program runs.
    private var living: ChildProcess?

    /// Starts a program that is searched for in PATH.
    ///
    /// `onLine` gets each line of its output, without the newline; without it, the program's output is `standardOutput`.
    /// A program that prints too much, or takes longer than `timeout` seconds, is stopped; without a timeout, one that
    /// goes on without its output. `onEnd` is called from the loop when it has ended, after the last line. With
    /// `isGroupLeader` the processes that it starts end with it.
    package init(
        _ arguments: [String],
        adding variables: [(name: String, value: String)] = [],
        standardOutput: Int32 = STDOUT_FILENO,
        isGroupLeader: Bool = true,
        timeout: Double? = nil,
        loop: EventLoop,
        onLine: (([UInt8]) -> Void)? = nil,
        onEnd: @escaping (End) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.isGroupLeader = isGroupLeader
        self.timeout = timeout
        self.onLine = onLine
        self.onEnd = onEnd
        var writing: FileDescriptor?
        if onLine != nil {
            let ends = try FileDescriptor.pipe()
            output = FileDescriptor(owning: ends.reading)
            writing = FileDescriptor(owning: ends.writing)
            try checkSystem("set up a pipe", "", orientd_set_without_waiting(ends.reading))
        }
        process = try spawn(
            arguments,
            output: writing?.rawValue ?? standardOutput,
            adding: variables,
            isGroupLeader: isGroupLeader
        )
        do throws(SystemError) {
            timer = try loop.timer { [self] in timePassed() }
            if let output { reading = try loop.watch(output.rawValue) { [self] in read() } }
            watch = try loop.onExit(of: process) { [self] in ended($0) }
        } catch {
            // It stays a zombie as long as this process lives.
            signal(SIGKILL)
            timer = nil
            reading = nil
            throw error
        }
        if let timeout { timer?.arm(after: timeout, slack: timeout / 10) }
        living = self
    }

    /// Ends the program by SIGTERM, and after two seconds by SIGKILL; `reason` is why.
    package func stop(_ reason: String) {
        guard self.reason == nil, living != nil else { return }
        self.reason = reason
        reading = nil
        signal(SIGTERM)
        timer?.arm(after: Self.grace, slack: 0.1)
    }

    /// Kills the program; nothing is called any more.
    package func abandon() {
        guard living != nil else { return }
        onLine = nil
        onEnd = nil
        reading = nil
        timer?.disarm()
        signal(SIGKILL)
    }

    private func signal(_ number: Int32) { kill(isGroupLeader ? -process : process, number) }

    private func timePassed() {
        guard reason == nil else { return signal(SIGKILL) }
        stop(timeout.map { "took longer than \($0) s" } ?? "closed its output")
    }

    private func ended(_ status: Int32) {
        // What is left in the pipe, which a process that the program has started may hold open.
        while reading != nil, read() {}
        timer = nil
        reading = nil
        watch = nil
        output = nil
        living = nil
        onEnd?((status, reason))
        onLine = nil
        onEnd = nil
    }

    /// Nothing more can be printed: without a timeout, the program would be waited for in vain.
    private func endOutput() {
        reading = nil
        if timeout == nil { timer?.arm(after: Self.grace, slack: 0.1) }
    }

    /// Reads what was printed; false at the end, and for nothing.
    @discardableResult
    private func read() -> Bool {
        guard let output else { return false }
        var bytes = [UInt8](repeating: 0, count: Self.longestLine)
        let count = retryingInterrupted { CLinux.read(output.rawValue, &bytes, bytes.count) }
        guard count > 0 else {
            if count == 0 { endOutput() }
            return false
        }
        if loop.now - second >= 1 {
            printed = 0
            second = loop.now
        }
        printed += count
        if printed > Self.mostInSecond {
            stop("printed more than \(Self.mostInSecond) bytes in a second")
        } else if let complete = lines.add(bytes[..<count]) {
            for line in complete { onLine?(line) }
        } else {
            stop("printed a line of more than \(Self.longestLine) bytes")
        }
        return true
    }
}
