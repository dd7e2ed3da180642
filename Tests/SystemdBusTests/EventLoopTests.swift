// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import PrivateBus
import SystemdBus
import Testing

@Suite struct EventLoopTests {
    private let loop: EventLoop

    /// Seconds that no test lasts.
    private static let never = 3600.0

    init() throws {
        loop = try EventLoop()
    }

    // MARK: - Mailboxes

    // The handler of an object that had been released got the rest, and the process crashed.
    @Test func `a handler that releases its source gets nothing more`() throws {
        let mailbox = try Mailbox<Int>()
        var received: [Int] = []
        var watch: EventSource?
        watch = try loop.watch(mailbox) { value in
            received.append(value)
            if value == 2 { watch = nil }
        }
        for value in 1...4 { mailbox.send(value) }
        try loop.run { received.count >= 2 }
        try loop.runWhatIsDue()
        #expect(received == [1, 2])
        #expect(watch == nil)
    }

    // MARK: - Timers

    @Test func `a timer fires once for each time it is armed`() throws {
        var count = 0
        var timer: SystemdBus.Timer?
        timer = try loop.timer {
            count += 1
            if count < 3 { timer?.arm(after: 0) }
        }
        try loop.runWhatIsDue()
        #expect(count == 0, "it begins disarmed")
        timer?.arm(after: 0)
        try loop.run { count == 3 }
        try loop.runWhatIsDue()
        #expect(count == 3)
        timer = nil
    }

    @Test func `of two timers the one armed for the earlier time fires first`() throws {
        var order: [String] = []
        let late = try loop.timer { order.append("late") }
        let early = try loop.timer { order.append("early") }
        late.arm(after: 0.002, slack: 0)
        early.arm(after: 0.001, slack: 0)
        try loop.run { order.count == 2 }
        #expect(order == ["early", "late"])
    }

    @Test func `arming again drops what it was armed for, and disarming does so for good`() throws {
        var order: [String] = []
        let postponed = try loop.timer { order.append("postponed") }
        let advanced = try loop.timer { order.append("advanced") }
        let disarmed = try loop.timer { order.append("disarmed") }
        postponed.arm(after: 0)
        postponed.arm(after: Self.never)
        advanced.arm(after: Self.never)
        advanced.arm(after: 0)
        disarmed.arm(after: 0)
        disarmed.disarm()
        disarmed.disarm()
        try loop.run { !order.isEmpty }
        try loop.runWhatIsDue()
        #expect(order == ["advanced"])
        disarmed.arm(after: 0)
        try loop.run { order.count == 2 }
        #expect(order == ["advanced", "disarmed"], "it can be armed again")
        withExtendedLifetime(postponed) {}
    }

    @Test func `a timer that is gone does not fire, and lets its handler go`() throws {
        weak var weakToken: Token?
        var timer: SystemdBus.Timer?
        do {
            let token = Token()
            weakToken = token
            timer = try loop.timer { Issue.record("fired, with \(token)") }
        }
        timer?.arm(after: 0)
        #expect(weakToken != nil)
        timer = nil
        #expect(weakToken == nil)
        try loop.runWhatIsDue()
    }

    @Test func `the time stands still within a turn and never goes back`() throws {
        var times: [Double] = []
        var timer: SystemdBus.Timer?
        timer = try loop.timer { [loop] in
            times += [loop.now, loop.now]
            if times.count < 6 { timer?.arm(after: 0.0001, slack: 0) }
        }
        timer?.arm(after: 0)
        try loop.run { times.count == 6 }
        #expect(times[0] == times[1] && times[2] == times[3] && times[4] == times[5])
        #expect(times[1] < times[2] && times[3] < times[4])
        timer = nil
    }

    // MARK: - Descriptors

    @Test func `a descriptor is told of while it can be read, and when its other end is closed`() throws {
        let ends = try FileDescriptor.pipe()
        let reading = FileDescriptor(owning: ends.reading)
        var writing: FileDescriptor? = FileDescriptor(owning: ends.writing)
        var counts: [Int] = []
        let source = try loop.watch(reading.rawValue) {
            var byte: UInt8 = 0
            counts.append(read(reading.rawValue, &byte, 1))
        }
        try loop.runWhatIsDue()
        #expect(counts == [])
        write(ends.writing, "ab", 2)
        try loop.run { counts.count == 2 }
        try loop.runWhatIsDue()
        #expect(counts == [1, 1])
        #expect(writing != nil)
        writing = nil
        try loop.run { counts.count == 3 }
        #expect(counts == [1, 1, 0])
        withExtendedLifetime(source) {}
    }

    @Test func `a watch that is gone tells nothing, and lets its handler go`() throws {
        let ends = try FileDescriptor.pipe()
        let descriptors = (FileDescriptor(owning: ends.reading), FileDescriptor(owning: ends.writing))
        weak var weakToken: Token?
        var source: EventSource?
        do {
            let token = Token()
            weakToken = token
            source = try loop.watch(ends.reading) { Issue.record("told of, with \(token)") }
        }
        #expect(source != nil && weakToken != nil)
        write(ends.writing, "a", 1)
        source = nil
        #expect(weakToken == nil)
        try loop.runWhatIsDue()
        withExtendedLifetime(descriptors) {}
    }

