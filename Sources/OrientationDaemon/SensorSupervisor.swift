// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// Receives the readings and states of the sensors, one of each kind and role.
protocol SensorSupervisorDelegate: AnyObject {
    /// An accelerometer begins to sample.
    func samplingBegan(_ role: AccelerometerRole, _ sampling: Sampling)

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

/// Reads the best sensor of each kind that the scanner finds, while it is needed.
final class SensorSupervisor {
    /// The most sensors that are used: each takes a few descriptors, and no machine has a third of that built in.
    private static let sensorLimit = 64

    private let configuration: Configuration
    private let loop: EventLoop
    private let bus: Bus
    private let log: Log
    /// Nil for a source that is no device.
    private let scanner: SensorScanner?
    private var groups: [SensorGroup] = []
    private var objects = 0
    private var lastNumber = 0

    /// Records what a replay of the devices needs; set before ``begin(delegate:completion:)``, nil for no recording.
    var record: ((RecordedEvent) -> Void)?

    /// The helper of each device, by path; the devices of another machine share the one of its connection.
    private var helpers: [String: HelperThread] = [:]

    private var onClosed: (() -> Void)?

    /// Paths of devices that udev has announced since the last scan.
    private var announced: Set<String> = []

    private var lastWarnings: [String] = []
    private var hasWarnedOfLimit = false
    private var onFirstScan: (() -> Void)?

    init(configuration: Configuration, scanner: SensorScanner?, loop: EventLoop, bus: Bus, log: Log) {
        self.configuration = configuration
        self.scanner = scanner
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
        group(description.kind, description.mounting?.location.role ?? .display)
    }

    // MARK: - State

    /// The state of the sensor in use of a kind, an accelerometer of a role.
    func report(_ kind: SensorKind, _ role: AccelerometerRole = .display) -> SensorReport {
        let selection = group(kind, role).selection
        let mayDeliver = selection.mayDeliverReadings || onFirstScan != nil
        return SensorReport(state: selection.state, isPresent: selection.hasSensor, mayDeliver: mayDeliver)
    }

    /// The last reading since that kind is read; nil before the first.
    func reading(of kind: SensorKind) -> Measurement? { group(kind).reading }

    /// One line for the service manager.
    var summary: String {
        let accelerometers = group(.accelerometer)
        guard let name = accelerometers.name else { return "No accelerometer" }
        return "\(name) is \(accelerometers.selection.state.name)"
    }

    // MARK: - Commands

    /// Starts to use what is found; calls `completion` after the first scan, or at once for a source that is no device.
    func begin(delegate: any SensorSupervisorDelegate, completion: @escaping () -> Void) throws(SystemError) {
        for (kind, role) in SensorKind.allCases.map({ ($0, .display) }) + [(.accelerometer, AccelerometerRole.base)] {
            let group = try SensorGroup(
                kind,
                role,
                loop: loop,
                log: log,
                delegate: delegate,
                scan: { [scanner] in scanner?.search.scan() },
                makeObject: { [self] status throws(SystemError) in
                    guard kind == .accelerometer else { return nil }
                    defer { objects += 1 }
                    return try SensorObject(bus: bus, number: objects, status: status)
                }
            )
            group.record = record
            groups.append(group)
        }
        switch configuration.source {
        case .iio:
            onFirstScan = completion
            scanner?.search.onFound = { [self] in scanned($0) }
            scanner?.search.onUnanswered = { [self] in lose($0) }
            scanner?.onChange = { [self] in deviceChanged($0, $1) }
        case .replay(let path):
            try add(ReplaySource(path: path, loop: loop), named: path)
            completion()
        case .simulation:
            try add(SimulatedSource(rate: configuration.rate, loop: loop), named: "simulation")
            completion()
        }
    }

    /// Sets whether the sensor of a kind is read; another one takes its place when it is lost.
    func read(_ kind: SensorKind, _ isNeeded: Bool, role: AccelerometerRole = .display) {
        // A replay derives those of accelerometers.
        if kind != .accelerometer { record?(.needed(kind, isNeeded)) }
        group(kind, role).deliver(.needed(isNeeded))
    }

    /// Sets how closely the accelerometer of a role is read, until sampling begins anew.
    func sense(_ sensing: Sensing, role: AccelerometerRole) { group(.accelerometer, role).sense(sensing) }

