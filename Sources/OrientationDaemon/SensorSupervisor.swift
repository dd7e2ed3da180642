// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// Receives the readings and states of the sensors, one of each kind and role.
protocol SensorSupervisorDelegate: AnyObject {
    /// An accelerometer begins to sample, at `rate` Hz; `faceUp` is the sign of its z with the display facing up.
    func samplingBegan(_ role: AccelerometerRole, rate: Double, mayFallSilent: Bool, faceUp: SensorFrame.FaceUp)

    /// An accelerometer was read.
    func received(_ sample: AccelerometerSample, _ role: AccelerometerRole)

    /// A sensor of another kind was read.
    ///
    /// The first reading after ``SensorSupervisor/read(_:_:)`` comes as soon as there is one; later ones come whether
    /// they differ or not.
    func received(_ measurement: Measurement)

    /// The state of this kind's sensor changed, or the sensor itself.
    func sensorChanged(_ kind: SensorKind, _ role: AccelerometerRole)
}

/// Finds the sensors, follows udev's events, and reads the best one of each kind while it is needed.
final class SensorSupervisor {
    private let configuration: Configuration
    private let loop: EventLoop
    private let bus: Bus
    private let log: Log
    private var monitors: [DeviceMonitor] = []
    private var groups: [SensorGroup] = []
    private var objects = 0

    /// The helper of each device, by path; the devices of another machine share the one of its connection.
    private var helpers: [String: HelperThread] = [:]

    private var isScanning = false
    private var mustScanAgain = false
    private var isEnding = false

    /// Paths of devices that udev has announced since the last scan.
    private var announced: Set<String> = []

    private var lastWarnings: [String] = []
    private var onFirstScan: (() -> Void)?

    init(configuration: Configuration, loop: EventLoop, bus: Bus, log: Log) {
        self.configuration = configuration
        self.loop = loop
        self.bus = bus
        self.log = log
    }

    private func group(_ kind: SensorKind, _ role: AccelerometerRole = .display) -> SensorGroup {
        guard let group = groups.first(where: { $0.kind == kind && $0.role == role }) else {
            preconditionFailure("a kind is missing")
        }
        return group
    }

    private func group(_ description: SensorDescription) -> SensorGroup {
        group(description.kind, description.mounting?.location == .base ? .base : .display)
    }

    // MARK: - State

    /// Says whether there is a sensor of that kind; an accelerometer in a base does not count.
    func hasSensor(_ kind: SensorKind) -> Bool { group(kind).hasSensor }

    /// The state of the accelerometer of a role.
    func report(_ role: AccelerometerRole) -> SensorReport {
        let (group, mayDeliver) = (group(.accelerometer, role), mayDeliverReadings(.accelerometer, role))
        return SensorReport(state: group.state, isPresent: group.hasSensor, mayDeliver: mayDeliver)
    }

    /// Says whether readings of that kind come, or may come soon: whether a first one is worth waiting for.
    func mayDeliverReadings(_ kind: SensorKind, _ role: AccelerometerRole = .display) -> Bool {
        group(kind, role).mayDeliverReadings || onFirstScan != nil
    }

    /// The last reading since that kind is read; nil before the first.
    func reading(of kind: SensorKind) -> Measurement? { group(kind).reading }

    /// One line for the service manager.
    var summary: String {
        let accelerometers = group(.accelerometer)
        guard let name = accelerometers.name else { return "No accelerometer" }
        return "\(name) is \(accelerometers.state.name)"
    }

    // MARK: - Commands

