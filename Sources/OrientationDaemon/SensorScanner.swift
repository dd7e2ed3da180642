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

    /// Called when the cover of a tablet is closed or opened; set before the loop runs.
    var onCover: ((Bool) -> Void)?

    /// Delivers the results; its handlers are set before the loop runs.
    let search: SensorSearch
    private var monitors: [DeviceMonitor] = []
    private var core: SensorCore?
    /// Clients ask once which sensors there are, so a core has some time to answer before the first scan; nil afterwards.
    private var firstScan: Timer?

    /// Nil for a source that is no device.
    init?(_ source: SourceChoice, loop: EventLoop, log: Log) throws(SystemError) {
        guard let uri = source.uri else { return nil }
        search = try SensorSearch(at: uri, loop: loop)
        search.onScan = owned(by: self) {
            log.debug("looking for sensors at \(uri)")
            $0.core?.refresh()
        }
        // Before the scan, so that no device is missed.
        if source.isLocal {
            try watchDevices(loop)
            let findCore = owned(by: self) { $0.findCore(usesAll: source == .sensorCore, loop, log) }
            let monitor = try DeviceMonitor(subsystem: "misc", loop: loop) {
                if $1.property("IIO_SENSOR_PROXY_TYPE") != nil { findCore() }
            }
            monitors.append(monitor)
            findCore()
        }
        if core != nil { firstScan = try loop.timer(owned(by: self) { $0.scanFirst() }) }
        if let firstScan { firstScan.arm(after: 0.5) } else { scanFirst() }
    }

    private func scanFirst() {
        firstScan = nil
        search.scan()
    }

    private func watchDevices(_ loop: EventLoop) throws(SystemError) {
        monitors = [
            try DeviceMonitor(subsystem: "iio", type: "iio_device", loop: loop) { [self] in deviceChanged($0, $1) },
            try DeviceMonitor(subsystem: "input", loop: loop) { [self] change, node in
                // Keyboards and mice come and go.
                if change != .added || EventNode.sensorKind(of: node) != nil { deviceChanged(change, node) }
            },
        ]
    }

    /// Listens to this machine's sensor core, if it has one that is to be used; anew when udev announces its device.
    private func findCore(usesAll: Bool, _ loop: EventLoop, _ log: Log) {
        if let core { deviceChanged(.removed, core.node) }
        core = nil
        onCover?(false)
        do throws(SystemError) {
            core = try SensorCore(usesAll: usesAll, loop: loop)
        } catch {
            log.warning("\(error); the sensor core is not used")
        }
        search.others = core.map { core in { core.found } }
        guard let core else {
            if usesAll { log.warning("Source=ssc: there is no device of a sensor core, such as fastrpc-adsp") }
            return
        }
        log.info("listening to the sensor core at \(core.node.syspath)")
        core.onCover = owned(by: self) { $0.onCover?($1) }
        core.onChange = owned(by: self) { if $0.firstScan == nil { $0.deviceChanged($1, $2) } }
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
        onCover = nil
    }
}
