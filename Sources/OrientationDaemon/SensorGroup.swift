// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// All sensors of one kind in one half of the machine, of which the best one that works is read while it is needed.
final class SensorGroup {
    /// Seconds until a failed sensor is tried again: from the first, doubled each time, to the last.
    private static let backoff = (first: 0.5, last: 30.0)

    /// Readings in a row after which a sensor that had failed counts as sound again.
    private static let soundReadings = 100

    let kind: SensorKind

    /// Whether they are those in a laptop's base, which never drive the orientation.
    let isBase: Bool

    private var role: AccelerometerRole { isBase ? .base : .display }

    /// What looking at all devices afresh can be good for.
    enum Prospect {
        /// Nothing: these are no devices.
        case none
        /// What has failed; of what comes udev tells.
        case failures
        /// What has come meanwhile, too.
        case arrivals
    }

    var prospect = Prospect.none

    /// Whether the sensor that counts is to be read now: somebody wants that, and the machine does not sleep.
    private(set) var isNeeded = false

    /// The last reading since the group is needed; nil before the first.
    private(set) var reading: Measurement?

    private var isWanted = false
    private var isSuspended = false

    private let log: Log
    private let delegate: any SensorSupervisorDelegate
    private var sensors: [Sensor] = []
    private var active: Sensor?
    private var retry: Timer?

    /// Seconds until it is tried again the next time.
    private(set) var delay = SensorGroup.backoff.first

    /// How many there were since sampling began.
    private var readings = 0

    /// Creates an empty group; `lookAgain` is to look at all devices afresh.
    init(
        _ kind: SensorKind,
        isBase: Bool = false,
        loop: EventLoop,
        log: Log,
        delegate: any SensorSupervisorDelegate,
        lookAgain: @escaping () -> Void
    ) throws(SystemError) {
        self.kind = kind
        self.isBase = isBase
        self.log = log
        self.delegate = delegate
        retry = try loop.timer(lookAgain)
    }

    // MARK: - What is known

    /// Says whether there is a sensor that counts.
    var hasSensor: Bool { active?.source != nil }

    /// The state of the sensor that counts.
    var state: SensorState { isSuspended && hasSensor ? .suspended : active?.state ?? .none }

    /// Says whether readings come, or may come soon.
    var isHopeful: Bool { !isSuspended && (active?.works == true || canRetry) }

    /// The name of the sensor that counts.
    var name: String? { active?.name }

    /// Says whether looking again may help: not for what udev tells of, nor for a recording that has ended.
    var canRetry: Bool {
        guard active?.works != true else { return false }
        return switch prospect {
        case .none: false
        case .failures: active?.source != nil
        case .arrivals: true
        }
    }

    // MARK: - Asked from outside

    /// Reads from now on, or no longer; true when looking at all devices may help with that.
    func need(_ isNeeded: Bool) -> Bool {
        isWanted = isNeeded
        return update()
    }

    /// Stops reading until ``resume()``, and calls `completion` when the device is as it was found.
    func suspend(completion: @escaping () -> Void) {
        isSuspended = true
        _ = update()
        delegate.sensorChanged(kind, role)
        guard let source = active?.source else { return completion() }
        source.stop(completion: completion)
    }

    /// Reads again if that is wanted; true when looking at all devices may help with that.
    func resume() -> Bool {
        isSuspended = false
        delegate.sensorChanged(kind, role)
        return update()
    }

    private func update() -> Bool {
        let isNeeded = isWanted && !isSuspended
        guard isNeeded != self.isNeeded else { return false }
        self.isNeeded = isNeeded
        reading = nil
        hurry()
        if !isNeeded {
            active?.rest()
        } else if active?.works == true {
            active?.source?.start()
        }
        delegate.sensorChanged(kind, role)
        return isNeeded && canRetry
    }

    /// Stops reading for good and calls `completion` when the device is as it was found.
    func end(completion: @escaping () -> Void) {
        isNeeded = false
        retry?.disarm()
        guard let source = active?.source else { return completion() }
        source.stop(completion: completion)
    }

    /// Looks at everything afresh later: a context is a snapshot, and what failed may be another device by then.
    func scheduleRetry() {
        retry?.arm(after: delay, slack: delay / 10)
        delay = min(delay * 2, Self.backoff.last)
    }

    /// Begins anew with the shortest delay.
    func hurry() {
        retry?.disarm()
        delay = Self.backoff.first
    }

    // MARK: - Coming and going

    /// The sensor that reads that device, or could; nil where there is none.
    func user(of identity: Sensor.Identity) -> Sensor? {
        sensors.first { $0.works && $0.identity == identity }
    }

    /// Says whether a sensor reads the device of that path, or could.
    func isInUse(at path: String) -> Bool {
        sensors.contains { $0.works && $0.identity.sysfsPath == path }
    }