    /// Scans for sensors, and again at udev's events; `completion` follows the first scan.
    func begin(delegate: any SensorSupervisorDelegate, completion: @escaping () -> Void) throws(SystemError) {
        for (kind, role) in SensorKind.allCases.map({ ($0, .display) }) + [(.accelerometer, AccelerometerRole.base)] {
            groups.append(try SensorGroup(kind, role, loop: loop, log: log, delegate: delegate) { [self] in scan() })
        }
        switch configuration.source {
        case .iio:
            if configuration.source == .local { try watchDevices() }
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

    private func watchDevices() throws(SystemError) {
        monitors = [
            try DeviceMonitor(subsystem: "iio", type: "iio_device", loop: loop) { [self] in deviceChanged($0, $1) },
            try DeviceMonitor(subsystem: "input", loop: loop) { [self] change, node in
                // Keyboards and mice come and go.
                if change != .added || EventNode.sensorKind(of: node) != nil { deviceChanged(change, node) }
            },
        ]
    }

    /// Reads the sensor of a kind from now on, or no longer; another one takes its place when it is lost.
    func read(_ kind: SensorKind, _ isNeeded: Bool, role: AccelerometerRole = .display) {
        if group(kind, role).read(isNeeded) { scan() }
    }

    /// Reads the accelerometer of a role as closely as asked for, until sampling begins anew.
    func sense(_ sensing: Sensing, role: AccelerometerRole) { group(.accelerometer, role).sense(sensing) }

    /// Delivers what was read of an accelerometer and waits to be delivered.
    func deliverWaiting() { group(.accelerometer).deliverWaiting() }

    /// Stops all until ``resume()``, whatever is needed, and calls `completion` when the devices are restored.
    func suspend(completion: @escaping () -> Void) {
        forEachGroup({ $0.suspend(completion: $1) }, completion: completion)
    }

    /// Reads again what is needed.
    func resume() {
        var mustScan = false
        for group in groups where group.resume() { mustScan = true }
        if mustScan { scan() }
    }

    /// Stops all for good and calls `completion` when the devices are restored; nothing is opened any more.
    func end(completion: @escaping () -> Void) {
        isEnding = true
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

    // MARK: - Scanning

    private func scan() {
        guard case .iio(let uri) = configuration.source, !isEnding else { return }
        guard !isScanning else {
            mustScanAgain = true
            return
        }
        log.debug("looking for sensors at \(uri)")
        isScanning = true
        // A thread of its own, so that no hung sensor delays a scan.
        HelperThread.runOnce(loop: loop) {
            do throws(SystemError) {
                return try FoundSensors(at: uri)
            } catch {
                return FoundSensors(failure: error)
            }
        } completion: { [self] in
            scanned($0)
        }
    }

    private func scanned(_ found: FoundSensors) {
        isScanning = false
        guard !isEnding else { return }
        guard !mustScanAgain else {
            // What was found is out of date: a device may have come or gone meanwhile.
            mustScanAgain = false
            return scan()
        }
        let onFirstScan = onFirstScan
        self.onFirstScan = nil
        merge(found, isLocal: configuration.source == .local)
        onFirstScan?()
    }

    private func merge(_ found: FoundSensors, isLocal: Bool) {
        for warning in found.warnings where !lastWarnings.contains(warning) { log.warning(warning) }
        lastWarnings = found.warnings
        for group in groups { group.rescanReason = isLocal && !found.hasFailed ? .failures : .arrivals }
        for device in found.sensors {
            releaseFormerSensor(of: device.description)
            do throws(SystemError) {
                try add(device)
            } catch {
                log.error("\(device.description.name): \(error)")
            }
        }
        if !found.hasFailed { announced = [] }
        for group in groups {
            group.choose()
            // A failed scan does not mean there is no sensor: retry, or udev events are missed.
            if group.canRetry && (group.isNeeded || found.hasFailed && isLocal) { group.scheduleRetry() }
        }
    }

    /// Forgets the sensor that a device was before, of another name or in another place.
    private func releaseFormerSensor(of description: SensorDescription) {
        let (status, path) = (SensorStatus(description), description.sysfsPath)
        for group in groups where group.kind == description.kind && !path.isEmpty {
            guard let sensor = group.sensor(at: path), !sensor.status.isSameDevice(as: status) else { continue }
            group.release(sensor, to: status)
        }
    }

    /// Logs the discovery's warnings about a device, and where its matrix is from.
    private func report(_ device: any SensorDevice, _ sensor: Sensor) {
        if let mounting = device.description.mounting {
            let matrix = mounting.matrixSource.isEmpty ? "none" : mounting.matrixSource
            log.debug("\(sensor.name): mount matrix: \(matrix)")
        }
        for warning in device.warnings where sensor.isNew(warning) { log.warning(warning) }
    }

    /// Adds a device that a scan found, or updates a known one.
    private func add(_ device: any SensorDevice) throws(SystemError) {
        let description = device.description
        let (path, status) = (description.sysfsPath, SensorStatus(description))
        let scaling = description.scaling(convention: configuration.convention, faceUp: configuration.faceUp)
        let group = group(description)
        let helper = if let helper = helpers[path] { helper } else { try HelperThread(loop: loop) }
        helpers[path] = helper
        if let sensor = group.sensor(status) {
            if sensor.works, !announced.contains(path) {
                guard sensor.status.mountMatrix != status.mountMatrix else { return }
                log.info("\(description.name): the mount matrix has changed")
                sensor.remount(status.mountMatrix, scaling)
            } else {
                sensor.source.find(device, scaling: scaling, helper: helper)
                group.restore(sensor, status)
            }
            report(device, sensor)
            return
        }
        let isDisplay = description.kind == .accelerometer && group.role == .display
        let classifier = isDisplay ? configuration.machine.classifier.constants : nil
        let rate = description.period.map { 1 / $0 } ?? configuration.rate
        let source = try DeviceSource(
            device,
            scaling: scaling,
            rate: rate,
            loop: loop,
            helper: helper,
            isPrepared: false,
            classifier: classifier
        )
        report(device, try adopt(source, into: group, status, isSubstitute: description.isSubstitute))
    }

    /// Adds a source that is no device.
    private func add(_ source: any SensorSource, named name: String) throws(SystemError) {
        let status = SensorStatus(name: name, location: .display, mountMatrix: MountMatrix.identity.elements)
        let group = group(.accelerometer)
        _ = try adopt(source, into: group, status, isSubstitute: false)
        group.choose()
    }

    /// Gives a source to its group; only accelerometers are objects on the bus.
    private func adopt(
        _ source: any SensorSource,
        into group: SensorGroup,
        _ description: SensorStatus,
        isSubstitute: Bool
    ) throws(SystemError) -> Sensor {
        try group.adopt(source, description) { () throws(SystemError) in
            var status = description
            status.setSampling(of: source)
            var object: SensorObject?
            if group.kind == .accelerometer {
                object = try SensorObject(bus: bus, number: objects, status: status)
                objects += 1
            }
            return Sensor(source, status, isSubstitute: isSubstitute, object: object)
        }
    }

    private func deviceChanged(_ change: DeviceMonitor.Change, _ device: Device) {
        let path = device.syspath
        switch change {
        case .added:
            announced.insert(path)
            for group in groups { group.resetBackoff() }
            scan()
        case .changed:
            // A new hwdb may have changed its matrix or location.
            if groups.contains(where: { $0.sensor(at: path)?.works == true }) { scan() }
        case .removed:
            mustScanAgain = isScanning
            helpers[path] = nil
            for group in groups { group.unplug(at: path) }
        }
    }
}

extension SensorStatus {
    /// The status of a sensor that a scan found; the mount matrix is empty for all but accelerometers.
    fileprivate init(_ description: SensorDescription) {
        self.init(
            name: description.name,
            sysfsPath: description.sysfsPath,
            location: description.mounting?.location ?? .unknown,
            mountMatrix: description.mounting?.matrix.elements ?? []
        )
    }
}
