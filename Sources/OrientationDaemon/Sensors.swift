// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// Passes events to the ``SensorTable``, and carries out its actions; puts accelerometers on the bus.
///
/// Sensors+Scans.swift has what scans and udev bring.
final class Sensors {
    /// What the daemon has to know.
    enum Event {
        /// An accelerometer begins to sample.
        case samplingBegan(AccelerometerRole, Sampling)
        case sample(AccelerometerRole, AccelerometerSample)
        /// A reading of another kind.
        ///
        /// The first after ``read(_:_:)`` comes as soon as there is one; later ones whether they differ or not.
        case reading(Measurement)
        /// What is known of a use has changed.
        case changed(SensorUse)
        /// The first scan has ended, or none was needed.
        case found
    }

    /// Called with each event; set before ``begin()``.
    var onEvent: (Event) -> Void = { _ in }

    let configuration: Configuration
    let log: Log
    /// Nil for a source that is no device.
    let scanner: SensorScanner?
    /// Records what a replay of the devices needs; nil for no recording.
    let record: ((RecordedEvent) -> Void)?
    var isFirstScanAwaited = false
    /// Paths of devices that udev has announced since the last scan.
    var announced: Set<String> = []
    var lastWarnings: [String] = []
    var hasWarnedOfLimit = false
    var lastNumber = 0
    /// The helper of each device, by path; the devices of another machine share the one of its connection.
    var helpers: [String: HelperThread] = [:]

    private(set) var table = SensorTable()
    let loop: EventLoop
    private let bus: Bus
    private var sensors: [Int: Sensor] = [:]
    private var objects = 0
    /// The last reading of each use since it is read.
    private var readings: [SensorUse: Measurement] = [:]
    private var onClosed: (() -> Void)?
    private var timer: Timer?
    private var armed: Double?
    /// Whether actions are being carried out; drivers may answer at once.
    private var isBusy = false
    private var pending: [(Sensors) -> Void] = []

    private enum Driver {
        case device(DeviceDriver)
        /// A recording or a simulation.
        case source(any SensorSource)
    }

    /// What carries out the commands for a sensor, and the object on the bus of an accelerometer.
    private struct Sensor {
        let driver: Driver
        let object: SensorObject?
        var status: SensorStatus
        var warned: Set<String> = []
    }

    init(
        configuration: Configuration,
        scanner: SensorScanner?,
        loop: EventLoop,
        bus: Bus,
        log: Log,
        record: ((RecordedEvent) -> Void)?
    ) throws(SystemError) {
        (self.configuration, self.scanner, self.record) = (configuration, scanner, record)
        (self.loop, self.bus, self.log) = (loop, bus, log)
        timer = try loop.timer { [unowned(unsafe) self] in expire() }
    }

    // MARK: - What is known

    /// The state of the sensor in use.
    func report(_ use: SensorUse) -> SensorReport {
        let selection = table.selection(use)
        let mayDeliver = selection.mayDeliverReadings || isFirstScanAwaited
        return SensorReport(state: selection.state, isPresent: selection.hasSensor, mayDeliver: mayDeliver)
    }

    /// The last reading since that kind is read; nil before the first.
    func reading(of kind: SensorKind) -> Measurement? { readings[SensorUse(kind)] }

    /// One line for the service manager.
    var summary: String {
        let accelerometers = table.selection(SensorUse(.accelerometer))
        guard let name = accelerometers.active?.identity.name else { return "No accelerometer" }
        return "\(name) is \(accelerometers.state.name)"
    }

    func status(of number: Int) -> SensorStatus? { sensors[number]?.status }

    // MARK: - Commands

    /// Sets whether the sensor of a kind is read; another one takes its place when it is lost.
    func read(_ kind: SensorKind, _ isNeeded: Bool, role: AccelerometerRole = .display) {
        // A replay derives those of accelerometers.
        if kind != .accelerometer { record?(.needed(kind, isNeeded)) }
        change { table, time in table.need(isNeeded, SensorUse(kind, role), at: time) }
    }

    /// Sets how closely the accelerometer of a role is read, until sampling begins anew.
    func sense(_ sensing: Sensing, role: AccelerometerRole) {
        change { [self] table, time in
            guard let number = table.sense(sensing, SensorUse(.accelerometer, role), at: time) else { return }
            update(number) { $0.sensingLevel = sensing.level }
        }
    }

