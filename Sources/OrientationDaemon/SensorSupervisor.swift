// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// What is told of the sensors that count, one of each kind and role; sensors that are no accelerometer have the
/// display's.
protocol SensorSupervisorDelegate: AnyObject {
    /// An accelerometer begins: at so many samples a second, from a device that may report changes only, and with that
    /// sign of its own for z.
    func samplingBegan(_ role: AccelerometerRole, rate: Double, mayFallSilent: Bool, faceUp: SensorFrame.FaceUp)

    /// An accelerometer has been read.
    func received(_ sample: AccelerometerSample, _ role: AccelerometerRole)

    /// Another sensor has been read: the first time after ``SensorSupervisor/need(_:_:)`` as soon as it can be.
    func received(_ measurement: Measurement)

    /// The state of a sensor changed.
    func sensorChanged(_ kind: SensorKind, _ role: AccelerometerRole)
}

/// Finds the sensors, follows their coming and going, and keeps the best one of each kind going while it is needed.
final class SensorSupervisor {
    private let configuration: Configuration
    private let loop: EventLoop
    private let bus: Bus
    private let log: Log

    /// Looks for sensors, and reads accelerometers and whatever another machine has, whose answers come one by one.
    private let helper: HelperThread

    /// Read the other sensors, by kind: a light sensor may need a second for each value, and a chip may hang.
    private var otherHelpers: [SensorKind: HelperThread] = [:]
    private var monitors: [DeviceMonitor] = []

    private var groups: [SensorGroup] = []
    private var objects = 0
    private var isScanning = false
    private var mustScanAgain = false

    /// Paths of devices that udev has given to us since they were looked at.
    private var announced: Set<String> = []
    private var lastWarnings: [String] = []
    private var onFirstScan: (() -> Void)?

    init(
        configuration: Configuration,
        loop: EventLoop,
        bus: Bus,
        log: Log,
        helper: HelperThread
    ) {
        self.configuration = configuration
        self.loop = loop
        self.bus = bus
        self.log = log
        self.helper = helper
    }

    /// The sensors of a kind; all but accelerometers are in no base.
    private func group(_ kind: SensorKind, isBase: Bool = false) -> SensorGroup {
        guard let group = groups.first(where: { $0.kind == kind && $0.isBase == isBase }) else {
            preconditionFailure("a kind is missing")
        }
        return group
    }

    /// The sensors that one of that description is among.
    private func group(_ description: SensorDescription) -> SensorGroup {
        group(description.kind, isBase: description.mounting?.location == .base)
    }

    // MARK: - What is known

    /// Says whether there is a sensor of that kind that counts; one in a laptop's base does not.
    func hasSensor(_ kind: SensorKind) -> Bool { group(kind).hasSensor }

    /// The state of the accelerometer of a role.
    func report(_ role: AccelerometerRole) -> SensorReport {
        let group = group(.accelerometer, isBase: role == .base)
        return SensorReport(
            state: group.state,
            isPresent: group.hasSensor,
            mayDeliver: group.isHopeful || onFirstScan != nil
        )
    }

    /// The state of the sensor of that kind that counts.
    func state(of kind: SensorKind) -> SensorState { group(kind).state }

    /// Says whether readings of that kind come, or may come soon: whether a first one is worth waiting for.
    func isHopeful(_ kind: SensorKind) -> Bool { group(kind).isHopeful || onFirstScan != nil }

    /// The last reading since that kind is needed; nil before the first.
    func reading(of kind: SensorKind) -> Measurement? { group(kind).reading }

    /// One line for the service manager.
    var summary: String {
        let accelerometers = group(.accelerometer)
        guard let name = accelerometers.name else { return "No accelerometer" }
        return "\(name) is \(accelerometers.state.name)"
    }

    // MARK: - Asked from outside