    /// Delivers what was read of an accelerometer and waits to be delivered.
    func deliverWaiting() { group(.accelerometer).deliverWaiting() }

    /// Stops all, whatever is needed, until the machine runs again or for good; or reads again what is needed.
    ///
    /// Calls `completion` when all that was stopped is restored.
    func enter(_ lifecycle: OrientationMachine.Lifecycle, completion: (() -> Void)? = nil) {
        if lifecycle == .ending { scanner?.end() }
        for group in groups { group.deliver(.lifecycle(lifecycle)) }
        onClosed = completion
        callIfClosed()
    }

    /// Calls back once no device has anything to restore; those that were unplugged are not waited for.
    private func callIfClosed() {
        if helpers.values.allSatisfy({ $0.isIdle }) { onClosed.take()?() }
    }

    // MARK: - What was found

    private func scanned(_ result: Result<FoundSensors, SystemError>) {
        let found = try? result.get()
        let warnings = result.error.map { ["\($0)"] } ?? found?.warnings ?? []
        for warning in warnings where !lastWarnings.contains(warning) { log.warning(warning) }
        let isComplete = found?.isComplete ?? true
        lastWarnings = isComplete ? warnings : lastWarnings + warnings
        for device in found?.sensors ?? [] {
            do throws(SystemError) {
                try add(device)
            } catch {
                log.error("\(device.description.name): \(error)")
            }
        }
        if found != nil, isComplete { announced = [] }
        // Only now: until all are added, any kind may have a sensor, and claims wait for it.
        let onFirstScan = onFirstScan.take()
        // A failed scan does not mean there is no sensor: retry, or udev events are missed.
        let isLocal = configuration.source == .local
        let reason: RescanReason = isLocal && found != nil ? .failures : .arrivals
        record?(.scanned)
        for group in groups { group.deliver(.scanned(mayReturn: reason, retries: isLocal && found == nil)) }
        onFirstScan?()
    }

    /// Has the sensors of a device that hangs while it is described be known, and lost.
    private func lose(_ device: UnansweredDevice) {
        var status = SensorStatus()
        (status.name, status.sysfsPath, status.location) = (device.name, device.path, device.location)
        let identity = status.identity
        let role: AccelerometerRole = device.location == .base ? .base : .display
        var isLost = false
        for kind in device.path.isEmpty ? [] : device.kinds {
            let group = group(kind, kind == .accelerometer ? role : .display)
            let match = group.selection.match(identity, isAnnounced: false)
            // What works is not lost as it cannot be described anew.
            if case .working = match { continue }
            do throws(SystemError) {
                let known: Int? = if case .returned(let number) = match { number } else { nil }
                guard let number = known ?? newNumber(device.name, device.path) else { continue }
                recordFound(RecordedDevice(kind, device), number, group, rate: configuration.rate)
                if known == nil {
                    let source = try source(
                        of: nil,
                        number,
                        configuration.rate,
                        nil,
                        try helper(at: device.path),
                        group
                    )
                    try group.add(number, source, status, isSubstitute: device.isSubstitute)
                } else {
                    group.deliver(.found(number, identity, isSubstitute: device.isSubstitute))
                }
                group.lose(number, device.problem)
                isLost = true
            } catch {
                log.error("\(device.name): \(error)")
            }
        }
        if !isLost { log.warning(device.problem) }
    }

    /// Forgets the sensor that a device was before, of another name or in another place.
    private func releaseFormerSensor(of status: SensorStatus, _ kind: SensorKind) {
        guard !status.sysfsPath.isEmpty else { return }
        let reason = "the device is \(status.name) (\(status.location.name)) now"
        for group in groups where group.kind == kind && group.hasOtherSensor(than: status.identity) {
            group.remove(path: status.sysfsPath, because: reason)
        }
    }

