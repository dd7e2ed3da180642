// SPDX-License-Identifier: Apache-2.0

import OrientationConfiguration
import OrientationSensors
import POSIX
import SystemdBus

/// Finds the sensors, and follows udev's events.
///
/// The first scan begins at once, while the daemon is set up. The loop delivers results and events.
final class SensorScanner {
    /// Called when a device was added, changed or removed that may be a sensor; set before the loop runs.
    var onChange: ((DeviceMonitor.Change, Device) -> Void)?

    /// Called when sensors of the sensor core at a path have come, or all have gone; set before the loop runs.
    var onCoreChange: ((_ path: String, _ hasSensors: Bool) -> Void)?

    /// Delivers the results; its handlers are set before the loop runs.
    let search: SensorSearch
    private let source: SourceChoice
    private let loop: EventLoop
    private let log: Log
    private var monitors: [DeviceMonitor] = []
    private var core: SensorCore?
    private var firstScan: Timer?

    /// Seconds that the sensor core has to answer before the first scan.
    private static let coreTime = 0.5

    /// Nil for a source that is no device.
    init?(_ source: SourceChoice, loop: EventLoop, log: Log) throws(SystemError) {
        guard let uri = source.uri else { return nil }
        (self.source, self.loop, self.log) = (source, loop, log)
        search = try SensorSearch(at: uri, loop: loop)
        search.onScan = owned(by: self) {
            $0.log.debug("looking for sensors at \(uri)")
            $0.core?.refresh()
        }
        // Before the scan, so that no device is missed.
        if source.isLocal {
            try watchDevices()
            listenToCore()
        }
        if core == nil {
            search.scan()
        } else {
            // Clients ask once which sensors there are: its own come meanwhile.
            firstScan = try loop.timer(owned(by: self) { $0.search.scan() })
            firstScan?.arm(after: Self.coreTime)
        }
    }

    /// Listens to the machine's sensor core, if it has one that is to be used.
    private func listenToCore() {
        guard core == nil else { return }
        do throws(SystemError) {
            guard let core = try SensorCore(isForced: source == .sensorCore, loop: loop) else { return }
            log.info("listening to the sensor core\(core.path.isEmpty ? "" : " at " + core.path)")
            core.onChange = owned(by: self) { $0.coreChanged(hasSensors: $1) }
            search.others = { core.found }
            self.core = core
        } catch {
            log.warning("\(error); the sensor core is not used")
        }
    }

    private func coreChanged(hasSensors: Bool) {
        if hasSensors { firstScan = nil }
        onCoreChange?(core?.path ?? "", hasSensors)
    }

    private func watchDevices() throws(SystemError) {
        monitors = [
            try DeviceMonitor(subsystem: "iio", type: "iio_device", loop: loop) { [self] in deviceChanged($0, $1) },
            try DeviceMonitor(subsystem: "input", and: "misc", loop: loop) { [self] change, node in
                if node.subsystem == "misc" { return listenToCore() }
                // Keyboards and mice come and go.
                if change != .added || EventNode.sensorKind(of: node) != nil { deviceChanged(change, node) }
            },
        ]
    }

    private func deviceChanged(_ change: DeviceMonitor.Change, _ device: Device) {
        if change == .removed { search.removeDevice(named: device.name) }
        onChange?(change, device)
    }

    /// Reports nothing any more.
    func end() {
        search.end()
        monitors = []
        core = nil
        onChange = nil
    }
}