    /// Delivers what was read of the display's accelerometer and waits to be delivered.
    func deliverWaiting() {
        let active = table.selection(SensorUse(.accelerometer)).activeNumber
        if let active, case .device(let driver) = sensors[active]?.driver { driver.deliverWaiting() }
    }

    /// Stops all, whatever is needed, until the machine runs again or for good; or reads again what is needed.
    ///
    /// Calls `completion` when all that was stopped is restored.
    func enter(_ lifecycle: OrientationMachine.Lifecycle, completion: (() -> Void)? = nil) {
        guard !isBusy else { return pending.append { $0.enter(lifecycle, completion: completion) } }
        if lifecycle == .ending { scanner?.end() }
        change { table, time in table.enter(lifecycle, at: time) }
        onClosed = completion
        callIfClosed()
    }

    /// Calls back once no device has anything to restore; those that were unplugged are not waited for.
    func callIfClosed() {
        if helpers.values.allSatisfy({ $0.isIdle }) { onClosed.take()?() }
    }

    // MARK: - Events and actions

    /// Passes an event to the table, and carries out its actions, now or after those that are being carried out.
    func change(_ body: @escaping (inout SensorTable, Double) -> Void) {
        guard !isBusy else { return pending.append { $0.change(body) } }
        body(&table, loop.now)
        performActions()
        deliverPending()
    }

    /// Carries out the actions of the table, and waits for its deadline.
    private func performActions() {
        isBusy = true
        for action in table.takeActions() { perform(action) }
        isBusy = false
        let deadline = table.deadline
        guard deadline != armed else { return }
        armed = deadline
        if let deadline { timer?.arm(after: deadline - loop.now) } else { timer?.disarm() }
    }

    /// Delivers what came while actions were carried out; the last step of each event, so that the order is kept.
    private func deliverPending() { while !isBusy, !pending.isEmpty { pending.removeFirst()(self) } }

    private func expire() {
        armed = nil
        for number in table.overdue(at: loop.now) { deliver(.deadlinePassed, of: number) }
        change { table, time in table.expire(at: time) }
    }

    private func perform(_ action: SensorTable.Action) {
        switch action {
        case .log(let line):
            guard let name = sensors[line.sensor]?.status.name else { return }
            line.isWarning ? log.warning("\(name): \(line.text)") : log.info("\(name): \(line.text)")
        case .drive(let number, let commands): drive(number, commands)
        case .forget(let number):
            guard let sensor = sensors.removeValue(forKey: number) else { return }
            switch sensor.driver {
            case .device(let driver): driver.onEvent = nil
            case .source(let source): source.onEvent = nil
            }
        case .warn(let number, let warnings): warn(number, warnings, isPrefixed: true)
        case .began(let number): began(number)
        case .changed(let use):
            let selection = table.selection(use)
            if !selection.isReading { readings[use] = nil }
            for sensor in selection.sensors {
                update(sensor.number) { ($0.state, $0.lastError) = (sensor.state, sensor.lastError) }
            }
            onEvent(.changed(use))
        case .scan: scanner?.search.scan()
        }
    }

    private func drive(_ number: Int, _ commands: DeviceCommands) {
        switch sensors[number]?.driver {
        case .device(let driver):
            if let problem = driver.execute(commands) { deliver(.unreadable("\(problem)"), of: number) }
        case .source(let source): commands.reading == .none ? source.stop() : source.start()
        case nil: break
        }
    }

    /// Changes what is published of a sensor.
    func update(_ number: Int, _ body: (inout SensorStatus) -> Void) {
        guard var sensor = sensors.removeValue(forKey: number) else { return }
        body(&sensor.status)
        sensor.object?.status = sensor.status
        sensors[number] = sensor
    }

    /// Logs warnings about a sensor, each of them once.
    func warn(_ number: Int, _ warnings: [String], isPrefixed: Bool = false) {
        guard let name = sensors[number]?.status.name else { return }
        for warning in warnings where sensors[number]?.warned.insert(warning).inserted == true {
            log.warning(isPrefixed ? "\(name): \(warning)" : warning)
        }
    }