    /// Looks for sensors for the first time, and then whenever udev tells of one; `completion` follows the first look.
    func begin(
        delegate: any SensorSupervisorDelegate,
        completion: @escaping () -> Void
    ) throws(SystemError) {
        for kind in SensorKind.allCases {
            groups.append(try SensorGroup(kind, loop: loop, log: log, delegate: delegate) { [self] in scan() })
        }
        groups.append(
            try SensorGroup(.accelerometer, isBase: true, loop: loop, log: log, delegate: delegate) { [self] in scan() }
        )
        switch configuration.source {
        case .iio:
            if configuration.source == .local {
                monitors = [
                    try DeviceMonitor(subsystem: "iio", type: "iio_device", loop: loop) { [self] in
                        deviceChanged($0, $1.syspath)
                    },
                    try DeviceMonitor(subsystem: "input", loop: loop) { [self] change, node in
                        // Keyboards and mice come and go.
                        guard change != .added || EventNode.sensorKind(of: node) != nil else { return }
                        deviceChanged(change, node.syspath)
                    },
                ]
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

    /// Has the sensor of a kind read from now on, or no longer; another one takes its place when it is lost.
    func need(_ kind: SensorKind, _ isNeeded: Bool) {
        if group(kind).need(isNeeded) { scan() }
    }

    /// Has the accelerometer in the base read from now on, or no longer.
    func needBase(_ isNeeded: Bool) {
        if group(.accelerometer, isBase: true).need(isNeeded) { scan() }
    }

    /// Stops all until ``resume()``, whatever is needed, and calls `completion` when the devices are as they were found.
    func suspend(completion: @escaping () -> Void) {
        forEachGroup({ $0.suspend(completion: $1) }, completion: completion)
    }

    /// Has what is needed read again.
    func resume() {
        var mustScan = false
        for group in groups where group.resume() { mustScan = true }
        if mustScan { scan() }
    }

    /// Stops all and calls `completion` when the devices are as they were found.
    func end(completion: @escaping () -> Void) {
        monitors = []
        forEachGroup({ $0.end(completion: $1) }, completion: completion)
    }

    /// Calls `completion` when every group has called its own.
    private func forEachGroup(
        _ body: (SensorGroup, _ completion: @escaping () -> Void) -> Void,
        completion: @escaping () -> Void
    ) {
        var awaited = groups.count
        for group in groups {
            body(group) {
                awaited -= 1
                if awaited == 0 { completion() }
            }
        }
    }

    // MARK: - Finding

    /// The sensors of this machine or another, or why there are none to be had.
    private struct Finding: Sendable {
        var sensors: [any SensorDevice] = []
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
        log.debug("looking for sensors at \(uri)")
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
            merge(finding, isLocal: configuration.source == .local)
            onFirstScan?()
        }
    }

    /// Runs on a helper: reading attributes can block.
    private static func find(at uri: String) -> Finding {
        var finding = Finding()
        do throws(SystemError) {
            let found = try FoundSensors(at: uri)
            finding.sensors = found.sensors
            finding.warnings = found.warnings
        } catch {
            finding.hasFailed = true
            finding.warnings.append("\(error)")
        }
        for sensor in finding.sensors {
            do throws(SystemError) {
                try sensor.raiseSamplingFrequency(toAtLeast: DeviceSource.leastFrequency)
                try sensor.chooseChannels()
            } catch {
                finding.warnings.append("\(error)")
            }
        }
        return finding
    }

    private func merge(_ finding: Finding, isLocal: Bool) {
        for warning in finding.warnings where !lastWarnings.contains(warning) { log.warning(warning) }
        lastWarnings = finding.warnings
        for group in groups { group.prospect = isLocal && !finding.hasFailed ? .failures : .arrivals }
        for device in finding.sensors {
            if let sensor = user(of: device.description) {
                remount(sensor, as: device)
            } else if !mustWait(for: device.description) {
                do throws(SystemError) {
                    try add(device)
                } catch {
                    log.error("\(device.description.name): \(error)")
                }
            }
        }
        if !finding.hasFailed { announced = [] }
        for group in groups {
            group.choose()
            // A look at this machine that fails is never for want of a sensor, and without one udev's news are lost.
            if group.canRetry && (group.isNeeded || finding.hasFailed && isLocal) { group.scheduleRetry() }
        }
    }

    /// The sensor that samples that device or could, if it was opened after udev had given it to us.
    private func user(of description: SensorDescription) -> Sensor? {
        guard !announced.contains(description.sysfsPath) else { return nil }
        return group(description).user(of: Sensor.Identity(description))
    }

    /// Says whether the device is in use as another one still; it is looked for again when that has ended.
    private func mustWait(for description: SensorDescription) -> Bool {
        var mustWait = false
        for group in groups where group.kind == description.kind {
            if group.makeRoom(for: Sensor.Identity(description), completion: { [self] in scan() }) { mustWait = true }
        }
        return mustWait
    }

    /// Has a sensor go by the mount matrix that its device has now.
    private func remount(_ sensor: Sensor, as device: any SensorDevice) {
        let description = device.description
        guard sensor.status.mountMatrix != description.mountMatrix else { return }
        log.info("\(description.name): the mount matrix is another one now")
        sensor.remount(description.mountMatrix, scaling(of: description))
        report(device, sensor)
    }

    private func scaling(of description: SensorDescription) -> SensorScaling {
        description.scaling(convention: configuration.convention, faceUp: configuration.faceUp)
    }

    /// Logs what is odd about a device, and where its matrix is from.
    private func report(_ device: any SensorDevice, _ sensor: Sensor) {
        if let mounting = device.description.mounting {
            let matrix = mounting.matrixSource.isEmpty ? "none" : mounting.matrixSource
            log.debug("\(sensor.name): mount matrix: \(matrix)")
        }
        for warning in device.warnings where sensor.isNew(warning) { log.warning(warning) }
    }

    private func add(_ device: any SensorDevice) throws(SystemError) {
        let description = device.description
        let source = try DeviceSource(
            device,
            scaling: scaling(of: description),
            rate: description.period.map { 1 / $0 } ?? configuration.rate,
            loop: loop,
            helper: try helper(for: description)
        )
        let mounting = description.mounting
        let status = SensorStatus(
            name: description.name,
            sysfsPath: description.sysfsPath,
            location: mounting?.location ?? .unknown,
            mode: source.mode,
            sampleRate: source.sampleRate,
            mountMatrix: description.mountMatrix
        )
        let sensor = try adopt(
            source,
            into: group(description),
            Sensor.Identity(description),
            status,
            isSubstitute: description.isSubstitute
        )
        report(device, sensor)
    }

    /// The helper that reads a sensor: nothing of another kind waits for it.
    private func helper(for description: SensorDescription) throws(SystemError) -> HelperThread {
        guard description.kind != .accelerometer, !description.sysfsPath.isEmpty else { return helper }
        if let known = otherHelpers[description.kind] { return known }
        let new = try HelperThread(loop: loop)
        otherHelpers[description.kind] = new
        return new
    }

    private func add(_ source: any SensorSource, named name: String) throws(SystemError) {
        let status = SensorStatus(
            name: name,
            sysfsPath: "",
            location: .display,
            mode: source.mode,
            sampleRate: source.sampleRate,
            mountMatrix: MountMatrix.identity.elements
        )
        let identity = Sensor.Identity(sysfsPath: "", name: name, location: .display)
        let group = group(.accelerometer)
        _ = try adopt(source, into: group, identity, status, isSubstitute: false)
        group.choose()
    }

    /// Gives a source to its group; only accelerometers are objects on the bus.
    private func adopt(
        _ source: any SensorSource,
        into group: SensorGroup,
        _ identity: Sensor.Identity,
        _ status: SensorStatus,
        isSubstitute: Bool
    ) throws(SystemError) -> Sensor {
        try group.adopt(source, identity, status) { () throws(SystemError) in
            var object: SensorObject?
            if group.kind == .accelerometer {
                object = try SensorObject(bus: bus, number: objects, status: status)
                objects += 1
            }
            return Sensor(status, identity, isSubstitute: isSubstitute, object: object)
        }
    }

    private func deviceChanged(_ change: DeviceMonitor.Change, _ path: String) {
        switch change {
        case .added:
            announced.insert(path)
            for group in groups { group.hurry() }
            scan()
        case .changed:
            // By a new hwdb its matrix or its place may be another one now.
            if groups.contains(where: { $0.isInUse(at: path) }) { scan() }
        case .removed:
            mustScanAgain = isScanning
            for group in groups { group.remove(at: path) }
        }
    }
}

extension SensorDescription {
    /// What the bus shows of an accelerometer's; empty for every other sensor.
    fileprivate var mountMatrix: [Double] { mounting?.matrix.elements ?? [] }
}

extension Sensor.Identity {
    fileprivate init(_ description: SensorDescription) {
        let location = description.mounting?.location ?? .unknown
        self.init(sysfsPath: description.sysfsPath, name: description.name, location: location)
    }
}
