// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// The sensors of one kind and role: carries out what their ``SensorSelection`` decides.
final class SensorGroup {
    let kind: SensorKind
    /// The display's for all but accelerometers.
    let role: AccelerometerRole

    /// As ``SensorSupervisor/record``.
    var record: ((RecordedEvent) -> Void)?

    private(set) var selection = SensorSelection()
    /// The last reading since the group is read; nil before the first.
    private(set) var reading: Measurement?

    private let log: Log
    private let delegate: any SensorSupervisorDelegate
    private let scan: () -> Void
    private let makeObject: (SensorStatus) throws(SystemError) -> SensorObject?
    private var retry: Timer?
    private var sensors: [Int: Sensor] = [:]

    /// The source of a sensor, and the object on the bus of an accelerometer.
    private struct Sensor {
        let source: any SensorSource
        let object: SensorObject?
        var status: SensorStatus
        var warned: Set<String> = []
    }

    /// Creates an empty group; `scan` is to scan all devices again, and `makeObject` puts an accelerometer on the bus.
    init(
        _ kind: SensorKind,
        _ role: AccelerometerRole = .display,
        loop: EventLoop,
        log: Log,
        delegate: any SensorSupervisorDelegate,
        scan: @escaping () -> Void,
        makeObject: @escaping (SensorStatus) throws(SystemError) -> SensorObject?
    ) throws(SystemError) {
        (self.kind, self.role, self.log, self.delegate) = (kind, role, log, delegate)
        (self.scan, self.makeObject) = (scan, makeObject)
        retry = try loop.timer(scan)
    }

    // MARK: - What is known

    /// The name of the sensor in use.
    var name: String? { selection.active?.identity.name }

    /// Whether a sensor that works is at that path.
    func hasWorkingSensor(at path: String) -> Bool {
        selection.sensors.contains { $0.works && $0.identity.path == path }
    }

    /// Says whether another sensor is known at the path of a device that was found.
    func hasOtherSensor(than identity: SensorIdentity) -> Bool {
        selection.sensors.contains {
            $0.condition != .unplugged && $0.identity.path == identity.path && $0.identity != identity
        }
    }

    private var activeSource: (any SensorSource)? { selection.activeNumber.flatMap { sensors[$0]?.source } }

    // MARK: - Events

    /// Has the selection handle an event, and carries out its commands.
    func deliver(_ event: SensorEvent) {
        let wasReading = selection.isReading
        let commands = selection.handle(event)
        if selection.isReading != wasReading { reading = nil }
        if let line = commands.log, let name = selection.sensor(line.sensor)?.identity.name {
            line.isWarning ? log.warning("\(name): \(line.text)") : log.info("\(name): \(line.text)")
        }
        switch commands.retry {
        case .never: retry?.disarm()
        case .after(let delay): retry?.arm(after: delay, slack: delay / 10)
        case nil: break
        }
        if let number = commands.stop { sensors[number]?.source.stop() }
        if let number = commands.start { sensors[number]?.source.start() }
        if let number = commands.forget { forget(number) }
        if commands.isChanged { publish() }
        if commands.scans { scan() }
    }

    /// Closes the device and ignores it from then on.
    private func forget(_ number: Int) {
        guard let sensor = sensors.removeValue(forKey: number) else { return }
        sensor.source.onEvent = nil
        sensor.source.removeDevice()
    }

    private func publish() {
        for sensor in selection.sensors {
            update(sensor.number) { ($0.state, $0.lastError) = (sensor.state, sensor.lastError) }
        }
        delegate.sensorChanged(kind, role)
    }

    private func update(_ number: Int, _ body: (inout SensorStatus) -> Void) {
        guard var sensor = sensors.removeValue(forKey: number) else { return }
        body(&sensor.status)
        sensor.object?.status = sensor.status
        sensors[number] = sensor
    }

    // MARK: - Devices

    /// Adds a sensor that was not known, with a number that no group has.
    func add(
        _ number: Int,
        _ source: any SensorSource,
        _ status: SensorStatus,
        isSubstitute: Bool
    ) throws(SystemError) {
        var status = status
        (status.mode, status.sampleRate) = (source.mode, source.sampleRate)
        sensors[number] = Sensor(source: source, object: try makeObject(status), status: status)
        let location = kind == .accelerometer ? " (\(status.location))" : ""
        let place = status.sysfsPath.isEmpty ? "" : " at " + status.sysfsPath
        log.info("found \(kind.name) \(status.name)\(location)\(place)")
        source.onEvent = { [self] event in handle(event, of: number) }
        deliver(.found(number, status.identity, isSubstitute: isSubstitute))
    }

