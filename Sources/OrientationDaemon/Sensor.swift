// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationIIO

/// One sensor that is, or was, there: its object on the bus and, while there is a device, the source of samples.
final class Sensor {
    /// What tells a device from others.
    struct Identity: Hashable {
        /// Empty for what is no device of this machine.
        let sysfsPath: String
        let name: String
        let location: SensorLocation

        /// Says whether this may be the same sensor plugged in again, which can move it to another path.
        func isSameSensor(as other: Identity) -> Bool { name == other.name && location == other.location }
    }

    let object: SensorObject
    private(set) var identity: Identity

    /// Nil while the device is unplugged.
    private(set) var source: (any SensorSource)?

    /// Whether the source has ended by itself; it is of no use any more.
    private(set) var hasFailed = false

    private var warned: Set<String> = []
    private var lastFailure = ""

    init(_ object: SensorObject, _ identity: Identity) {
        self.object = object
        self.identity = identity
    }

    /// Whether it may drive the orientation: all but those in a laptop's base.
    var drives: Bool { identity.location != .base }

    var works: Bool { source != nil && !hasFailed }

    var state: SensorState { object.status.state }

    var name: String { object.status.name }

    /// Says whether a warning is new: what is odd about a sensor is so at each start, and logged once.
    func isNew(_ warning: String) -> Bool { warned.insert(warning).inserted }

    /// Takes a source, in place of the one it had.
    func attach(_ source: any SensorSource, _ identity: Identity) {
        detach()
        self.identity = identity
        self.source = source
        hasFailed = false
    }

    /// Lets the source go; the device has gone, or is opened anew.
    func detach() {
        source?.onEvent = nil
        source?.stop {}
        source = nil
    }

    /// Notes that sampling has begun; what was lost counts as lost until ``recovered()``.
    func began() {
        guard let source else { return }
        var status = object.status
        if status.state != .lost { status.state = .sampling }
        status.mode = source.mode.rawValue
        status.sampleRate = source.sampleRate
        object.status = status
    }

    /// Notes that a sample has come.
    func recovered() {
        guard state == .lost else { return }
        lastFailure = ""
        var status = object.status
        status.state = .sampling
        status.lastError = ""
        object.status = status
    }

    /// Notes that the source has ended by itself; false when no sample has come since it last did so.
    @discardableResult
    func failed(_ reason: String) -> Bool {
        let isNews = reason != lastFailure
        lastFailure = reason
        hasFailed = true
        var status = object.status
        status.state = .lost
        status.lastError = reason
        object.status = status
        return isNews
    }

    /// Stops sampling until it is needed again.
    func rest() {
        source?.stop {}
        if state == .sampling { object.status.state = .idle }
    }
}