    /// Gives a source to the lost sensor that it is the return of, or to the new one that `make` makes.
    func adopt(
        _ source: any SensorSource,
        _ identity: Sensor.Identity,
        _ status: SensorStatus,
        make: () throws(SystemError) -> Sensor
    ) throws(SystemError) -> Sensor {
        let same =
            sensors.first { $0.identity == identity }
            ?? sensors.first { !$0.works && $0.identity.isSameSensor(as: identity) }
        let sensor: Sensor
        if let same {
            sensor = same
        } else {
            sensor = try make()
            sensors.append(sensor)
            let location = kind == .accelerometer ? " (\(status.location.name))" : ""
            let place = status.sysfsPath.isEmpty ? "" : " at " + status.sysfsPath
            log.info("found \(kind.name) \(status.name)\(location)\(place)")
        }
        sensor.attach(source, identity, status, isNeeded: isNeeded)
        source.onEvent = { [self] event in handle(event, of: sensor) }
        return sensor
    }

    /// Lets the sensor of that path go, if there is one.
    func remove(at path: String) {
        guard let sensor = sensors.first(where: { $0.source != nil && $0.identity.sysfsPath == path }) else { return }
        sensor.detach()
        lose(sensor, "the device was removed")
        choose()
    }

    /// Lets the sensor go that reads the device of that path as another one: of another name, or in another place.
    ///
    /// `completion` is called when the device is as it was found; never, with false returned, where there is no such
    /// sensor.
    func makeRoom(for identity: Sensor.Identity, completion: @escaping () -> Void) -> Bool {
        let sensor = sensors.first {
            $0.source != nil && $0.identity.sysfsPath == identity.sysfsPath && $0.identity != identity
        }
        guard let sensor, !identity.sysfsPath.isEmpty else { return false }
        sensor.source?.stop(completion: completion)
        sensor.detach()
        lose(sensor, "the device is \(identity.name) (\(identity.location.name)) now")
        choose()
        return true
    }

    /// Keeps the sensor that counts while it works, else takes the first that does; a lost one stays until then.
    func choose() {
        let candidates = sensors.filter { $0.counts }
        let working = candidates.filter { $0.works }
        var best = working.first { !$0.isSubstitute } ?? working.first ?? active ?? candidates.first
        if let active, active.works, active.isSubstitute == best?.isSubstitute { best = active }
        if best !== active {
            active?.rest()
            active = best
        }
        if isNeeded, let active, active.works { active.source?.start() }
        delegate.sensorChanged(kind, role)
    }

    // MARK: - Reading

    private func handle(_ event: SourceEvent, of sensor: Sensor) {
        switch event {
        case .sample(let measurement):
            guard sensor === active else { return }
            settle()
            if sensor.state == .lost {
                sensor.recovered()
                delegate.sensorChanged(kind, role)
            }
            reading = measurement
            if case .acceleration(let sample) = measurement {
                watch(sample, of: sensor)
                delegate.received(sample, role)
            } else {
                delegate.received(measurement)
            }
        case .started(let warnings):
            for warning in warnings where sensor.isNew(warning) { log.warning("\(sensor.name): \(warning)") }
            sensor.began()
            readings = 0
            if let source = sensor.source {
                log.debug("\(sensor.name): sampling by \(source.mode.name) at \(source.sampleRate) Hz")
            }
            if let source = sensor.source, sensor === active, kind == .accelerometer {
                delegate.samplingBegan(
                    role,
                    rate: source.sampleRate,
                    mayFallSilent: source.mode == .buffer,
                    faceUp: source.faceUp
                )
            }
            delegate.sensorChanged(kind, role)
        case .ended:
            log.info("\(sensor.name) has ended")
            sensor.failed("the recording has ended")
            choose()
        case .failed(let reason):
            lose(sensor, reason)
            choose()
            if isNeeded && canRetry { scheduleRetry() }
        }
    }

    /// Takes a sensor that has been read for long enough for sound: one that fails every other time does not.
    private func settle() {
        readings += 1
        guard readings == Self.soundReadings else { return }
        delay = Self.backoff.first
        active?.settled()
    }

    /// Looks whether the sensor is stuck, and starts it anew then; what it reads counts all the same.
    private func watch(_ sample: AccelerometerSample, of sensor: Sensor) {
        switch sensor.stuck.add(sample) {
        case .stuck(let seconds):
            let problem = "stuck: the very same reading for \(seconds) s"
            log.warning("\(sensor.name): \(problem); starting it anew")
            sensor.complain(problem)
            sensor.source?.stop {}
            sensor.source?.start()
        case .moving:
            log.info("\(sensor.name): no longer stuck")
            sensor.complain("")
        case nil:
            break
        }
    }

    private func lose(_ sensor: Sensor, _ reason: String) {
        if sensor.failed(reason) { log.warning("\(sensor.name): \(reason)") }
    }
}
