// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// Looks for sensors: each device is described by a job, so that one that hangs holds up no other.
///
/// Such a device is described once it answers, and has no other job before that.
package final class SensorSearch {
    /// Called with the result of each scan, and with that of each device that answers later.
    package var onFound: ((Result<FoundSensors, SystemError>) -> Void)?

    /// Called once for a device that does not answer for five seconds.
    package var onUnanswered: ((UnansweredDevice) -> Void)?

    /// Called when a scan begins.
    package var onScan: (() -> Void)?

    /// Returns the sensors that are found in another way, which each scan has as well.
    package var others: (() -> FoundSensors)?

    private let uri: String
    private let kinds: [SensorKind]
    private let jobs: DeviceJobs<Result<FoundSensors, SystemError>>
    private var state = State.idle
    /// Whether nothing was handed over of the last scan.
    private var wasDiscarded = false
    /// Of the scan under way, and those of earlier ones that hang.
    private var descriptions: [Description] = []
    /// The names of the devices that udev has announced and that were not handed over since.
    private var announced: Set<String> = []
    private var problem: SystemError?

    private enum State {
        case idle
        case scanning
        /// What is found will be out of date: a device may have come or gone meanwhile.
        case outdated
        case ended
    }

    private final class Description {
        let candidate: SensorCandidate
        let progress: DescriptionProgress
        var result: Result<FoundSensors, SystemError>?
        /// Whether it is of an earlier scan.
        var isLate = false
        /// Whether udev has announced or changed the device since it began.
        var isOutdated = false

        init(_ candidate: SensorCandidate) {
            self.candidate = candidate
            progress = DescriptionProgress(candidate.name)
        }
    }

    /// Looks at a URI, `local:` or another, for sensors of those kinds; only on this machine for others than of IIO.
    package init(at uri: String, of kinds: [SensorKind] = SensorKind.allCases, loop: EventLoop) throws(SystemError) {
        self.uri = uri
        self.kinds = kinds
        jobs = try DeviceJobs(loop: loop)
        jobs.onHang = owned(by: self) { $0.finishScan() }
        jobs.onUnanswered = owned(by: self) { search, name in
            let description = search.descriptions.first { $0.candidate.name == name }
            if let device = description?.progress.device { search.onUnanswered?(device) }
        }
    }

    /// The devices that do not answer.
    package var hangingCount: Int { jobs.hangingCount }

    /// Starts a scan; if one is under way, another scan follows, and its own result is discarded.
    ///
    /// Of two scans in a row, one is handed over at least, so that devices that come and go all the time hide no other.
    ///
    /// Calls nothing back before it returns.
    package func scan() {
        switch state {
        case .idle: state = .scanning
        case .scanning:
            state = .outdated
            return
        case .outdated, .ended: return
        }
        onScan?()
        problem = nil
        do throws(SystemError) {
            for candidate in try SensorCandidate.all(at: uri) where !jobs.contains(candidate.name) {
                describe(candidate)
            }
        } catch {
            problem = error
        }
        // Without a device too, the result comes in the loop.
        jobs.run("", { .success(FoundSensors()) }, completion: { [self] _ in finishScan() })
    }

    /// Starts a scan as udev has announced or changed a device.
    package func scan(for name: String, isAnnounced: Bool) {
        if isAnnounced { announced.insert(name) }
        for description in descriptions where description.candidate.name == name { description.isOutdated = true }
        scan()
    }

    private func describe(_ candidate: SensorCandidate) {
        let description = Description(candidate)
        descriptions.append(description)
        jobs.run(candidate.name) { [kinds, progress = description.progress] in
            Result { () throws(SystemError) in try candidate.describe(kinds, progress) }
        } completion: { [self] result in
            description.result = result
            if description.isLate { finishLate(description, result) } else { finishScan() }
        }
    }

    private func finishLate(_ description: Description, _ result: Result<FoundSensors, SystemError>) {
        descriptions.removeAll { $0 === description }
        // Its files may not have been accessible yet; a device that is announced all the time is found nevertheless.
        defer { if description.isOutdated { scan() } }
        guard let part = try? result.get() else { return onFound?(result) ?? () }
        var found = FoundSensors()
        found.isComplete = false
        found.append(part, isAnnounced: takeAnnouncement(of: description))
        onFound?(.success(found))
    }

    /// Whether udev has announced the device before the description began, and since the last one.
    private func takeAnnouncement(of description: Description) -> Bool {
        !description.isOutdated && announced.remove(description.candidate.name) != nil
    }

    /// Hands over what was found once all devices have answered but those that hang.
    private func finishScan() {
        guard state == .scanning || state == .outdated, jobs.waitingCount == 0 else { return }
        let isOutdated = state == .outdated
        let ended = descriptions.filter { $0.result != nil }
        // What was forgotten has no job.
        descriptions.removeAll { $0.result != nil || !jobs.contains($0.candidate.name) }
        for description in descriptions { description.isLate = true }
        state = .idle
        wasDiscarded = isOutdated && !wasDiscarded
        if wasDiscarded { return scan() }
        defer { if isOutdated { scan() } }
        if let problem = problem ?? ended.compactMap({ $0.result?.error }).first {
            onFound?(.failure(problem))
            return
        }
        var found = FoundSensors()
        found.isComplete = !isOutdated
        for description in ended {
            guard let part = try? description.result?.get() else { continue }
            found.append(part, isAnnounced: takeAnnouncement(of: description))
        }
        if let others { found.append(others(), isAnnounced: false) }
        onFound?(.success(found))
    }

    /// Forgets a device that was unplugged, with the job that describes it.
    package func removeDevice(named name: String) {
        announced.remove(name)
        if state == .scanning { state = .outdated }
        jobs.forget(name)
        descriptions.removeAll { $0.candidate.name == name && ($0.isLate || !jobs.contains(name)) }
    }

    /// Reports nothing any more.
    package func end() {
        state = .ended
        onFound = nil
        onUnanswered = nil
        onScan = nil
        others = nil
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
            case .success(let part): found.append(part, isAnnounced: false)
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
