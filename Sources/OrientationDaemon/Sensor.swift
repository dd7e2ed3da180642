// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import OrientationSensors

/// One sensor that is, or was, there: an accelerometer's object on the bus and, while there is a device, the source of
/// readings.
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

    /// What the bus shows of an accelerometer.
    private(set) var status: SensorStatus {
        didSet { object?.status = status }
    }

    private(set) var identity: Identity

    /// Whether it counts only where there is no better one.
    let isSubstitute: Bool

    /// Nil while the device is unplugged.
    private(set) var source: (any SensorSource)?

    /// Whether the source has ended by itself; it is of no use any more.
    private(set) var hasFailed = false

    var stuck = StuckDetector()

    private let object: SensorObject?
    private var warned: Set<String> = []
    private var lastFailure = ""

    /// Creates a sensor without a device; `object` is for accelerometers only.
    init(_ status: SensorStatus, _ identity: Identity, isSubstitute: Bool = false, object: SensorObject? = nil) {
        self.status = status
        self.identity = identity
        self.isSubstitute = isSubstitute
        self.object = object
    }

    /// Whether it counts: all but input devices in a laptop's base, which watch over its hard disk.
    ///
    /// Their axes are not those of the display with the lid closed.
    var counts: Bool { identity.location != .base || !isSubstitute }

    var works: Bool { source != nil && !hasFailed }

    var state: SensorState { status.state }

    var name: String { status.name }

    /// Says whether a warning is new: what is odd about a sensor is so at each start, and logged once.
    func isNew(_ warning: String) -> Bool { warned.insert(warning).inserted }

    /// Takes a source, in place of the one it had; `status` is what is known of the device now.
    ///
    /// It counts as what it was, lost for instance, until readings come, unless it is at rest.
    func attach(_ source: any SensorSource, _ identity: Identity, _ status: SensorStatus, isNeeded: Bool) {
        detach()
        var status = status
        status.state = isNeeded ? self.status.state : .idle
        status.lastError = isNeeded ? self.status.lastError : ""
        self.status = status
        self.identity = identity
        self.source = source
        hasFailed = false
    }

    /// Has the source go by another mount matrix, for which that is the way from raw values.
    func remount(_ mountMatrix: [Double], _ scaling: SensorScaling) {
        status.mountMatrix = mountMatrix
        source?.rescale(to: scaling)
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
        stuck.begin()
        var status = status
        if status.state != .lost { status.state = .sampling }
        status.mode = source.mode
        status.sampleRate = source.sampleRate
        self.status = status
    }

    /// Notes that a sample has come.
    func recovered() {
        guard state == .lost else { return }
        var status = status
        status.state = .sampling
        status.lastError = ""
        self.status = status
    }

    /// Notes that it has been read for a while: the next failure is news, even for the same reason.
    func settled() {
        lastFailure = ""
    }

    /// Notes what is wrong with a sensor that samples, or, with an empty text, that nothing is any more.
    func complain(_ problem: String) {
        status.lastError = problem
    }

    /// Notes that the source has ended by itself; false when it did so for the same reason before and never settled.
    @discardableResult
    func failed(_ reason: String) -> Bool {
        let isNews = reason != lastFailure
        lastFailure = reason
        hasFailed = true
        var status = status
        status.state = .lost
        status.lastError = reason
        self.status = status
        return isNews
    }

    /// Stops sampling until it is needed again.
    func rest() {
        source?.stop {}
        if state == .sampling { status.state = .idle }
    }
}
