// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// Carries out what the machine decides about sensors: reads devices, and puts accelerometers on the bus.
///
/// Sensors+Scans.swift has what scans and udev bring.
final class Sensors {
    let configuration: Configuration
    let log: Log
    /// Nil for a source that is no device.
    let scanner: SensorScanner?
    let machineDriver: MachineDriver
    var lastWarnings: [String] = []
    var hasWarnedOfLimit = false
    var lastNumber = 0
    /// The helper of each device, by path; the devices of another machine share the one of its connection.
    var helpers: [String: HelperThread] = [:]

    let loop: EventLoop
    private let bus: Bus
    private let onReading: (Measurement) -> Void
    private var sensors: [Int: Sensor] = [:]
    private var objects = 0
    /// Those of other uses than the accelerometers' that a reading has come for since they are read.
    private var answered: Set<SensorUse> = []
    /// Called once when all that was stopped is restored; those devices that were unplugged are not waited for.
    var onClosed: (() -> Void)? { didSet { callIfClosed() } }

    /// A recording or a simulation, in place of devices.
    private var source: (any SensorSource)?

    private struct Sensor {
        /// Nil for the source.
        let driver: DeviceDriver?
        /// On the bus, for an accelerometer.
        let object: SensorObject?
        var status: SensorStatus
        var warned: Set<String> = []
    }

    /// Delivers events to the machine once ``begin()`` was called.
    ///
    /// `onReading` gets the readings of other kinds than accelerometers. The first comes as soon as there is one; later
    /// ones whether they differ or not.
    init(
        configuration: Configuration,
        scanner: SensorScanner?,
        machineDriver: MachineDriver,
        loop: EventLoop,
        bus: Bus,
        log: Log,
        onReading: @escaping (Measurement) -> Void
    ) {
        self.configuration = configuration
        self.scanner = scanner
        self.machineDriver = machineDriver
        self.loop = loop
        self.bus = bus
        self.log = log
        self.onReading = onReading
    }

    // MARK: - What is known

    var table: SensorTable { machineDriver.machine.table }

    /// Whether a reading of a kind other than accelerometers has come since that kind is read.
    func hasReading(of kind: SensorKind) -> Bool { answered.contains(SensorUse(kind)) }

    /// One line for the service manager.
    var summary: String {
        let accelerometers = table.selection(SensorUse(.accelerometer))
        guard let name = accelerometers.active?.identity.name else { return "No accelerometer" }
        return "\(name) is \(accelerometers.state.name)"
    }

    func status(of number: Int) -> SensorStatus? { sensors[number]?.status }

    func driver(of number: Int) -> DeviceDriver? { sensors[number]?.driver }

    // MARK: - Commands

    /// Calls ``onClosed`` if no device has anything to restore.
    func callIfClosed() {
        if onClosed != nil, helpers.values.allSatisfy({ $0.isIdle }) { onClosed.take()?() }
    }

    // MARK: - Actions

    func perform(_ action: SensorTable.Action) {
        switch action {
        case .log(let line):
            guard let name = sensors[line.sensor]?.status.name else { return }
            // What is wrong with a trace begins with its name already.
            let text = line.text.begins(with: name) ? line.text : "\(name): \(line.text)"
            line.isWarning ? log.warning(text) : log.info(text)
        case .drive(let number, let commands): drive(number, commands)
        case .forget(let number):
            let driver = sensors.removeValue(forKey: number)?.driver
            driver?.onEvent = nil
            driver?.onReading = nil
        case .warn(let number, let warnings): warn(number, warnings, isPrefixed: true)
        case .began(let number):
            // The source had these from the start.
            guard let life = table.life(of: number) else { return }
            update(number) {
                $0.mode = life.mode
                $0.sampleRate = life.sampleRate
            }
            let name = status(of: number)?.name ?? ""
            log.debug("\(name): sampling by \(life.mode.name) at \(life.sampleRate) Hz")
        case .changed(let use):
            let selection = table.selection(use)
            if !selection.isReading { answered.remove(use) }
            for sensor in selection.sensors {
                update(sensor.number) {
                    $0.state = sensor.state
                    $0.lastError = sensor.lastError
                }
            }
        case .scan: scanner?.search.scan()
        }
    }

    private func drive(_ number: Int, _ commands: DeviceCommands) {
        guard let driver = driver(of: number) else {
            commands.reading == .none ? source?.stop() : source?.start()
            return
        }
        if commands.reading != .none { update(number) { $0.sensingLevel = commands.sensing.level } }
        guard let problem = driver.execute(commands) else { return }
        machineDriver.deliver(.device(number, .unreadable("\(problem)")))
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

    // MARK: - Sensors

    /// Adds a source that is no device.
    func add(_ source: any SensorSource, named name: String) throws(SystemError) {
        var status = SensorStatus()
        status.name = name
        status.location = .display
        status.mountMatrix = MountMatrix.identity.elements
        status.mode = source.mode
        status.sampleRate = source.sampleRate
        try add(0, SensorUse(.accelerometer), nil, status)
        self.source = source
        source.onEvent = { [self] event in
            switch event {
            case .sample(let sample):
                machineDriver.deliver(.sample(.display, machineDriver.timed(sample)))
            case .report(.started):
                let sampling = Sampling(rate: source.sampleRate, mayFallSilent: false, faceUp: .positiveZ)
                machineDriver.deliver(.samplingBegan(.display, sampling))
            case .report(.failed(let reason)): machineDriver.deliver(.sourceEnded(reason))
            case .ended: machineDriver.deliver(.sourceEnded(nil))
            case .report: break
            }
        }
        machineDriver.deliver(.sourceFound(name))
    }

    /// Adds a sensor with a number that no other has; without a driver, the source.
    func add(_ number: Int, _ use: SensorUse, _ driver: DeviceDriver?, _ status: SensorStatus) throws(SystemError) {
        driver?.onEvent = { [self] in machineDriver.deliver(.device(number, $0)) }
        driver?.onReading = { [self] in receive($0, of: number) }
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

    // MARK: - Readings

    private func receive(_ measurement: Measurement, of number: Int) {
        guard let use = table.activeUse(of: number) else { return }
        if case .acceleration(let sample) = measurement {
            return machineDriver.deliver(.sample(use.role, machineDriver.timed(sample)))
        }
        answered.insert(use)
        if case .angle(let degrees) = measurement {
            // 500° says that a Chromebook cannot tell.
            if HingeAngle.angle(ofReading: degrees) == nil, degrees != 500,
                sensors[number]?.warned.insert("angle").inserted == true
            {
                let text = AttributeText.shortest(degrees)
                log.warning("\(sensors[number]?.status.name ?? ""): \(text)° is no angle of a hinge, ignored")
            }
            machineDriver.deliver(.hingeAngle(degrees))
        }
        onReading(measurement)
    }
}

extension SensorStatus {
    /// Sets what follows from the mount matrix; nothing for all but accelerometers.
    mutating func setFrame(_ scaling: SensorScaling) {
        guard case .acceleration(let frame) = scaling else { return }
        mountMatrix = frame.matrix.elements
        faceUp = frame.faceUp
        faceUpReason = frame.faceUpReason
    }
}
