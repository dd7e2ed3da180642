// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// The readings of a device: carries out what its ``DeviceMachine`` decides, on the loop and on the device's helper.
///
/// One source serves a sensor as long as the daemon knows it, also while it is unplugged, and at any path.
package final class DeviceSource: SensorSource {
    /// Seconds by which a reading by timer may be late, so that the kernel can combine wake-ups.
    private static let timerSlack = 0.02

    package var onEvent: ((SourceEvent) -> Void)?
    /// Called with each event that comes from the device, before the machine handles it.
    package var onDeviceEvent: ((DeviceEvent) -> Void)?

    private let loop: EventLoop
    private var rate: Double
    private let isPrepared: Bool
    /// The constants of the classifier that gets the readings; nil where each of them is awaited.
    private let classifier: OrientationClassifier.Constants?
    private var machine: DeviceMachine
    private var deadline: Double?
    private var deadlineTimer: Timer?

    /// The device as a scan found it last, until the machine has it prepared.
    private var found: (device: any SensorDevice, scaling: SensorScaling, rate: Double, helper: HelperThread)?
    /// Nil while the device is unplugged.
    private var access: DeviceAccess?
    private var helper: HelperThread
    private var freshScaling: SensorScaling
    /// The scaling of the readings since the device was opened.
    private var scaling: SensorScaling

    /// How the device is read, as the machine decided last.
    private var reading = DeviceReading.none
    private var sensing = Sensing.stream
    private var scans: EventSource?
    private var readTimer: Timer?
    /// The number of the poll under way, for ``HelperThread/stopPolling(_:)``.
    private var poll: Int?
    private var lastScan = RawScan(raw: .zero, time: nil)
    /// The scans that were read by timer the last time, and when that was.
    private var batch: [RawScan] = []
    private var lastBatch = 0.0

    /// Creates a source that samples at the first rate of the device that is at least `rate` Hz, or polls at `rate`.
    ///
    /// Sources of one device share its helper. A device that does not answer for `stallTime` seconds counts as stalled.
    /// `isPrepared`: orientd has prepared the device already, and the caller only reads it. Without a device and its
    /// scaling the source waits for ``find(_:scaling:rate:helper:)``.
    package init(
        _ device: (any SensorDevice)?,
        scaling: SensorScaling?,
        rate: Double,
        loop: EventLoop,
        helper: HelperThread? = nil,
        isPrepared: Bool = true,
        classifier: OrientationClassifier.Constants? = nil,
        stallTime: Double = DeviceMachine.stallTime
    ) throws(SystemError) {
        (self.rate, self.isPrepared, self.loop, self.classifier) = (rate, isPrepared, loop, classifier)
        let first = scaling ?? .angle(offset: 0, scale: 1)
        (self.scaling, freshScaling) = (first, first)
        self.helper = if let helper { helper } else { try HelperThread(loop: loop) }
        machine = DeviceMachine(rate: rate, stallTime: stallTime)
        deadlineTimer = try loop.timer { [unowned(unsafe) self] in
            withExtendedLifetime(self) { deliver(.deadlinePassed) }
        }
        readTimer = try loop.timer { [unowned(unsafe) self] in
            withExtendedLifetime(self) { reading == .timer ? readBatch() : readScan() }
        }
        if let device { find(device, scaling: first, rate: rate, helper: self.helper) }
    }

    package var mode: SensorMode { machine.mode }
    package var sampleRate: Double { machine.sampleRate }
    package var isClosed: Bool { machine.isClosed }

    package var frame: SensorFrame { scaling.frame }

    // MARK: - Events

    package func start() { handle(.start) }

    package func stop() { handle(.stop) }

    package func sense(_ sensing: Sensing) { handle(.sense(sensing)) }

    package func rescale(to scaling: SensorScaling) {
        (freshScaling, self.scaling) = (scaling, scaling)
        if let poll { helper.setBatch(readingBatch, of: poll) }
        deliver(.rescaled)
    }

    package func find(_ device: any SensorDevice, scaling: SensorScaling, rate: Double, helper: HelperThread) {
        found = (device, scaling, rate, helper)
        var device = RecordedDevice(device.description)
        device.rate = rate
        handle(.found(device.traits))
    }

    package func failToDescribe(_ reason: String) { deliver(.undescribed(reason)) }

    package func removeDevice() { handle(.removed) }

    package func deliverWaiting() { if poll != nil { helper.deliverWaiting() } }

    /// Delivers an event that comes from the device.
    private func deliver(_ event: DeviceEvent) {
        onDeviceEvent?(event)
        handle(event)
    }

    /// Has the machine handle an event, and carries out its commands.
    private func handle(_ event: DeviceEvent) {
        let commands = machine.handle(event, at: loop.now)
        let problem = read(commands.reading, commands.sensing)
        if commands.abandons, let access = access.take() {
            // Nobody waits for the end: its helper may hang for ever.
            helper.run { [rate] in
                access.run(.close, rate: rate, scans: 0)
            } completion: { [unowned(unsafe) helper] _ in
                helper.endIfIdle()
            }
        }
        if commands.deadline != deadline {
            deadline = commands.deadline
            if let deadline { deadlineTimer?.arm(after: deadline - loop.now) } else { deadlineTimer?.disarm() }
        }
        if let job = commands.job { run(job) }
        if machine.isClosed { helper.endIfIdle() }
        if let report = commands.report { onEvent?(.report(report)) }
        if let problem { deliver(.unreadable("\(problem)")) }
    }

    private func run(_ job: DeviceJob) {
        if job == .prepare, let found = found.take() {
            access = DeviceAccess(found.device, isPrepared: isPrepared, settings: found.helper.settings)
            (freshScaling, rate, helper) = (found.scaling, found.rate, found.helper)
        }
        if case .open = job { scaling = freshScaling }
        guard let access else { return }
        helper.run { [rate, capacity] in
            access.run(job, rate: rate, scans: capacity)
        } completion: { [self] result in
            // An abandoned device may still answer.
            guard access === self.access else { return }
            switch result {
            case .success(let result): deliver(.finished(result))
            case .failure(let error): deliver(.finished(.failed("\(error)")))
            }
        }
    }

    // MARK: - Reading

    /// Reads as the machine decided; returns why that is impossible.
    private func read(_ reading: DeviceReading, _ sensing: Sensing) -> SystemError? {
        let (wasReading, wasSensing) = (self.reading, self.sensing)
        (self.reading, self.sensing) = (reading, sensing)
        guard reading != wasReading else {
            if sensing != wasSensing { setFilter() }
            return nil
        }
        scans = nil
        readTimer?.disarm()
        if let poll = poll.take() { helper.stopPolling(poll) }
        do throws(SystemError) {
            switch reading {
            case .none: break
            case .scans: try watchScans()
            case .timer: readTimer?.arm(after: 0)
            case .poll: startPolling()
            }
            return nil
        } catch {
            return error
        }
    }

    private func watchScans() throws(SystemError) {
        guard let descriptor = access?.buffer?.pollDescriptor else {
            throw SystemError("wait for scans of the buffer", errno: .notSupported)
        }
        scans = try loop.watch(descriptor) { [unowned(unsafe) self] in withExtendedLifetime(self) { readScan() } }
        // A device that reports changes only has its initial state to tell.
        readTimer?.arm(after: 0)
    }

    private var readingBatch: ReadingBatch? { classifier.map { ReadingBatch($0, scaling, rate: rate) } }

    private func setFilter() {
        guard let poll else { return }
        helper.setFilter(MotionFilter(sensing, scaling, last: lastScan), of: poll, mayWait: sensing.mayWait)
    }

    private func startPolling() {
        guard let device = access?.device else { return }
        poll = helper.poll(device, every: 1 / rate, batch: readingBatch) { [unowned(unsafe) self] result in
            switch result {
            case .success(let scan): take(scan)
            case .failure(let error): skip(error)
            }
        } onFailure: { [unowned(unsafe) self] error in
            deliver(.unreadable("\(error)"))
        }
        if case .angle = scaling, let poll { helper.setFilter(nil, of: poll, mayWait: true) }
    }

    /// Reads one scan; if there are more, the loop comes back at once, which saves a read that finds none.
    private func readScan() {
        do throws(SystemError) {
            if let scan = try access?.buffer?.next() { take(scan) }
        } catch {
            skip(error)
        }
    }

    /// The scans of the longest period between two readings by timer, and as many again for a late timer.
    private var capacity: Int { Int(min(max(8, 2 * Sensing.longestPeriod * sampleRate), 4096)) }

    /// Reads all scans since the last time, and passes on those since the device moved, else the last one.
    private func readBatch() {
        guard let period = sensing.period, let buffer = access?.buffer else { return }
        // The halves of a hinge are read at the same moments, so that their readings can be compared.
        let delay = sensing.isSparse ? HelperPoll.delay(period: period, now: loop.now) : period
        readTimer?.arm(after: delay, slack: Self.timerSlack)
        var problem: SystemError?
        batch.removeAll(keepingCapacity: true)
        do throws(SystemError) {
            while batch.count < capacity, let scan = try buffer.next() { batch.append(scan) }
        } catch {
            problem = error
        }
        let (scans, now) = (batch, loop.now)
        // Scans without a stamp came at regular intervals; the last one is half an interval old on average.
        let interval = min(1 / sampleRate, (now - lastBatch) / Double(max(1, scans.count)))
        lastBatch = now
        let last = max(0, scans.count - 1)
        for index in (sensing.isSparse ? last : scans.firstIndex(where: showsMotion) ?? last)..<scans.count {
            guard reading != .none else { return }
            let time = scans[index].time ?? now - interval * (Double(scans.count - index) - 0.5)
            take(RawScan(raw: scans[index].raw, time: time))
        }
        if let problem, reading != .none {
            skip(problem)
        } else if scans.isEmpty {
            deliver(.deadlinePassed)
        }
    }

    private func showsMotion(_ scan: RawScan) -> Bool { MotionFilter.showsMotion(scan.raw, sensing, scaling) }

    private func take(_ scan: RawScan) {
        lastScan = scan
        deliver(.reading(showsMotion: showsMotion(scan)))
        onEvent?(.sample(scaling.measurement(raw: scan.raw, time: scan.time ?? loop.now)))
    }

    private func skip(_ error: SystemError) {
        let failure: DeviceReadFailure =
            switch error.errno {
            case .again: .noValue
            case .noDevice: .noDevice
            default: .error
            }
        deliver(.readFailed(failure, "\(error)"))
    }
}
