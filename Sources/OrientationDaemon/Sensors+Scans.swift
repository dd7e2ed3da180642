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
        let rate = description.period.map { 1 / $0 } ?? configuration.rate
        var found = FoundDevice(description, scaling, rate: rate)
        releaseFormerSensor(of: found)
        switch table.selection(found.use).match(found.identity, isAnnounced: isAnnounced) {
        case .working(let known):
            remount(known, scaling)
            return warn(known, device.warnings)
        case .returned(let known):
            found.number = known
            update(known) {
                $0.sysfsPath = found.path
                $0.setFrame(scaling)
            }
        case .new: guard try addSensor(of: &found, scaling) else { return }
        }
        driver(of: found.number)?.find(device, scaling: scaling, rate: rate, helper: try helper(at: found.path))
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
        var isLost = false
        for kind in device.path.isEmpty ? [] : device.kinds {
            // Its name or location may not be known this time.
            let present = table.present(at: device.path, of: kind)
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
                switch table.selection(found.use).match(found.identity, isAnnounced: false) {
                case .working(let known), .returned(let known): found.number = known
                case .new: guard try addSensor(of: &found, nil) else { continue }
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
    private func releaseFormerSensor(of device: FoundDevice) {
        guard !device.path.isEmpty else { return }
        let reason = "the device is \(device.name) (\(device.location.name)) now"
        for sensor in table.present(at: device.path, of: device.kind) where sensor.identity != device.identity {
            machineDriver.deliver(.deviceRemoved(sensor.number, reason))
        }
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

    /// Adds another sensor and gives it a number; false, with a warning the first time, where there are too many.
    ///
    /// Without a scaling, it could not be described.
    private func addSensor(of device: inout FoundDevice, _ scaling: SensorScaling?) throws(SystemError) -> Bool {
        let count = SensorUse.all.reduce(0) { $0 + table.selection($1).sensors.count { $0.condition != .unplugged } }
        guard count < Self.sensorLimit else {
            if !hasWarnedOfLimit {
                log.warning("\(device.name) at \(device.path) is not used, nor are others: there are \(count) sensors")
            }
            hasWarnedOfLimit = true
            return false
        }
        lastNumber += 1
        device.number = lastNumber
        var status = SensorStatus()
        status.name = device.name
        status.sysfsPath = device.path
        status.location = device.location
        if let scaling { status.setFrame(scaling) }
        try add(lastNumber, device.use, try DeviceDriver(loop: loop, helper: try helper(at: device.path)), status)
        return true
    }

    private func helper(at path: String) throws(SystemError) -> HelperThread {
        if let helper = helpers[path] { return helper }
        let helper = try HelperThread(loop: loop)
        helper.onIdle = { [self] in callIfClosed() }
        helpers[path] = helper
        return helper
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
                device.subsystem == "iio" || table.present(at: path).contains { $0.works }
                || EventNode.sensorKind(of: device) != nil
            if mayMatter { scanner?.search.scan(for: device.name, isAnnounced: false) }
        case .removed:
            helpers[path] = nil
            for sensor in table.present(at: path) {
                machineDriver.deliver(.deviceRemoved(sensor.number, "the device was removed"))
            }
            callIfClosed()
        }
    }
}
