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

    /// Delivers the results; its handlers are set before the loop runs.
    let search: SensorSearch
    private var monitors: [DeviceMonitor] = []

    /// Nil for a source that is no device.
    init?(_ source: SourceChoice, loop: EventLoop, log: Log) throws(SystemError) {
        guard case .iio(let uri) = source else { return nil }
        search = try SensorSearch(at: uri, loop: loop)
        search.onScan = { log.debug("looking for sensors at \(uri)") }
        // Before the scan, so that no device is missed.
        if source == .local { try watchDevices(loop) }
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

    private func deviceChanged(_ change: DeviceMonitor.Change, _ device: Device) {
        if change == .removed { search.removeDevice(named: device.name) }
        onChange?(change, device)
    }

    /// Reports nothing any more.
    func end() {
        search.end()
        monitors = []
        onChange = nil
    }
}
