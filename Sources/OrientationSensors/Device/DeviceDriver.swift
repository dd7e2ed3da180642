// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// Reads a device, and starts its jobs, as the ``DeviceMachine`` of its sensor says: on the loop, and on its helper.
///
/// One driver serves a sensor as long as the daemon knows it, also while it is unplugged, and at any path.
package final class DeviceDriver {
    /// What happens to the device; set before the first command, and nil after the last.
    package var onEvent: ((DeviceEvent) -> Void)?
    /// Called with each reading, after its ``DeviceEvent/reading(showsMotion:)``.
    package var onReading: ((Measurement) -> Void)?

    private let loop: EventLoop
    /// In Hz.
    private var rate = 0.0
    private let isPrepared: Bool

    /// The device as a scan found it last, until it is prepared.
    private var found: (device: any SensorDevice, scaling: SensorScaling, rate: Double, helper: HelperThread)?
    /// Nil while the device is unplugged.
    private var access: DeviceAccess?
    private var helper: HelperThread
    private var scaling = SensorScaling.angle(offset: 0, scale: 1)

    /// What was commanded last.
    private var commands = DeviceCommands()
    private var scans: EventSource?
    private var readTimer: Timer?
    /// The number of the poll under way, for ``HelperThread/stopPolling(_:)``.
    private var poll: Int?
    private var lastScan = RawScan(raw: .zero, time: nil)
    /// The last reading of a proximity sensor since the device was opened.
    private var isNear = false
    /// How often the device was opened, and how often its values have contradicted the last scan since then.
    private var openings = 0
    private var contradictions = 0
    /// The scans that were read by timer the last time, and when that was.
    private var read: [RawScan] = []
    private var lastRead = 0.0

    /// Creates a driver without a device, which waits for ``find(_:scaling:rate:helper:)``.
    ///
    /// `isPrepared`: orientd has prepared the device already.
    package init(loop: EventLoop, helper: HelperThread, isPrepared: Bool = false) throws(SystemError) {
        self.loop = loop
        self.helper = helper
        self.isPrepared = isPrepared
        readTimer = try loop.timer(owned(by: self) { $0.commands.reading == .timer ? $0.readByTimer() : $0.readScan() })
    }

    deinit {
        if let poll { helper.stopPolling(poll) }
    }

    /// Notes the device that a scan found; the next ``DeviceJob/prepare`` uses it.
    ///
    /// It samples at the first rate of the device that is at least `rate` Hz, or is polled at `rate`. Sensors of one
    /// device share its helper.
    package func find(_ device: any SensorDevice, scaling: SensorScaling, rate: Double, helper: HelperThread) {
        found = (device, scaling, rate, helper)
    }

    /// Replaces the scaling; ``DeviceEvent/rescaled(_:)`` must follow.
    package func rescale(to scaling: SensorScaling) {
        self.scaling = scaling
        found?.scaling = scaling
        setFilter()
    }

    // MARK: - Commands

    /// Carries out commands; returns why reading could not be started, for ``DeviceEvent/unreadable(_:)``.
    package func execute(_ commands: DeviceCommands) -> SystemError? {
        let problem = change(to: commands)
        if commands.abandons, let access = access.take() {
            // Nobody waits for the end: its helper may hang for ever.
            helper.run { [rate] in
                access.run(.close, rate: rate, scans: 0)
            } completion: { [helper] _ in
                helper.endIfIdle()
            }
        }
        if let job = commands.job { run(job) }
        if commands.compares { compare() }
        return problem
    }

    /// Compares the last scan with the values, as the buffer may have stopped.
    private func compare() {
        guard let access else { return }
        helper.run { [device = access.device] in
            Result { () throws(SystemError) in try device.read() }
        } completion: { [self, scan = lastScan.raw, opening = openings] result in
            // Values that cannot be read beside the buffer contradict nothing.
            guard access === self.access, opening == openings, commands.reading == .scans,
                let values = try? result.get().get(), scaling.isContradicted(by: values, after: scan, wasNear: isNear)
            else { return }
            contradictions += 1
            // The first time, the scan may have been on its way.
            if contradictions > 1 { onEvent?(.unreadable("no scan comes although the sensor reads otherwise")) }
        }
    }

    private func run(_ job: DeviceJob) {
        if job == .prepare, let found = found.take() {
            access = DeviceAccess(found.device, isPrepared: isPrepared, settings: found.helper.settings)
            scaling = found.scaling
            rate = found.rate
            helper = found.helper
        }
        if case .open = job {
            isNear = false
            openings += 1
            contradictions = 0
        }
        guard let access else { return }
        helper.run { [rate, capacity] in
            access.run(job, rate: rate, scans: capacity)
        } completion: { [self] result in
            // An abandoned device may still answer.
            guard access === self.access else { return }
            switch result {
            case .success(let result): onEvent?(.finished(result))
            case .failure(let error): onEvent?(.finished(.failed("\(error)")))
            }
        }
    }

    // MARK: - Reading

    /// Reads as it is commanded; returns why that is impossible.
    private func change(to commands: DeviceCommands) -> SystemError? {
        let last = self.commands
        self.commands = commands
        if commands.sensing != last.sensing, commands.reading != .none { access?.buffer?.sense(commands.sensing) }
        guard commands.reading != last.reading else {
            if commands.sensing != last.sensing { setFilter() }
            return nil
        }
        scans = nil
        readTimer?.disarm()
        if let poll = poll.take() { helper.stopPolling(poll) }
        do throws(SystemError) {
            switch commands.reading {
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
        scans = try loop.watch(descriptor, owned(by: self) { $0.readScan() })
        // A device that reports changes only has its initial state to tell.
        readTimer?.arm(after: 0)
    }

    private func setFilter() {
        guard let poll else { return }
        let sensing = commands.sensing
        let isAngle = if case .angle = scaling { true } else { false }
        let batch = isAngle || sensing.allowsBatches ? ReadingBatch(scaling, rate: rate) : nil
        helper.setFilter(MotionFilter(sensing, scaling, last: lastScan), batch, of: poll)
    }

    private func startPolling() {
        guard let device = access?.device else { return }
        let isLight = if case .light = scaling { true } else { false }
        poll = helper.poll(
            device,
            every: 1 / rate,
            beforeZeros: isLight ? lastScan.raw : nil,
            deliver: owned(by: self) { $0.take($1) },
            onFailure: owned(by: self) { $0.onEvent?(.unreadable("\($1)")) }
        )
        setFilter()
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
    private var capacity: Int { Int(min(max(8, 2 * Sensing.longestPeriod * commands.sampleRate), 4096)) }

    /// Reads all scans since the last time, and passes on those since the device moved, else the last one.
    private func readByTimer() {
        let sensing = commands.sensing
        guard let period = sensing.period, let buffer = access?.buffer else { return }
        // The halves of a hinge are read at the same moments, so that their readings can be compared.
        let delay = sensing.measuresOnlyAngle ? HelperPoll.delay(period: period, now: loop.now) : period
        readTimer?.arm(after: delay)
        var problem: SystemError?
        read.removeAll(keepingCapacity: true)
        do throws(SystemError) {
            while read.count < capacity, let scan = try buffer.next() { read.append(scan) }
        } catch {
            problem = error
        }
        let (scans, now) = (read, loop.now)
        // Scans without a stamp came at regular intervals; the last one is half an interval old on average.
        let interval = min(1 / commands.sampleRate, (now - lastRead) / Double(max(1, scans.count)))
        lastRead = now
        let last = max(0, scans.count - 1)
        for index in (sensing.measuresOnlyAngle ? last : scans.firstIndex(where: showsMotion) ?? last)..<scans.count {
            guard commands.reading != .none else { return }
            let time = scans[index].time ?? now - interval * (Double(scans.count - index) - 0.5)
            take(RawScan(raw: scans[index].raw, time: time))
        }
        if let problem, commands.reading != .none {
            skip(problem)
        } else if scans.isEmpty {
            onEvent?(.deadlinePassed)
        }
    }

    private func showsMotion(_ scan: RawScan) -> Bool { scaling.showsMotion(scan.raw, commands.sensing) }

    private func take(_ result: Result<RawScan, SystemError>) {
        switch result {
        case .success(let scan): take(scan)
        case .failure(let error): skip(error)
        }
    }

    private func take(_ scan: RawScan) {
        if scan.raw == .zero, let zeros {
            onEvent?(.readFailed(.noValue, zeros))
            return
        }
        lastScan = scan
        let measurement = scaling.measurement(raw: scan.raw, time: scan.time ?? loop.now, wasNear: isNear)
        if case .proximity(let isNear) = measurement { self.isNear = isNear }
        onEvent?(.reading(showsMotion: showsMotion(scan)))
        onReading?(measurement)
    }

    /// What is wrong with a reading of 0 on all axes; nil where it may be right.
    ///
    /// An accelerometer that lies still has 1 g on some axis. Chips that hang and hubs whose scans are empty read 0
    /// (hadess/iio-sensor-proxy#270 and #276), but so may an input device that has not been moved yet.
    private var zeros: String? {
        guard case .acceleration = scaling, let device = access?.device.description, !device.isSubstitute else {
            return nil
        }
        return "\(device.id) reads 0 on all axes"
    }

    private func skip(_ error: SystemError) {
        let failure: DeviceReadFailure =
            switch error.errno {
            case .again: .noValue
            case .noDevice: .noDevice
            default: .error
            }
        onEvent?(.readFailed(failure, "\(error)"))
    }
}