    private func began(_ number: Int) {
        guard let use = table.use(of: number), let driver = sensors[number]?.driver else { return }
        let (mode, rate, frame): (SensorMode, Double, SensorFrame)
        switch driver {
        case .source(let source): (mode, rate, frame) = (source.mode, source.sampleRate, SensorFrame())
        case .device(let driver):
            guard let life = table.life(of: number) else { return }
            (mode, rate, frame) = (life.mode, life.sampleRate, driver.frame)
        }
        update(number) { ($0.mode, $0.sampleRate, $0.sensingLevel) = (mode, rate, .stream) }
        log.debug("\(sensors[number]?.status.name ?? ""): sampling by \(mode.name) at \(rate) Hz")
        guard use.kind == .accelerometer, number == table.selection(use).activeNumber else { return }
        let sampling = Sampling(
            rate: rate,
            mayFallSilent: mode == .buffer,
            faceUp: frame.faceUp,
            faceUpReason: frame.faceUpReason
        )
        onEvent(.samplingBegan(use.role, sampling))
    }

    // MARK: - Sensors

    /// Adds a source that is no device.
    func add(_ source: any SensorSource, named name: String) throws(SystemError) {
        var status = SensorStatus()
        (status.name, status.location, status.mountMatrix) = (name, .display, MountMatrix.identity.elements)
        (status.mode, status.sampleRate) = (source.mode, source.sampleRate)
        let identity = status.identity
        try add(0, SensorUse(.accelerometer), .source(source), status)
        source.onEvent = { [self] event in
            switch event {
            case .sample(let measurement): receive(measurement, of: 0)
            case .report(let report): change { $0.handle(report, of: 0, at: $1) }
            case .ended: change { $0.end(0, at: $1) }
            }
        }
        change { table, time in table.addRecording(0, identity, at: time) }
    }

    /// Adds a driver for a sensor that was not known, with a number that no other has.
    func add(_ number: Int, _ use: SensorUse, _ driver: DeviceDriver, _ status: SensorStatus) throws(SystemError) {
        try add(number, use, .device(driver), status)
        driver.onEvent = { [self] event in
            switch event {
            case .device(let event): deliver(event, of: number)
            case .reading(let measurement): receive(measurement, of: number)
            }
        }
    }

    private func add(
        _ number: Int,
        _ use: SensorUse,
        _ driver: Driver,
        _ status: SensorStatus
    ) throws(SystemError) {
        var object: SensorObject?
        if use.kind == .accelerometer {
            object = try SensorObject(bus: bus, number: objects, status: status)
            objects += 1
        }
        sensors[number] = Sensor(driver: driver, object: object, status: status)
        let location = use.kind == .accelerometer ? " (\(status.location))" : ""
        let place = status.sysfsPath.isEmpty ? "" : " at " + status.sysfsPath
        log.info("found \(use.kind.name) \(status.name)\(location)\(place)")
    }

    /// The driver of a device.
    func driver(of number: Int) -> DeviceDriver? {
        guard case .device(let driver) = sensors[number]?.driver else { return nil }
        return driver
    }

    // MARK: - Readings

    /// Delivers an event that comes from the device.
    func deliver(_ event: DeviceEvent, of number: Int) {
        guard !isBusy else { return pending.append { $0.deliver(event, of: number) } }
        record?(.device(number, event))
        table.handle(event, of: number, at: loop.now)
        performActions()
        deliverPending()
    }

    private func receive(_ measurement: Measurement, of number: Int) {
        guard !isBusy else { return pending.append { $0.receive(measurement, of: number) } }
        guard let use = table.use(of: number), number == table.selection(use).activeNumber else { return }
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
        table.add(sample, of: number, at: loop.now)
        performActions()
        readings[use] = measurement
        onEvent(sample.map { .sample(use.role, $0) } ?? .reading(measurement))
        deliverPending()
    }
}

extension SensorStatus {
    /// Sets what follows from the mount matrix; nothing for all but accelerometers.
    mutating func setFrame(_ scaling: SensorScaling) {
        guard case .acceleration(let frame) = scaling else { return }
        (mountMatrix, faceUp, faceUpReason) = (frame.matrix.elements, frame.faceUp, frame.faceUpReason)
    }

    var identity: SensorIdentity { SensorIdentity(name: name, location: location, path: sysfsPath) }
}
