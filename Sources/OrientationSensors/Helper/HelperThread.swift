// SPDX-License-Identifier: Apache-2.0

import CLinux
package import OrientationCore
package import POSIX
package import SystemdBus

/// Makes calls into sysfs, which the kernel may block for seconds, on a thread; each device has one of its own.
///
/// The thread is started by the first job, and ends when nothing is under way. It runs an event loop of its own, which
/// takes jobs in order and reads at intervals. Only `Sendable` values go to and from it: the completions and what they
/// hold stay with the caller's loop.
package final class HelperThread {
    /// The settings that jobs have changed.
    let settings = SettingsToRestore()

    /// Called in the loop when ``isIdle`` has become true.
    package var onIdle: (() -> Void)?

    private let results: Mailbox<HelperResult>
    private var watch: EventSource?
    /// Jobs for the running thread; nil while there is none.
    private var jobs: Mailbox<HelperJob>?

    /// Of the jobs under way, in order; the error is why no thread could be started.
    private var completions: [(SystemError?) -> Void] = []
    private var polls: [(id: Int, deliver: (Result<RawScan, SystemError>) -> Void)] = []
    private var lastPoll = 0
    private var received: [HelperResult] = []

    /// Creates a helper whose results are handed over in `loop`.
    package init(loop: EventLoop) throws(SystemError) {
        results = try Mailbox()
        watch = try loop.watch(results.descriptor, owned(by: self) { $0.receive() })
    }

    /// A thread whose call hangs ends when the call returns; nothing waits for it when the process exits.
    deinit { jobs?.send { $0.loop.exit() } }

    /// Runs `work` on the thread, after all earlier jobs, and then `completion` with its result in the loop.
    ///
    /// The completion is never called before this function returns; it fails where no thread can be started.
    package func run<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value,
        completion: @escaping (Result<Value, SystemError>) -> Void
    ) {
        let slot = Slot<Value>()
        send({ _ in slot.value = work() }) { error in
            if let error { return completion(.failure(error)) }
            if let value = slot.value.take() { completion(.success(value)) }
        }
    }

    /// Runs `work` on a thread of its own, or in the loop if none can be started, then `completion` in the loop.
    package static func runOnce<Value: Sendable>(
        loop: EventLoop,
        _ work: @escaping @Sendable () -> Value,
        completion: @escaping (Value) -> Void
    ) {
        guard let helper = try? HelperThread(loop: loop) else { return completion(work()) }
        helper.run(work) { result in
            if case .success(let value) = result { completion(value) } else { completion(work()) }
            // Until now, this completion alone has kept it.
            helper.endIfIdle()
        }
    }

    /// Reads a device on the thread every `period` seconds, and calls `deliver` in the loop with each reading.
    ///
    /// `beforeZeros` is that of ``HelperPoll``'s initializer. Calls `onFailure` in the loop if the device cannot be polled
    /// at all. Returns a number for ``stopPolling(_:)``.
    package func poll(
        _ device: any SensorDevice,
        every period: Double,
        beforeZeros: Vector3? = nil,
        deliver: @escaping (Result<RawScan, SystemError>) -> Void,
        onFailure: @escaping (SystemError) -> Void
    ) -> Int {
        lastPoll += 1
        let id = lastPoll
        polls.append((id, deliver))
        let slot = Slot<SystemError>()
        let started: (SystemError?) -> Void = owned(by: self) { helper, error in
            // It may have been stopped meanwhile.
            if let error = error ?? slot.value, helper.polls.contains(where: { $0.id == id }) { onFailure(error) }
        }
        send({ slot.value = $0.startPolling(id, device, every: period, beforeZeros) }, started)
        return id
    }

    /// Delivers only readings that `filter` passes, and reads at its period, or at each change that the device reports.
    ///
    /// Without a filter every reading is delivered, at the period given to ``poll(_:every:beforeZeros:deliver:onFailure:)``.
    /// With `batch`, those that it does not call urgent are held until the next urgent one.
    func setFilter(_ filter: MotionFilter?, _ batch: ReadingBatch?, of id: Int) {
        jobs?.send { worker in worker.polls.first { $0.id == id }?.setFilter(filter, batch) }
    }

    /// Ends a poll: nothing more is delivered, and jobs that follow run when the thread no longer reads.
    package func stopPolling(_ id: Int) {
        polls.removeAll { $0.id == id }
        jobs?.send { $0.polls.removeAll { $0.id == id } }
    }

    /// Whether no job is under way, and nothing is polled.
    package var isIdle: Bool { completions.isEmpty && polls.isEmpty }

    /// Ends the thread if nothing is under way; the next job starts another.
    package func endIfIdle() {
        guard isIdle, let jobs = jobs.take() else { return }
        jobs.send { $0.loop.exit() }
    }

    private func send(_ job: @escaping HelperJob, _ completion: @escaping (SystemError?) -> Void) {
        do throws(SystemError) {
            let jobs = if let jobs { jobs } else { try start() }
            self.jobs = jobs
            completions.append(completion)
            jobs.send { worker in
                job(worker)
                worker.results.send(.finished)
            }
        } catch {
            completions.append { _ in completion(error) }
            results.send(.finished)
        }
    }

    private func start() throws(SystemError) -> Mailbox<HelperJob> {
        let jobs = try Mailbox<HelperJob>()
        let worker = try HelperWorker(jobs: jobs, results: results)
        let thread = try startThread("start the helper thread") {
            _ = try? worker.loop.run(keeping: worker)
        }
        pthread_detach(thread)
        return jobs
    }

    private func receive() {
        var received: [HelperResult] = []
        swap(&received, &self.received)
        results.receive(into: &received)
        for result in received {
            switch result {
            case .finished:
                completions.removeFirst()(nil)
                guard isIdle else { continue }
                endIfIdle()
                onIdle?()
            case .polled(let id, let result): polls.first { $0.id == id }?.deliver(result)
            }
        }
        // The capacity is kept, so that no reading allocates.
        received.removeAll(keepingCapacity: true)
        swap(&received, &self.received)
    }
}

private typealias HelperJob = @Sendable (HelperWorker) -> Void

/// What a helper's thread sends to the loop.
enum HelperResult: Sendable {
    /// The first of the jobs under way is done.
    case finished
    /// The poll with that number has read the device.
    case polled(Int, Result<RawScan, SystemError>)
}

/// The result of a job.
// Sendable unchecked: the thread writes it before it sends `finished`, and the loop reads it afterwards.
private final class Slot<Value: Sendable>: @unchecked Sendable {
    var value: Value?
}

// MARK: - On the thread

/// What the thread runs; nothing else uses it once the thread has started.
private final class HelperWorker {
    let results: Mailbox<HelperResult>
    let loop: EventLoop
    var polls: [HelperPoll] = []
    private var watch: EventSource?

    init(jobs: Mailbox<HelperJob>, results: Mailbox<HelperResult>) throws(SystemError) {
        self.results = results
        loop = try EventLoop()
        watch = try loop.watch(jobs, owned(by: self) { worker, job in job(worker) })
    }

    /// Returns why the device cannot be polled; nil where it can.
    func startPolling(
        _ id: Int,
        _ device: any SensorDevice,
        every period: Double,
        _ beforeZeros: Vector3?
    ) -> SystemError? {
        do throws(SystemError) {
            polls.append(try HelperPoll(id, device, every: period, beforeZeros: beforeZeros, on: loop, results))
            return nil
        } catch {
            return error
        }
    }
}
