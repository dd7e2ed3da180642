// SPDX-License-Identifier: Apache-2.0

import OrientationConfiguration
import OrientationSensors
import POSIX
import SystemdBus

/// Finds the sensors, on a thread of its own, so that no hung sensor delays a scan; follows udev's events.
///
/// The first scan begins at once, while the daemon is set up. The loop delivers results and events.
final class SensorScanner {
    /// Called with the result of each scan; set before the loop runs.
    var onFound: ((Result<FoundSensors, SystemError>) -> Void)?

    /// Called when a device was added, changed or removed that may be a sensor; set before the loop runs.
    var onChange: ((DeviceMonitor.Change, Device) -> Void)?

    private let uri: String
    private let log: Log
    private let helper: HelperThread
    private var monitors: [DeviceMonitor] = []
    private var state = State.idle

    private enum State {
        case idle
        case scanning
        /// What is found will be out of date: a device may have come or gone meanwhile.
        case outdated
        /// The daemon ends.
        case ended
    }

    /// Nil for a source that is no device.
    init?(_ source: SourceChoice, loop: EventLoop, log: Log) throws(SystemError) {
        guard case .iio(let uri) = source else { return nil }
        (self.uri, self.log) = (uri, log)
        helper = try HelperThread(loop: loop)
        // Before the scan, so that no device is missed.
        if source == .local { try watchDevices(loop) }
        scan()
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
        if change == .removed, state == .scanning { state = .outdated }
        onChange?(change, device)
    }

    /// Starts a scan; if one is under way, its result is discarded and another scan follows.
    func scan() {
        switch state {
        case .idle: state = .scanning
        case .scanning: return state = .outdated
        case .outdated, .ended: return
        }
        log.debug("looking for sensors at \(uri)")
        let find: @Sendable () -> Result<FoundSensors, SystemError> = { [uri] in
            Result { () throws(SystemError) in try FoundSensors(at: uri) }
        }
        // Not by runOnce(), which may call back at once, before anybody listens.
        helper.run(find) { [self] result in
            helper.endIfIdle()
            // Without a thread, in the loop.
            if case .success(let found) = result { scanned(found) } else { scanned(find()) }
        }
    }

    private func scanned(_ found: Result<FoundSensors, SystemError>) {
        guard state != .ended else { return }
        let isOutdated = state == .outdated
        state = .idle
        isOutdated ? scan() : onFound?(found)
    }

    /// Reports nothing any more.
    func end() {
        state = .ended
        monitors = []
        (onFound, onChange) = (nil, nil)
    }
}
