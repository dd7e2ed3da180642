// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import OrientationIIO
import SystemdBus

/// What the supervisor tells of the sensor that counts.
protocol SensorSupervisorDelegate: AnyObject {
    /// Sampling begins: at so many samples a second, from a device that may report changes only.
    func samplingBegan(rate: Double, mayFallSilent: Bool)

    func received(_ sample: AccelerometerSample)

    /// `hasAccelerometer` or `state` is another now.
    func sensorChanged()
}

/// Finds the sensors, follows their coming and going, and keeps the best one sampling while it is needed.
final class SensorSupervisor {
    /// Seconds until a failed sensor is tried again: from the first, doubled each time, to the last.
    private static let backoff = (first: 0.5, last: 30.0)

    private let configuration: Configuration
    private let loop: EventLoop
    private let bus: Bus
    private let log: Log
    private let helper: HelperThread
    private let delegate: any SensorSupervisorDelegate
    private var monitor: DeviceMonitor?
    private var retry: Timer?

    private var sensors: [Sensor] = []
    private var active: Sensor?
    private var isNeeded = false
    private var isScanning = false
    private var mustScanAgain = false
    private var scanFailed = false

    /// Paths of devices that udev has given to us since they were looked at.
    private var announced: Set<String> = []
    private var delay = SensorSupervisor.backoff.first
    private var lastWarning = ""
    private var onFirstScan: (() -> Void)?

    init(
        configuration: Configuration,
        loop: EventLoop,
        bus: Bus,
        log: Log,
        delegate: any SensorSupervisorDelegate
    ) throws(SystemError) {
        self.configuration = configuration
        self.loop = loop
        self.bus = bus
        self.log = log
        self.delegate = delegate
        helper = try HelperThread(loop: loop)
        retry = try loop.timer { [self] in scan() }
    }

    // MARK: - What is known

    /// Says whether there is a sensor that can drive the orientation.
    var hasAccelerometer: Bool { active?.source != nil }

    /// The state of the sensor that counts.
    var state: SensorState { active?.state ?? .none }

    /// Says whether samples come, or may come soon.
    var isHopeful: Bool { active?.works == true || canRetry || onFirstScan != nil }

    /// One line for the service manager.
    var summary: String {
        guard let active else { return "No accelerometer" }
        return "\(active.name) is \(active.state.rawValue)"
    }

    // MARK: - Asked from outside

    /// Looks for sensors for the first time, and then whenever udev tells of one; `completion` follows the first look.
    func begin(completion: @escaping () -> Void) throws(SystemError) {
        switch configuration.source {
        case .iio(let uri):
            if uri == "local:" {
                monitor = try DeviceMonitor(subsystem: "iio", type: "iio_device", loop: loop) { [self] in
                    deviceChanged($0, $1)
                }
            }
            onFirstScan = completion
            scan()
        case .replay(let path):
            try add(ReplaySource(path: path, loop: loop), named: path)
            completion()
        case .simulation:
            try add(SimulatedSource(rate: configuration.rate, loop: loop), named: "simulation")
            completion()
        }
    }

    /// Samples from now on, or no longer.
    func need(_ isNeeded: Bool) {
        guard isNeeded != self.isNeeded else { return }
        self.isNeeded = isNeeded
        retry?.disarm()
        delay = Self.backoff.first
        if !isNeeded {
            active?.rest()
        } else if let source = active?.source, active?.works == true {
            source.start()
        } else if canRetry {
            scan()
        }
        delegate.sensorChanged()
    }

    /// Stops sampling and calls `completion` when the device is as it was found.
    func end(completion: @escaping () -> Void) {
        isNeeded = false
        monitor = nil
        retry?.disarm()
        guard let source = active?.source else { return completion() }
        source.stop(completion: completion)
    }

    // MARK: - Finding

    /// The accelerometers of a context, or why there are none to be had.
    private struct Finding: Sendable {
        var accelerometers: [IIOSensor] = []
        var hasFailed = false
        var warnings: [String] = []
    }

    private func scan() {
        guard case .iio(let uri) = configuration.source else { return }
        guard !isScanning else {
            mustScanAgain = true
            return
        }
        isScanning = true
        log.debug("looking for accelerometers at \(uri)")
        helper.run {
            Self.find(at: uri)
        } completion: { [self] finding in
            isScanning = false
            guard !mustScanAgain else {
                // What was found is out of date: a device may have come or gone meanwhile.
                mustScanAgain = false
                return scan()
            }
            let onFirstScan = onFirstScan
            self.onFirstScan = nil
            merge(finding)
            onFirstScan?()
        }
    }

    /// Runs on the helper: reading attributes can block.
    private static func find(at uri: String) -> Finding {
        var finding = Finding()
        do throws(IIOError) {
            finding.accelerometers = try IIOContext(uri: uri).sensors(of: [.accelerometer]).sensors
        } catch {
            finding.hasFailed = true
            finding.warnings.append("\(error)")
        }
        for accelerometer in finding.accelerometers {
            do throws(IIOError) {
                try accelerometer.raiseSamplingFrequency(toAtLeast: 10)
            } catch {
                finding.warnings.append("\(error)")
            }
        }
        return finding
    }

    private func merge(_ finding: Finding) {
        for warning in finding.warnings where warning != lastWarning { log.warning(warning) }
        lastWarning = finding.warnings.last ?? ""
        scanFailed = finding.hasFailed
        for accelerometer in finding.accelerometers where !isInUse(accelerometer.description) {
            do throws(SystemError) {
                try add(accelerometer)
            } catch {
                log.error("\(accelerometer.description.name): \(error)")
            }
        }
        if !scanFailed { announced = [] }
        choose()
        // A look at this machine that fails is never for want of a sensor, and without one udev's news are lost.
        if canRetry && (isNeeded || scanFailed && monitor != nil) { scheduleRetry() }
    }