    /// Adds a device that a scan found, or updates a known one.
    private func add(_ device: any SensorDevice) throws(SystemError) {
        let description = device.description
        let scaling = description.scaling(convention: configuration.convention, faceUp: configuration.faceUp)
        let (path, status) = (description.sysfsPath, SensorStatus(description, scaling))
        releaseFormerSensor(of: status, description.kind)
        let group = group(description)
        let number: Int
        switch group.selection.match(status.identity, isAnnounced: announced.contains(path)) {
        case .working(let known):
            group.remount(known, scaling)
            return group.warn(known, device.warnings)
        case .returned(let known):
            recordFound(RecordedDevice(description), known, group, rate: rate(of: description))
            group.find(known, device, status, scaling, rate: rate(of: description), try helper(at: path))
            number = known
        case .new:
            guard let new = newNumber(description.name, path) else { return }
            number = new
            recordFound(RecordedDevice(description), number, group, rate: rate(of: description))
            let source = try source(of: device, number, rate(of: description), scaling, try helper(at: path), group)
            try group.add(number, source, status, isSubstitute: description.isSubstitute)
        }
        if let mounting = description.mounting {
            let matrix = mounting.matrixSource.isEmpty ? "none" : mounting.matrixSource
            log.debug("\(description.name): mount matrix: \(matrix)")
        }
        group.warn(number, device.warnings)
    }

    /// A number for another sensor; nil, with a warning the first time, where there are too many.
    private func newNumber(_ name: String, _ path: String) -> Int? {
        let count = groups.reduce(0) { $0 + $1.selection.sensors.count { $0.condition != .unplugged } }
        guard count < Self.sensorLimit else {
            if !hasWarnedOfLimit {
                log.warning("\(name) at \(path) is not used, nor are others: there are \(count) sensors")
            }
            hasWarnedOfLimit = true
            return nil
        }
        lastNumber += 1
        return lastNumber
    }

    private func helper(at path: String) throws(SystemError) -> HelperThread {
        if let helper = helpers[path] { return helper }
        let helper = try HelperThread(loop: loop)
        helper.onIdle = { [self] in callIfClosed() }
        helpers[path] = helper
        return helper
    }

    private func rate(of description: SensorDescription) -> Double {
        description.period.map { 1 / $0 } ?? configuration.rate
    }

    private func recordFound(_ device: RecordedDevice, _ number: Int, _ group: SensorGroup, rate: Double) {
        guard let record else { return }
        var found = device
        (found.number, found.role, found.rate) = (number, group.role, rate)
        record(.deviceFound(found))
    }

    private func source(
        of device: (any SensorDevice)?,
        _ number: Int,
        _ rate: Double,
        _ scaling: SensorScaling?,
        _ helper: HelperThread,
        _ group: SensorGroup
    ) throws(SystemError) -> DeviceSource {
        let mayWait = group.kind == .hinge || group.kind == .accelerometer && group.role == .display
        let source = try DeviceSource(
            device,
            scaling: scaling,
            rate: rate,
            loop: loop,
            helper: helper,
            isPrepared: false,
            classifier: mayWait ? configuration.machine.classifier.constants : nil
        )
        if let record { source.onDeviceEvent = { record(.device(number, $0)) } }
        return source
    }

    /// Adds a source that is no device.
    private func add(_ source: any SensorSource, named name: String) throws(SystemError) {
        var status = SensorStatus()
        (status.name, status.location, status.mountMatrix) = (name, .display, MountMatrix.identity.elements)
        let group = group(.accelerometer)
        try group.add(0, source, status, isSubstitute: false)
        group.deliver(.scanned(mayReturn: .none, retries: false))
    }

    private func deviceChanged(_ change: DeviceMonitor.Change, _ device: Device) {
        let path = device.syspath
        switch change {
        case .added:
            announced.insert(path)
            for group in groups { group.deliver(.announced) }
            scanner?.search.scan()
        case .changed:
            // A new hwdb may have changed its matrix or location, by which an input device becomes a sensor.
            if groups.contains(where: { $0.hasWorkingSensor(at: path) }) || EventNode.sensorKind(of: device) != nil {
                scanner?.search.scan()
            }
        case .removed:
            helpers[path] = nil
            for group in groups { group.remove(path: path, because: "the device was removed") }
            callIfClosed()
        }
    }
}

extension SensorStatus {
    /// The status of a sensor that a scan found; the mount matrix is empty for all but accelerometers.
    fileprivate init(_ description: SensorDescription, _ scaling: SensorScaling) {
        self.init()
        (name, sysfsPath) = (description.name, description.sysfsPath)
        location = description.mounting?.location ?? .unknown
        setFrame(scaling)
    }
}
