// SPDX-License-Identifier: Apache-2.0

import CLinux
package import OrientationCore
package import POSIX
package import SystemdBus

/// A thread beside the loop: it makes the calls into sysfs that the kernel may hold for seconds.
///
/// Jobs go to it over one pipe, finished jobs and polled readings come back over another, as values: a pointer or a
/// few numbers. The pipes order everything, so there is no lock. While a call hangs, later jobs wait and the loop
/// goes on. Nothing waits for this thread when the process ends.
package final class HelperThread {
    private let work: MessagePipe
    private let results: MessagePipe
    private var watch: EventSource?

    /// Starts the thread; results are handed over in `loop`.
    package init(loop: EventLoop) throws(SystemError) {
        work = try MessagePipe()
        results = try MessagePipe()
        try Self.start(HelperWorker(work: work, results: results))
        watch = try loop.watch(results.reading.rawValue) { [unowned(unsafe) self] in receive() }
    }

    private static func start(_ worker: HelperWorker) throws(SystemError) {
        // A thread inherits what is blocked: every signal is the loop's to take.
        var everything = sigset_t()
        var before = sigset_t()
        sigfillset(&everything)
        pthread_sigmask(SIG_SETMASK, &everything, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        // A stack of the usual 8 MiB may get a huge page of 2 MiB, which is more than the whole daemon needs.
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, 256 * 1024)

        var thread = pthread_t()
        let userdata = Unmanaged.passRetained(worker)
        let result = pthread_create(
            &thread,
            &attributes,
            { userdata in
                if let userdata { Unmanaged<HelperWorker>.fromOpaque(userdata).takeRetainedValue().run() }
                return nil
            },
            userdata.toOpaque()
        )
        if result != 0 { userdata.release() }
        try check("start the helper thread", -result)
        pthread_detach(thread)
    }

    /// Runs `work` on the helper, after all that was asked before, and then `completion` with its result in the loop.
    package func run<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value,
        completion: @escaping (Value) -> Void
    ) {
        send(ValueJob(work: work, completion: completion))
    }

    /// Calls `read` on the helper every `period` seconds, and `deliver` with each outcome in the loop.
    ///
    /// Ends with ``stop(_:completion:)``.
    package func poll(
        every period: Double,
        _ read: @escaping @Sendable () throws(SystemError) -> Vector3,
        deliver: @escaping (PollResult) -> Void
    ) -> Poll {
        let poll = Poll(period: period, read: read, deliver: deliver)
        send(PollJob(poll, starts: true) {})
        return poll
    }

    /// Ends a poll; nothing is delivered any more, and `completion` is called when the helper no longer reads.
    package func stop(_ poll: Poll, completion: @escaping () -> Void) {
        poll.isStopped = true
        send(PollJob(poll, starts: false, completion: completion))
    }

    private func send(_ job: HelperJob) {
        // The pipe holds thousands of jobs and a handful are ever under way, so this neither blocks nor fails.
        let message = HelperMessage.job(job)
        precondition(work.write(message), "the helper thread's pipe is broken")
    }

    private func receive() {
        guard let message = results.read() else { return }
        if let job = message.takeJob() {
            job.complete()
        } else {
            message.deliver()
        }
    }
}

/// A polled reading with the monotonic time it was made at in seconds, or the reason for having none.
package enum PollResult {
    case reading(Vector3, time: Double)
    case failure(SystemError)
}

/// A reading that the helper repeats.
// Sendable unchecked: `isStopped` and `deliver` are the loop's, the rest is the helper's; `period` and `read` are constant.
package final class Poll: @unchecked Sendable {
    fileprivate let period: Double
    fileprivate let read: @Sendable () throws(SystemError) -> Vector3
    fileprivate let deliver: (PollResult) -> Void
    fileprivate var isStopped = false
    fileprivate var due = 0.0

    fileprivate init(
        period: Double,
        read: @escaping @Sendable () throws(SystemError) -> Vector3,
        deliver: @escaping (PollResult) -> Void
    ) {
        self.period = period
        self.read = read
        self.deliver = deliver
    }
}

// MARK: - Jobs

/// Work on its way to the helper, and its result on the way back.
private class HelperJob {
    /// Runs on the helper.
    func perform(on worker: HelperWorker) {}

    /// Runs in the loop, afterwards.
    func complete() {}
}

private final class ValueJob<Value: Sendable>: HelperJob {
    private let work: @Sendable () -> Value
    private let completion: (Value) -> Void
    private var value: Value?

    init(work: @escaping @Sendable () -> Value, completion: @escaping (Value) -> Void) {
        self.work = work
        self.completion = completion
    }

    override func perform(on worker: HelperWorker) {
        value = work()
    }

    override func complete() {
        if let value { completion(value) }
    }
}

private final class PollJob: HelperJob {
    private let poll: Poll
    private let starts: Bool
    private let completion: () -> Void

    init(_ poll: Poll, starts: Bool, completion: @escaping () -> Void) {
        self.poll = poll
        self.starts = starts
        self.completion = completion
    }

    override func perform(on worker: HelperWorker) {
        worker.polls.removeAll { $0 === poll }
        if starts {
            poll.due = HelperWorker.now
            worker.polls.append(poll)
        }
    }

