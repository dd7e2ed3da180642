// SPDX-License-Identifier: Apache-2.0

import OrientationCore
package import POSIX
package import SystemdBus

/// Jobs of several devices, of which one that hangs holds up no other.
///
/// One helper runs all jobs in order. A job that takes longer than 0.25 s keeps that helper, and new helpers run the
/// rest. Everything but the work happens in the loop.
package final class DeviceJobs<Value: Sendable> {
    /// Called when the others no longer wait for a job.
    package var onHang: (() -> Void)?

    /// Called once for a job that does not end within five seconds, with its name.
    package var onUnanswered: ((String) -> Void)?

    /// The jobs under way or due, without those that hang.
    package private(set) var waitingCount = 0
    package var hangingCount: Int { jobs.count - waitingCount }

    private let loop: EventLoop
    private var helper: HelperThread
    private var hangTimer: Timer?
    private var jobs: [Job] = []
    /// The jobs that have ended, now and when `hangTimer` was armed.
    private var ends = (now: 0, before: 0)

    private final class Job {
        let name: String
        let work: @Sendable () -> Value
        let completion: (Value) -> Void
        var helper: HelperThread?
        /// Whether the attempt that was started last is not to begin any more.
        var isCancelled = Locked(false)
        /// Nil while the others wait for it.
        var watchdog: Timer?
        /// Nobody waits for its end.
        var isForgotten = false

        init(_ name: String, _ work: @escaping @Sendable () -> Value, _ completion: @escaping (Value) -> Void) {
            self.name = name
            self.work = work
            self.completion = completion
        }
    }

    package init(loop: EventLoop) throws(SystemError) {
        self.loop = loop
        helper = try HelperThread(loop: loop)
        hangTimer = try loop.timer(owned(by: self) { $0.hangTimePassed() })
    }

    /// Whether a job of that name has not ended.
    package func contains(_ name: String) -> Bool { jobs.contains { $0.name == name } }

    /// Runs `work` on a helper, and then `completion` in the loop, never before this function returns.
    package func run(
        _ name: String,
        _ work: @escaping @Sendable () -> Value,
        completion: @escaping (Value) -> Void
    ) {
        let job = Job(name, work, completion)
        jobs.append(job)
        waitingCount += 1
        start(job, on: helper)
        if waitingCount == 1 { arm() }
    }

    private func arm() {
        ends.before = ends.now
        hangTimer?.arm(after: hangTime)
    }

    private func start(_ job: Job, on helper: HelperThread) {
        job.isCancelled.withValue { $0 = true }
        let isCancelled = Locked(false)
        job.helper = helper
        job.isCancelled = isCancelled
        helper.run { [work = job.work] () -> Value? in
            isCancelled.withValue { $0 } ? nil : work()
        } completion: { [self] result in
            guard job.isCancelled === isCancelled else { return }
            if case .success(let value?) = result { return finish(job, value) }
            // Without a thread, in the loop.
            finish(job, job.work())
        }
    }

    private func finish(_ job: Job, _ value: Value) {
        ends.now += 1
        if job.watchdog == nil { waitingCount -= 1 }
        let isForgotten = job.isForgotten
        drop(job)
        if waitingCount == 0 { hangTimer?.disarm() }
        if isForgotten { onHang?() } else { job.completion(value) }
    }

    /// Ends what refers to a job; its call may still be under way.
    private func drop(_ job: Job) {
        jobs.removeAll { $0 === job }
        job.isCancelled.withValue { $0 = true }
        job.isCancelled = Locked(true)
        job.helper = nil
        job.watchdog = nil
    }

    /// Forgets the job of a device that was unplugged: nobody waits for its end.
    package func forget(_ name: String) {
        // Of the others only the helper knows whether they have begun.
        for job in jobs where job.name == name {
            job.isForgotten = true
            if job.watchdog != nil { drop(job) }
        }
    }

    // MARK: - Jobs that hang

    private func hangTimePassed() {
        let isStuck = ends.now == ends.before
        if isStuck { leaveStuckHelpers() }
        if waitingCount > 0 { arm() }
        if isStuck { onHang?() }
    }

    /// Leaves each helper to the job that it is at, and gives the others to new helpers.
    private func leaveStuckHelpers() {
        var stuck: [HelperThread] = []
        var rest: [Job] = []
        for job in jobs where job.watchdog == nil {
            if let helper = job.helper, !stuck.contains(where: { $0 === helper }) {
                stuck.append(helper)
                hang(job)
            } else {
                rest.append(job)
            }
        }
        do throws(SystemError) {
            helper = try HelperThread(loop: loop)
            var helpers = [helper]
            while helpers.count < min(rest.count, helperLimit) { helpers.append(try HelperThread(loop: loop)) }
            for (index, job) in rest.enumerated() { start(job, on: helpers[index % helpers.count]) }
        } catch {
            // Without descriptors they wait for the job that hangs, and for the next attempt.
        }
    }

    private func hang(_ job: Job) {
        let name = job.name
        guard let watchdog = try? loop.timer(owned(by: self) { $0.onUnanswered?(name) }) else { return }
        waitingCount -= 1
        if job.isForgotten { return drop(job) }
        job.watchdog = watchdog
        watchdog.arm(after: DeviceMachine.stallTime - hangTime)
    }
}

// A generic class has no static stored properties.

/// Seconds after which the other jobs no longer wait for one.
private let hangTime = 0.25

/// The most helpers that are started at a time for the jobs that wait.
private let helperLimit = 16