    // A refused watch kept its handler for ever.
    @Test func `what cannot be watched is an error, and lets the handler go`() throws {
        let file = try FileDescriptor.open(reading: #filePath)
        weak var weakToken: Token?
        do {
            let token = Token()
            weakToken = token
            #expect(throws: SystemError("watch a descriptor", errno: Errno(EPERM))) {
                _ = try loop.watch(file.rawValue) { withExtendedLifetime(token) {} }
            }
        }
        #expect(weakToken == nil)
    }

    // MARK: - The end

    // The last code given within one handler was the one that counted.
    @Test func `the run ends with the code given first`() throws {
        let timer = try loop.timer { [loop] in
            loop.exit(3)
            loop.exit(4)
        }
        timer.arm(after: 0)
        #expect(try loop.run() == 3)
        loop.exit(5)  // has nothing to end any more
    }

    @Test func `an end before the run ends it at once`() throws {
        let timer = try loop.timer { Issue.record("fired") }
        timer.arm(after: 0)
        loop.exit(7)
        #expect(try loop.run() == 7)
    }

    // A process of its own, which the signals would end where they are not blocked.

    @Test func `SIGTERM ends in the handler`() async {
        await #expect(processExitsWith: .exitCode(41)) {
            alarm(20)  // ends the process if the handler does not
            let loop = try EventLoop()
            let watch = try loop.onTermination { loop.exit(41) }
            // Other threads of the test's process do not block the signal.
            pthread_kill(pthread_self(), SIGTERM)
            let code = try loop.run()
            withExtendedLifetime(watch) {}
            exit(code)
        }
    }

    @Test func `when the watch is cancelled, a signal ends the process again`() async {
        await #expect(processExitsWith: .signal(SIGHUP)) {
            alarm(20)
            // Threads that tests run on block it.
            var none = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, nil)
            let loop = try EventLoop()
            let watch = try loop.onTermination { loop.exit(43) }
            pthread_kill(pthread_self(), SIGHUP)
            #expect(try loop.run() == 43)
            watch.cancel()
            pthread_kill(pthread_self(), SIGHUP)
        }
    }

    @Test func `a signal that was to be ignored is`() async {
        await #expect(processExitsWith: .exitCode(44)) {
            alarm(20)
            orientd_ignore_signal(SIGHUP)
            let loop = try EventLoop()
            let watch = try loop.onTermination { loop.exit(45) }
            pthread_kill(pthread_self(), SIGHUP)
            let timer = try loop.timer { loop.exit(44) }
            timer.arm(after: 0)
            let code = try loop.run()
            withExtendedLifetime((watch, timer)) {}
            exit(code)
        }
    }

    @Test func `SIGINT ends in the handler, which may be called again`() async {
        await #expect(processExitsWith: .exitCode(42)) {
            alarm(20)
            let loop = try EventLoop()
            var count: Int32 = 0
            let watch = try loop.onTermination {
                count += 1
                pthread_kill(pthread_self(), SIGTERM)
                if count == 2 { loop.exit(40 + count) }
            }
            pthread_kill(pthread_self(), SIGINT)
            let code = try loop.run()
            withExtendedLifetime(watch) {}
            exit(code)
        }
    }

    // MARK: - Children

    static let commands: [(command: [String], status: Int32)] = [
        (["true"], 0), (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -KILL $$"], 128 + SIGKILL),
    ]

    @Test(arguments: commands)
    func `the exit status of a child is that of shells`(command: [String], status: Int32) throws {
        let process = try spawn(command)
        var statuses: [Int32] = []
        let watch = try loop.onExit(of: process) { statuses.append($0) }
        try loop.run { !statuses.isEmpty }
        #expect(statuses == [status])
        #expect(waitpid(process, nil, 0) == -1)
        withExtendedLifetime(watch) {}
    }

    @Test func `a program that does not exist cannot be run`() {
        #expect(throws: SystemError("run", "/nonexistent", errno: .notFound)) { try spawn(["/nonexistent"]) }
    }

    @Test func `a child has the given standard output and blocks no signal`() throws {
        let (reading, writing) = try FileDescriptor.pipe()
        let (reader, writer) = (FileDescriptor(owning: reading), FileDescriptor(owning: writing))
        let process = try spawn(["grep", "SigBlk", "/proc/self/status"], output: writer.rawValue)
        var isDone = false
        let watch = try loop.onExit(of: process) { _ in isDone = true }
        try loop.run { isDone }
        var chunk = [UInt8](repeating: 0, count: 100)
        let count = read(reader.rawValue, &chunk, chunk.count)
        #expect(String(decoding: chunk.prefix(max(0, count)), as: UTF8.self) == "SigBlk:\t0000000000000000\n")
        withExtendedLifetime((watch, writer)) {}
    }
}