    override func complete() {
        completion()
    }
}

/// A failed reading on its way back.
private final class PollFailure: HelperJob {
    private let poll: Poll
    private let error: SystemError

    init(_ poll: Poll, _ error: SystemError) {
        self.poll = poll
        self.error = error
    }

    override func complete() {
        if !poll.isStopped { poll.deliver(.failure(error)) }
    }
}

// MARK: - On the other side

/// What the thread runs; all of it is the thread's own.
private final class HelperWorker {
    var polls: [Poll] = []
    private let work: MessagePipe
    private let results: MessagePipe

    init(work: MessagePipe, results: MessagePipe) {
        self.work = work
        self.results = results
    }

    /// CLOCK_MONOTONIC in seconds.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Takes jobs and polls for as long as the process runs.
    func run() {
        while true {
            switch wait() {
            case 0: break
            case let events where events < 0: continue
            default:
                guard let message = work.read() else { return }
                message.perform(on: self)
                // Nothing of the job is kept: what its completion holds would else be let go here, beside the loop.
                guard results.write(message) else { return }
            }
            guard pollAllDue() else { return }
        }
    }

    /// Waits for a job, or until a poll is due; returns what poll(2) does.
    private func wait() -> Int32 {
        var descriptor = pollfd(fd: work.reading.rawValue, events: Int16(POLLIN), revents: 0)
        guard let next = polls.min(by: { $0.due < $1.due }) else { return CLinux.poll(&descriptor, 1, -1) }
        // Rounded up: waking before anything is due would be a wake-up for nothing.
        let milliseconds = ((next.due - Self.now) * 1000).rounded(.up)
        return CLinux.poll(&descriptor, 1, Int32(max(0, min(milliseconds, 60_000))))
    }

    private func pollAllDue() -> Bool {
        for poll in polls where poll.due <= Self.now {
            let message: HelperMessage
            do throws(SystemError) {
                message = .reading(try poll.read(), time: Self.now, of: poll)
            } catch {
                message = .job(PollFailure(poll, error))
            }
            // A reading that took longer than the period is followed by the next one after a whole period.
            poll.due = max(poll.due + poll.period, Self.now)
            guard results.write(message) else { return false }
        }
        return true
    }
}

// MARK: - Between them

/// What travels through the pipes: a job, or a reading.
private struct HelperMessage {
    private let isJob: Bool
    /// A job, retained; or a poll, which its owner keeps until after the last message of it.
    private let object: UInt
    private let reading: Vector3
    private let time: Double

    static let nothing = HelperMessage(isJob: false, object: 0, reading: .zero, time: 0)

    static func job(_ job: HelperJob) -> HelperMessage {
        let object = UInt(bitPattern: Unmanaged.passRetained(job).toOpaque())
        return HelperMessage(isJob: true, object: object, reading: .zero, time: 0)
    }

    static func reading(_ reading: Vector3, time: Double, of poll: Poll) -> HelperMessage {
        let object = UInt(bitPattern: Unmanaged.passUnretained(poll).toOpaque())
        return HelperMessage(isJob: false, object: object, reading: reading, time: time)
    }

    /// Runs a job, which stays the message's.
    // Not inlined, so that the reference that it takes is given back before it returns.
    @inline(never)
    func perform(on worker: HelperWorker) {
        guard isJob, let object = UnsafeRawPointer(bitPattern: object) else { return }
        Unmanaged<HelperJob>.fromOpaque(object).takeUnretainedValue().perform(on: worker)
    }

    func takeJob() -> HelperJob? {
        guard isJob, let object = UnsafeRawPointer(bitPattern: object) else { return nil }
        return Unmanaged<HelperJob>.fromOpaque(object).takeRetainedValue()
    }

    func deliver() {
        guard !isJob, let object = UnsafeRawPointer(bitPattern: object) else { return }
        let poll = Unmanaged<Poll>.fromOpaque(object).takeUnretainedValue()
        if !poll.isStopped { poll.deliver(.reading(reading, time: time)) }
    }
}

/// A pipe of messages; an entry is at most PIPE_BUF long, so each is written and read whole.
// Sendable unchecked: the descriptors never change, and the kernel orders what is written and read.
private final class MessagePipe: @unchecked Sendable {
    let reading: FileDescriptor
    private let writing: FileDescriptor

    init() throws(SystemError) {
        let ends = try FileDescriptor.pipe()
        reading = FileDescriptor(owning: ends.reading)
        writing = FileDescriptor(owning: ends.writing)
    }

    /// Writes a message; false when that fails.
    func write(_ message: HelperMessage) -> Bool {
        withUnsafeBytes(of: message) { bytes in
            var result: Int
            repeat {
                result = CLinux.write(writing.rawValue, bytes.baseAddress, bytes.count)
            } while result < 0 && Errno.current == .interrupted
            return result == bytes.count
        }
    }

    /// Waits for the next message; nil when that fails.
    func read() -> HelperMessage? {
        var message = HelperMessage.nothing
        let size = MemoryLayout<HelperMessage>.size
        var result: Int
        repeat {
            result = CLinux.read(reading.rawValue, &message, size)
        } while result < 0 && Errno.current == .interrupted
        return result == size ? message : nil
    }
}
