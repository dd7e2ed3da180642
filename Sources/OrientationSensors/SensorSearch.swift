// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// Looks for sensors: each device is described by a job, so that one that hangs holds up no other.
///
/// One helper does all jobs, and takes no longer than one job for all. Only when a job takes long, it keeps the helper,
/// and others do the rest. Such a device is described once it answers, and not again before that.
package final class SensorSearch {
    /// Seconds after which the other devices no longer wait for one that does not answer.
    private static let patience = 0.25

    /// The most helpers that are started at a time for the devices that wait.
    private static let helperLimit = 16

    /// Called with the result of each scan, and with that of each device that answers later.
    package var onFound: ((Result<FoundSensors, SystemError>) -> Void)?

    /// Called once for a device that does not answer for five seconds.
    package var onUnanswered: ((UnansweredDevice) -> Void)?

    /// Called when a scan begins.
    package var onScan: (() -> Void)?

    private let uri: String
    private let kinds: [SensorKind]
    private let loop: EventLoop
    private var helper: HelperThread
    private var patience: Timer?
    private var state = State.idle
    /// Of the scan under way.
    private var jobs: [Job] = []
    private var problem: SystemError?
    /// Those of this scan that have neither ended nor taken too long, and how many they were when `patience` was armed.
    private var waiting = (count: 0, before: 0)
    /// Those that do not answer, of this scan and of earlier ones.
    private var hanging: [Job] = []

    private enum State {
        case idle
        case scanning
        /// What is found will be out of date: a device may have come or gone meanwhile.
        case outdated
        case ended
    }

    /// The description of one device.
    private final class Job {
        let candidate: SensorCandidate
        var helper: HelperThread?
        var progress: DescriptionProgress
        var result: Result<FoundSensors, SystemError>?
        /// Nil while the others wait for it.
        var watchdog: Timer?
        /// Whether it is of the scan under way.
        var isCurrent = true
        /// Whether the device was unplugged.
        var isRemoved = false

        init(_ candidate: SensorCandidate) {
            self.candidate = candidate
            progress = DescriptionProgress(candidate.name)
        }
    }

    /// Looks at a URI, `local:` or another, for sensors of those kinds; only on this machine for others than of IIO.
    package init(at uri: String, of kinds: [SensorKind] = SensorKind.allCases, loop: EventLoop) throws(SystemError) {
        (self.uri, self.kinds, self.loop) = (uri, kinds, loop)
        helper = try Self.helper(loop)
        patience = try loop.timer { [unowned(unsafe) self] in withExtendedLifetime(self) { setAside() } }
    }

    private static func helper(_ loop: EventLoop) throws(SystemError) -> HelperThread {
        let helper = try HelperThread(loop: loop)
        helper.onIdle = { [unowned(unsafe) helper] in helper.endIfIdle() }
        return helper
    }

    /// The devices that do not answer.
    package var hangingCount: Int { hanging.count }

    // MARK: - Scans

    /// Starts a scan; if one is under way, its result is discarded and another scan follows.
    ///
    /// Calls nothing back before it returns.
    package func scan() {
        switch state {
        case .idle: state = .scanning
        case .scanning: return state = .outdated
        case .outdated, .ended: return
        }
        onScan?()
        (jobs, problem) = ([], nil)
        do throws(SystemError) {
            let candidates = try SensorCandidate.all(at: uri)
            jobs = candidates.filter { found in !hanging.contains { $0.candidate == found } }.map { Job($0) }
        } catch {
            problem = error
        }
        waiting = (jobs.count, jobs.count)
        for job in jobs { start(job, on: helper) }
        // Without a device too, the result comes in the loop.
        helper.run({}) { [self] _ in finishScan() }
        patience?.arm(after: Self.patience)
    }

    private func start(_ job: Job, on helper: HelperThread) {
        job.progress.cancel()
        let progress = DescriptionProgress(job.candidate.name)
        (job.helper, job.progress) = (helper, progress)
        let describe: @Sendable () -> Result<FoundSensors, SystemError> = { [candidate = job.candidate, kinds] in
            guard !progress.isCancelled else { return .success(FoundSensors()) }
            return Result { () throws(SystemError) in try candidate.describe(kinds, progress) }
        }
        helper.run(describe) { [self] result in
            guard job.progress === progress else { return }
            // Without a thread, in the loop.
            finish(job, (try? result.get()) ?? describe())
        }
    }

    private func finish(_ job: Job, _ result: Result<FoundSensors, SystemError>) {
        if job.watchdog == nil { waiting.count -= 1 } else { hanging.removeAll { $0 === job } }
        (job.result, job.helper, job.watchdog) = (result, nil, nil)
        if job.isCurrent { return finishScan() }
        guard var late = try? result.get() else { return onFound?(result) ?? () }
        late.isComplete = false
        onFound?(.success(late))
    }

    /// Hands over what was found once all devices have answered but those that hang.
    private func finishScan() {
        guard state == .scanning || state == .outdated, waiting.count == 0 else { return }
        let (isOutdated, results) = (state == .outdated, jobs.compactMap { $0.result })
        for job in jobs { job.isCurrent = false }
        jobs = []
        state = .idle
        patience?.disarm()
        if isOutdated { return scan() }
        if let problem = problem ?? results.compactMap({ $0.error }).first {
            onFound?(.failure(problem))
            return
        }
        var found = FoundSensors()
        for result in results {
            guard let part = try? result.get() else { continue }
            found.sensors += part.sensors
            found.warnings += part.warnings
        }
        onFound?(.success(found))
    }

    // MARK: - Devices that hang

    /// Leaves each helper whose job takes too long to that job, and gives the others to new helpers.
    private func setAside() {
        if waiting.count == waiting.before { leaveStuckHelpers() }
        waiting.before = waiting.count
        if waiting.count > 0 { patience?.arm(after: Self.patience) }
        finishScan()
    }

    private func leaveStuckHelpers() {
        var stuck: [HelperThread] = []
        var rest: [Job] = []
        for job in jobs where job.result == nil && job.watchdog == nil {
            if let helper = job.helper, !stuck.contains(where: { $0 === helper }) {
                stuck.append(helper)
                hang(job)
            } else {
                rest.append(job)
            }
        }
        do throws(SystemError) {
            helper = try Self.helper(loop)
            var helpers = [helper]
            while helpers.count < min(rest.count, Self.helperLimit) { helpers.append(try Self.helper(loop)) }
            for (index, job) in rest.enumerated() { start(job, on: helpers[index % helpers.count]) }
        } catch {
            // Without descriptors they wait on.
            problem = error
        }
    }

    private func hang(_ job: Job) {
        if job.isRemoved {
            waiting.count -= 1
            return forget(job)
        }
        guard
            let watchdog = try? loop.timer({ [unowned(unsafe) self, unowned(unsafe) job] in
                onUnanswered?(job.progress.device)
            })
        else { return }
        watchdog.arm(after: DeviceMachine.stallTime - Self.patience)
        job.watchdog = watchdog
        hanging.append(job)
        waiting.count -= 1
    }

    /// Forgets a device that was unplugged, with the job that describes it.
    package func removeDevice(named name: String) {
        if state == .scanning { state = .outdated }
        // Only its helper knows whether a job of this scan has begun.
        for job in jobs where job.candidate.name == name { job.isRemoved = true }
        for job in hanging where job.candidate.name == name { forget(job) }
        hanging.removeAll { $0.candidate.name == name }
    }

    /// Nobody waits for the job: it ends when its call returns.
    private func forget(_ job: Job) {
        job.progress.cancel()
        (job.progress, job.helper, job.watchdog) = (DescriptionProgress(job.candidate.name), nil, nil)
        job.result = .success(FoundSensors())
    }

    /// Reports nothing any more.
    package func end() {
        state = .ended
        (onFound, onUnanswered, onScan) = (nil, nil, nil)
    }

    // MARK: - For programs

    /// Looks once, in a loop of its own: until all devices have answered or hang, or until `isEnough`.
    package static func once(
        at uri: String,
        of kinds: [SensorKind] = SensorKind.allCases,
        until isEnough: @escaping (FoundSensors) -> Bool = { _ in false }
    ) throws(SystemError) -> (found: FoundSensors, unanswered: [UnansweredDevice]) {
        let loop = try EventLoop()
        let search = try SensorSearch(at: uri, of: kinds, loop: loop)
        var (found, unanswered, problem) = (FoundSensors(), [UnansweredDevice](), SystemError?.none)
        search.onFound = { result in
            switch result {
            case .success(let part):
                found.sensors += part.sensors
                found.warnings += part.warnings
            case .failure(let error): problem = error
            }
            if isEnough(found) || search.hangingCount <= unanswered.count { loop.exit() }
        }
        search.onUnanswered = { device in
            unanswered.append(device)
            if search.hangingCount <= unanswered.count { loop.exit() }
        }
        search.scan()
        _ = try loop.run()
        search.end()
        if let problem { throw problem }
        return (found, unanswered)
    }
}