    /// Uses the device of a sensor that a scan found again, maybe at another path.
    func find(
        _ number: Int,
        _ device: any SensorDevice,
        _ status: SensorStatus,
        _ scaling: SensorScaling,
        rate: Double,
        _ helper: HelperThread
    ) {
        guard let sensor = sensors[number] else { return }
        if sensor.status.sysfsPath != status.sysfsPath { sensor.source.removeDevice() }
        sensor.source.find(device, scaling: scaling, rate: rate, helper: helper)
        update(number) {
            $0.sysfsPath = status.sysfsPath
            $0.setFrame(scaling)
        }
        deliver(.found(number, status.identity, isSubstitute: device.description.isSubstitute))
    }

    /// Loses a sensor whose device cannot be described.
    func lose(_ number: Int, _ reason: String) { sensors[number]?.source.failToDescribe(reason) }

    /// Applies the scaling that another mount matrix leads to.
    func remount(_ number: Int, _ scaling: SensorScaling) {
        guard let sensor = sensors[number], kind == .accelerometer,
            sensor.status.mountMatrix != scaling.frame.matrix.elements
        else { return }
        log.info("\(sensor.status.name): the mount matrix has changed")
        update(number) { $0.setFrame(scaling) }
        sensor.source.rescale(to: scaling)
    }

    /// Forgets the device at a path, which was unplugged or is another sensor now.
    func remove(path: String, because reason: String) {
        for sensor in selection.sensors where sensor.condition != .unplugged && sensor.identity.path == path {
            record?(.deviceRemoved(sensor.number, reason))
            sensors[sensor.number]?.source.removeDevice()
        }
        deliver(.removed(path: path, reason))
    }

    /// Logs warnings about a sensor, each of them once.
    func warn(_ number: Int, _ warnings: [String], prefix: String = "") {
        for warning in warnings where sensors[number]?.warned.insert(warning).inserted == true {
            log.warning(prefix + warning)
        }
    }

    // MARK: - Readings

    private func handle(_ event: SourceEvent, of number: Int) {
        switch event {
        case .sample(let measurement): receive(measurement, of: number)
        case .ended: deliver(.ended(number))
        case .report(let report):
            switch report {
            case .started(let warnings):
                warn(number, warnings, prefix: "\(sensors[number]?.status.name ?? ""): ")
                began(number)
            case .closed(let warnings): warn(number, warnings, prefix: "\(sensors[number]?.status.name ?? ""): ")
            case .stalled, .silent, .failed: break
            }
            deliver(.report(number, report))
        }
    }

    private func began(_ number: Int) {
        guard let source = sensors[number]?.source else { return }
        update(number) { ($0.mode, $0.sampleRate, $0.sensingLevel) = (source.mode, source.sampleRate, .stream) }
        log.debug("\(sensors[number]?.status.name ?? ""): sampling by \(source.mode.name) at \(source.sampleRate) Hz")
        guard kind == .accelerometer, number == selection.activeNumber else { return }
        let isBuffered = source.mode == .buffer
        let frame = source.frame
        let sampling = Sampling(
            rate: source.sampleRate,
            mayFallSilent: isBuffered,
            faceUp: frame.faceUp,
            faceUpReason: frame.faceUpReason
        )
        delegate.samplingBegan(role, sampling)
    }

    private func receive(_ measurement: Measurement, of number: Int) {
        guard number == selection.activeNumber else { return }
        var sample: AccelerometerSample?
        switch measurement {
        case .acceleration(let acceleration): sample = acceleration
        // 500° says that a Chromebook cannot tell.
        case .angle(let degrees) where HingeAngle.angle(ofReading: degrees) == nil && degrees != 500:
            guard sensors[number]?.warned.insert("angle").inserted == true else { break }
            let text = AttributeText.shortest(degrees)
            log.warning("\(sensors[number]?.status.name ?? ""): \(text)° is no angle of a hinge, ignored")
        default: break
        }
        deliver(.sample(number, sample))
        reading = measurement
        if let sample { delegate.received(sample, role) } else { delegate.received(measurement) }
    }

    // MARK: - Commands

    /// Sets how closely the sensor in use is read, until sampling begins anew.
    func sense(_ sensing: Sensing) {
        guard selection.isReading, let active = selection.active, let source = activeSource else { return }
        source.sense(sensing)
        if source.mode != .replay { update(active.number) { $0.sensingLevel = sensing.level } }
    }

    func deliverWaiting() { activeSource?.deliverWaiting() }
}

extension SensorStatus {
    /// Sets what follows from the mount matrix; nothing for all but accelerometers.
    mutating func setFrame(_ scaling: SensorScaling) {
        guard case .acceleration(let frame) = scaling else { return }
        (mountMatrix, faceUp, faceUpReason) = (frame.matrix.elements, frame.faceUp, frame.faceUpReason)
    }

    var identity: SensorIdentity { SensorIdentity(name: name, location: location, path: sysfsPath) }
}
