// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// All sensors of one kind and role, of which the best one that works is read while it is needed.
final class SensorGroup {
    /// Seconds until a failed sensor is tried again: at once, then from the first, doubled each time, to the last.
    private static let backoff = (first: 0.5, last: 30.0)

    /// Readings in a row after which a sensor that had failed counts as sound again.
    private static let soundReadings = 100

    /// Unplugged sensors that stay on the bus beside the active one.
    private static let keptUnplugged = 8

    let kind: SensorKind

    /// The display's for all but accelerometers.
    let role: AccelerometerRole

    /// What another scan can bring.
    enum RescanReason {
        /// Nothing: the sensor is no device.
        case none
        /// Failed sensors; udev announces new ones.
        case failures
        /// New ones too.
        case arrivals
    }

    var rescanReason = RescanReason.none

    /// Whether the active sensor is to be read now: it is wanted, and the machine does not sleep.
    private(set) var isNeeded = false

    /// The last reading since the group is needed; nil before the first.
    private(set) var reading: Measurement?

    private var onClosed: (() -> Void)?
    private var isWanted = false
    private var isSuspended = false
    private var isEnding = false

    private let log: Log
    private let delegate: any SensorSupervisorDelegate
    private var sensors: [Sensor] = []
    private var active: Sensor?
    private var retry: Timer?

    /// Seconds until the next retry.
    private(set) var delay = 0.0

    /// The readings since sampling began.
    private var readings = 0

    /// Creates an empty group; `scan` is to scan all devices again.
    init(
        _ kind: SensorKind,
        _ role: AccelerometerRole = .display,
        loop: EventLoop,
        log: Log,
        delegate: any SensorSupervisorDelegate,
        scan: @escaping () -> Void
    ) throws(SystemError) {
        self.kind = kind
        self.role = role
        self.log = log
        self.delegate = delegate
        retry = try loop.timer(scan)
    }

    // MARK: - State

    var hasSensor: Bool { active?.isPresent == true }

    /// The state of the active sensor.
    var state: SensorState { isSuspended && hasSensor ? .suspended : active?.state ?? .none }

    /// Whether readings come, or may come soon.
    var mayDeliverReadings: Bool { !isSuspended && (active?.works == true || canRetry) }

    /// The name of the active sensor.
    var name: String? { active?.name }

    /// Whether another scan may help: not for what udev announces, nor for a recording that has ended.
    var canRetry: Bool {
        guard active?.works != true else { return false }
        return switch rescanReason {
        case .none: false
        case .failures: hasSensor
        case .arrivals: true
        }
    }

    // MARK: - Commands

    /// Reads from now on, or no longer; true when another scan may help with that.
    func read(_ isWanted: Bool) -> Bool {
        self.isWanted = isWanted
        return update()
    }

    /// Reads as closely as asked for, until sampling begins anew.
    func sense(_ sensing: Sensing) {
        guard isNeeded else { return }
        active?.sense(sensing)
    }

    func deliverWaiting() { active?.source.deliverWaiting() }

    /// Stops reading until ``resume()``, and calls `completion` when the device is restored.
    func suspend(completion: @escaping () -> Void) {
        isSuspended = true
        _ = update()
        delegate.sensorChanged(kind, role)
        active?.rest()
        whenClosed(completion)
    }

    /// Reads again if that is wanted; true when another scan may help with that.
    func resume() -> Bool {
        isSuspended = false
        delegate.sensorChanged(kind, role)
        return update()
    }

    private func update() -> Bool {
        let isNeeded = isWanted && !isSuspended
        guard isNeeded != self.isNeeded, !isEnding else { return false }
        self.isNeeded = isNeeded
        reading = nil
        resetBackoff()
        if !isNeeded {
            active?.rest()
            if let active, active.source.skippedReadings > 0 {
                log.debug("\(active.name): \(active.source.skippedReadings) failed readings were skipped so far")
            }
        } else if let active, active.works {
            active.source.start()
        }
        delegate.sensorChanged(kind, role)
        return isNeeded && canRetry
    }

    /// Stops reading for good and calls `completion` when the device is restored.
    func end(completion: @escaping () -> Void) {
        isEnding = true
        isNeeded = false
        retry?.disarm()
        active?.source.stop()
        whenClosed(completion)
    }

    private func whenClosed(_ completion: @escaping () -> Void) {
        guard let active, !active.source.isClosed else { return completion() }
        onClosed = completion
    }

    /// Scans everything again later: a context is a snapshot, and what failed may be another device by then.
    func scheduleRetry() {
        retry?.arm(after: delay, slack: delay / 10)
        delay = min(max(Self.backoff.first, delay * 2), Self.backoff.last)
    }

    func resetBackoff() {
        retry?.disarm()
        delay = 0
    }

    // MARK: - Arrivals and departures

    /// The sensor that the status describes, whether it works or not.
    func sensor(_ status: SensorStatus) -> Sensor? { sensors.first { $0.status.isSameDevice(as: status) } }

    /// The sensor whose device is at that path.
    func sensor(at path: String) -> Sensor? { sensors.first { $0.isPresent && $0.status.sysfsPath == path } }

    /// Makes a known sensor work again after its source got a new device.
    func restore(_ sensor: Sensor, _ status: SensorStatus) {
        sensor.restore(status, isAwaited: isNeeded && sensor === active)
    }