    /// Says whether a sensor samples that device or could, and was opened after udev had given it to us.
    private func isInUse(_ description: SensorDescription) -> Bool {
        !announced.contains(description.sysfsPath)
            && sensors.contains { $0.works && $0.identity == Sensor.Identity(description) }
    }

    private func add(_ accelerometer: IIOSensor) throws(SystemError) {
        let description = accelerometer.description
        guard let mounting = description.mounting else { return }
        let source = try DeviceSource(
            accelerometer,
            scaling: description.scaling(convention: configuration.convention, faceUp: configuration.faceUp),
            rate: configuration.rate,
            loop: loop,
            helper: helper
        )
        let status = SensorStatus(
            name: description.name,
            sysfsPath: description.sysfsPath,
            location: mounting.location.name,
            mode: source.mode.rawValue,
            sampleRate: source.sampleRate,
            mountMatrix: mounting.matrix.elements
        )
        let sensor = try adopt(source, Sensor.Identity(description), status)
        let matrix = mounting.matrixSource.isEmpty ? "none" : mounting.matrixSource
        log.debug("\(description.name): mount matrix: \(matrix)")
        for warning in accelerometer.warnings where sensor.isNew(warning) { log.warning(warning) }
    }

    private func add(_ source: any SensorSource, named name: String) throws(SystemError) {
        let status = SensorStatus(
            name: name,
            sysfsPath: "",
            location: SensorLocation.display.name,
            mode: source.mode.rawValue,
            sampleRate: source.sampleRate,
            mountMatrix: MountMatrix.identity.elements
        )
        try adopt(source, Sensor.Identity(sysfsPath: "", name: name, location: .display), status)
        choose()
    }

    /// Gives a source to the lost sensor that it is the return of, or to a new one.
    @discardableResult
    private func adopt(
        _ source: any SensorSource,
        _ identity: Sensor.Identity,
        _ status: SensorStatus
    ) throws(SystemError) -> Sensor {
        let sensor: Sensor
        let same =
            sensors.first { $0.identity == identity }
            ?? sensors.first { !$0.works && $0.identity.isSameSensor(as: identity) }
        if let same {
            // It counts as what it was until samples come, if samples are wanted.
            var status = status
            status.state = isNeeded ? same.state : .idle
            status.lastError = isNeeded ? same.object.status.lastError : ""
            same.object.status = status
            sensor = same
        } else {
            let object = try SensorObject(bus: bus, number: sensors.count, status: status)
            sensor = Sensor(object, identity)
            sensors.append(sensor)
            let place = status.sysfsPath.isEmpty ? "" : " at " + status.sysfsPath
            log.info("found \(status.name) (\(status.location))\(place)")
        }
        sensor.attach(source, identity)
        source.onEvent = { [self] event in handle(event, of: sensor) }
        return sensor
    }

    private func deviceChanged(_ change: DeviceMonitor.Change, _ path: String) {
        switch change {
        case .added:
            announced.insert(path)
            delay = Self.backoff.first
            scan()
        case .changed:
            break
        case .removed:
            mustScanAgain = isScanning
            guard let sensor = sensors.first(where: { $0.source != nil && $0.identity.sysfsPath == path }) else {
                return
            }
            sensor.detach()
            lose(sensor, "the device was removed")
            choose()
        }
    }

    // MARK: - Sampling

    /// Keeps the sensor that counts while it works, else takes the first that does; a lost one stays until then.
    private func choose() {
        let candidates = sensors.filter { $0.drives }
        let best = active?.works == true ? active : candidates.first { $0.works } ?? active ?? candidates.first
        if best !== active {
            active?.rest()
            active = best
        }
        if isNeeded, let active, active.works { active.source?.start() }
        delegate.sensorChanged()
    }

    /// Says whether looking again may help: not for what udev tells of, nor for a recording that has ended.
    private var canRetry: Bool {
        guard case .iio(let uri) = configuration.source, active?.works != true else { return false }
        return uri != "local:" || scanFailed || active?.source != nil
    }

    /// Looks at everything afresh later: a context is a snapshot, and what failed may be another device by then.
    private func scheduleRetry() {
        retry?.arm(after: delay, slack: delay / 10)
        delay = min(delay * 2, Self.backoff.last)
    }

    private func handle(_ event: SourceEvent, of sensor: Sensor) {
        switch event {
        case .sample(let measurement):
            guard sensor === active, case .acceleration(let sample) = measurement else { return }
            delay = Self.backoff.first
            sensor.recovered()
            delegate.received(sample)
        case .started(let warnings):
            for warning in warnings where sensor.isNew(warning) { log.warning("\(sensor.name): \(warning)") }
            sensor.began()
            if let source = sensor.source {
                log.debug("\(sensor.name): sampling by \(source.mode.rawValue) at \(source.sampleRate) Hz")
            }
            if let source = sensor.source, sensor === active {
                delegate.samplingBegan(rate: source.sampleRate, mayFallSilent: source.mode == .buffer)
            }
            delegate.sensorChanged()
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

    private func lose(_ sensor: Sensor, _ reason: String) {
        if sensor.failed(reason) { log.warning("\(sensor.name): \(reason)") }
    }
}

extension Sensor.Identity {
    fileprivate init(_ description: SensorDescription) {
        let location = description.mounting?.location ?? .unknown
        self.init(sysfsPath: description.sysfsPath, name: description.name, location: location)
    }
}

extension MountMatrix {
    /// The nine numbers, row by row.
    fileprivate var elements: [Double] { [x, y, z].flatMap { [$0.x, $0.y, $0.z] } }
}
