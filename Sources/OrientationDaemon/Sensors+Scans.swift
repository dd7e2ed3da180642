// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// What scans and udev bring.
extension Sensors {
    /// The most sensors that are used: each takes a few descriptors, and no machine has a third of that built in.
    private static let sensorLimit = 64

    /// Starts to use what is found.
    func begin() throws(SystemError) {
        switch configuration.source {
        case .iio, .sensorCore:
            scanner?.search.onFound = { [self] in scanned($0) }
            scanner?.search.onUnanswered = { [self] in lose($0) }
            scanner?.onChange = { [self] in deviceChanged($0, $1) }
        case .replay(let path):
            do throws(SystemError) {
                try add(ReplaySource(path: path, loop: loop), named: path)
            } catch {
                var error = error
                error.hint += (error.hint.isEmpty ? "" : "; ") + "Source= or --source names it"
                throw error
            }
        case .simulation:
            try add(SimulatedSource(rate: configuration.rate, loop: loop), named: "simulation")
        }
    }

    private func scanned(_ result: Result<FoundSensors, SystemError>) {
        let found = try? result.get()
        let warnings = result.error.map { ["\($0)"] } ?? found?.warnings ?? []
        let newWarnings = warnings.filter { !lastWarnings.contains($0) }
        for warning in newWarnings { log.warning(warning) }
        let isComplete = found?.isComplete ?? true
        lastWarnings = isComplete ? warnings : lastWarnings + newWarnings
        for device in found?.sensors ?? [] {
            do throws(SystemError) {
                try add(device, isAnnounced: found?.announced.contains(device.description.sysfsPath) ?? false)
            } catch {
                log.error("\(device.description.name): \(error)")
            }
        }
        // A failed scan does not mean there is no sensor: retry, or udev events are missed.
        let isLocal = configuration.source.isLocal
        let reason: RescanReason = isLocal && found != nil ? .failures : .arrivals
        machineDriver.deliver(.scanned(mayReturn: reason, retries: isLocal && found == nil))
    }

    /// Adds a device that a scan found, or updates a known one.
    private func add(_ device: any SensorDevice, isAnnounced: Bool) throws(SystemError) {
        let description = device.description
        let scaling = description.scaling(convention: configuration.convention, faceUp: configuration.faceUp)
        let (path, status) = (description.sysfsPath, SensorStatus(description, scaling))
        releaseFormerSensor(of: status, description.kind)
        let rate = description.period.map { 1 / $0 } ?? configuration.rate
        var found = FoundDevice(description, scaling, rate: rate)
        switch table.selection(found.use).match(status.identity, isAnnounced: isAnnounced) {
        case .working(let known):
            remount(known, scaling)
            return warn(known, device.warnings)
        case .returned(let known):
            found.number = known
            update(known) {
                $0.sysfsPath = path
                $0.setFrame(scaling)
            }
        case .new:
            guard let new = newNumber(description.name, path) else { return }
            found.number = new
            try add(new, found.use, try newDriver(at: path), status)
        }
        driver(of: found.number)?.find(device, scaling: scaling, rate: rate, helper: try helper(at: path))
        machineDriver.deliver(.deviceFound(found))
        if let mounting = description.mounting {
            let matrix = mounting.matrixSource.isEmpty ? "none" : mounting.matrixSource
            log.debug("\(description.name): mount matrix: \(matrix)")
        }
        if !description.note.isEmpty { log.info("\(description.name): \(description.note)") }
        warn(found.number, device.warnings)
    }

    /// Notes the sensors of a device that hangs while it is described, as lost.
    private func lose(_ device: UnansweredDevice) {
        var status = SensorStatus()
        status.name = device.name
        status.sysfsPath = device.path
        status.location = device.location
        var isLost = false
        for kind in device.path.isEmpty ? [] : device.kinds {
            // Its name or location may not be known this time.
            let uses = SensorUse.all.filter { $0.kind == kind }
            let present = uses.flatMap { table.present(at: device.path, $0) }
            if !present.isEmpty {
                // What works is not lost as it cannot be described anew.
                for sensor in present where !sensor.works {
                    machineDriver.deliver(.device(sensor.number, .undescribed(device.problem)))
                    isLost = true
                }
                continue
            }
            var found = FoundDevice(kind, of: device, rate: configuration.rate)
            do throws(SystemError) {
                switch table.selection(found.use).match(status.identity, isAnnounced: false) {
                case .working(let known), .returned(let known): found.number = known
                case .new:
                    guard let new = newNumber(device.name, device.path) else { continue }
                    found.number = new
                    try add(new, found.use, try newDriver(at: device.path), status)
                }
                machineDriver.deliver(.deviceFound(found))
                machineDriver.deliver(.device(found.number, .undescribed(device.problem)))
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
        for use in SensorUse.all where use.kind == kind {
            let isOther = table.present(at: status.sysfsPath, use).contains { $0.identity != status.identity }
            if isOther { remove(status.sysfsPath, use, reason) }
        }
    }

    private func remove(_ path: String, _ use: SensorUse, _ reason: String) {
        for sensor in table.present(at: path, use) { machineDriver.deliver(.deviceRemoved(sensor.number, reason)) }
    }

    /// Applies the scaling that another mount matrix leads to.
    private func remount(_ number: Int, _ scaling: SensorScaling) {
        guard let status = status(of: number), case .acceleration(let frame) = scaling,
            status.mountMatrix != frame.matrix.elements
        else { return }
        log.info("\(status.name): the mount matrix has changed")
        update(number) { $0.setFrame(scaling) }
        driver(of: number)?.rescale(to: scaling)
        machineDriver.deliver(.device(number, .rescaled(frame.faceUp)))
    }

    /// A number for another sensor; nil, with a warning the first time, where there are too many.
    private func newNumber(_ name: String, _ path: String) -> Int? {
        let count = SensorUse.all.reduce(0) { $0 + table.selection($1).sensors.count { $0.condition != .unplugged } }
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

    private func newDriver(at path: String) throws(SystemError) -> DeviceDriver {
        try DeviceDriver(loop: loop, helper: try helper(at: path))
    }

    private func deviceChanged(_ change: DeviceMonitor.Change, _ device: Device) {
        let path = device.syspath
        switch change {
        case .added:
            machineDriver.deliver(.deviceAnnounced)
            scanner?.search.scan(for: device.name, isAnnounced: true)
        case .changed:
            // A new hwdb may have changed its matrix or location, by which a device becomes a sensor.
            let mayMatter =
                device.subsystem == "iio" || table.hasWorkingSensor(at: path) || EventNode.sensorKind(of: device) != nil
            if mayMatter { scanner?.search.scan(for: device.name, isAnnounced: false) }
        case .removed:
            helpers[path] = nil
            for use in SensorUse.all { remove(path, use, "the device was removed") }
            callIfClosed()
        }
    }
}

extension SensorStatus {
    /// The status of a sensor that a scan found; the mount matrix is empty for all but accelerometers.
    fileprivate init(_ description: SensorDescription, _ scaling: SensorScaling) {
        self.init()
        name = description.name
        sysfsPath = description.sysfsPath
        location = description.mounting?.location ?? .unknown
        setFrame(scaling)
    }
}