    /// Gives a source to the lost sensor that returned, or else to a new one from `make`.
    func adopt(
        _ source: any SensorSource,
        _ status: SensorStatus,
        make: () throws(SystemError) -> Sensor
    ) throws(SystemError) -> Sensor {
        let sensor: Sensor
        if let lost = sensors.first(where: { !$0.works && $0.status.isSameSensor(as: status) }) {
            sensor = lost
            sensor.restore(status, with: source, isAwaited: isNeeded && sensor === active)
        } else {
            sensor = try make()
            sensors.append(sensor)
            let location = kind == .accelerometer ? " (\(status.location))" : ""
            let place = status.sysfsPath.isEmpty ? "" : " at " + status.sysfsPath
            log.info("found \(kind.name) \(status.name)\(location)\(place)")
        }
        source.onEvent = { [self] event in handle(event, of: sensor) }
        return sensor
    }

    /// Notes that the device at that path was unplugged, if there is one.
    func unplug(at path: String) {
        if let sensor = sensor(at: path) { unplug(sensor, "the device was removed") }
    }

    /// Forgets a device that is another sensor now: of another name, or in another place.
    func release(_ sensor: Sensor, to status: SensorStatus) {
        unplug(sensor, "the device is \(status.name) (\(status.location.name)) now")
    }

    private func unplug(_ sensor: Sensor, _ reason: String) {
        sensor.source.removeDevice()
        lose(sensor, reason, .unplugged)
        choose()
        // The last one is at the end.
        sensors.removeAll { $0 === sensor }
        sensors.append(sensor)
        let unplugged = sensors.filter { !$0.isPresent && $0 !== active }
        for oldest in unplugged.dropLast(Self.keptUnplugged) {
            oldest.discardSource()
            sensors.removeAll { $0 === oldest }
        }
    }

    /// Keeps the active sensor while it works, else takes the first that does; a lost one stays until then.
    func choose() {
        guard !isEnding else { return }
        let candidates = sensors.filter { $0.counts }
        let working = candidates.filter { $0.condition == .working }
        var best =
            working.first { !$0.isSubstitute } ?? working.first ?? active ?? candidates.first { $0.works }
            ?? candidates.first
        if let active, active.condition == .working, active.isSubstitute == best?.isSubstitute { best = active }
        if best !== active {
            active?.rest()
            active = best
        }
        if isNeeded, let active, active.works { active.source.start() }
        delegate.sensorChanged(kind, role)
    }

    // MARK: - Reading

    private func handle(_ event: SourceEvent, of sensor: Sensor) {
        switch event {
        case .sample(let measurement):
            guard sensor === active else { return }
            settle()
            if sensor.state == .lost {
                sensor.recover()
                delegate.sensorChanged(kind, role)
            }
            reading = measurement
            guard case .acceleration(let sample) = measurement else { return delegate.received(measurement) }
            watch(sample, of: sensor)
            delegate.received(sample, role)
        case .report(let report): handle(report, of: sensor)
        case .ended:
            log.info("\(sensor.name) has ended")
            sensor.fail("the recording has ended")
            choose()
        }
    }

    private func handle(_ report: DeviceReport, of sensor: Sensor) {
        switch report {
        case .started(let warnings):
            for warning in warnings where sensor.isNew(warning) { log.warning("\(sensor.name): \(warning)") }
            sensor.begin()
            readings = 0
            let source = sensor.source
            log.debug("\(sensor.name): sampling by \(source.mode.name) at \(source.sampleRate) Hz")
            if sensor === active, kind == .accelerometer {
                let (rate, isBuffered, faceUp) = (source.sampleRate, source.mode == .buffer, source.faceUp)
                delegate.samplingBegan(role, rate: rate, mayFallSilent: isBuffered, faceUp: faceUp)
            }
            delegate.sensorChanged(kind, role)
        case .stalled(let reason):
            lose(sensor, reason, .stalled)
            choose()
        case .silent(let problem):
            log.warning("\(sensor.name): \(problem); starting it anew")
            sensor.complain(problem)
        case .closed(let warnings):
            for warning in warnings where sensor.isNew(warning) { log.warning("\(sensor.name): \(warning)") }
            sensor.close()
            if sensor === active { onClosed.take()?() }
        case .failed(let reason):
            lose(sensor, reason, .failed)
            choose()
            if isNeeded && canRetry { scheduleRetry() }
        }
    }

    /// Resets the back-off once a sensor was read for long enough; one that keeps failing never gets that far.
    private func settle() {
        readings += 1
        guard readings == Self.soundReadings else { return }
        delay = 0
        active?.settle()
    }

    /// Restarts a stuck sensor; its readings count all the same.
    private func watch(_ sample: AccelerometerSample, of sensor: Sensor) {
        switch sensor.stuck.add(sample) {
        case .stuck(let seconds):
            let problem = "stuck: the very same reading for \(seconds) s"
            log.warning("\(sensor.name): \(problem); starting it anew")
            restart(sensor, because: problem)
        case .moving:
            log.info("\(sensor.name): no longer stuck")
            sensor.complain("")
        case nil: break
        }
    }

    private func restart(_ sensor: Sensor, because problem: String) {
        sensor.complain(problem)
        sensor.source.stop()
        sensor.source.start()
    }

    private func lose(_ sensor: Sensor, _ reason: String, _ condition: Sensor.Condition) {
        if sensor.fail(reason, condition) { log.warning("\(sensor.name): \(reason)") }
    }
}
