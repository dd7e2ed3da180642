// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import OrientationSensors

/// A sensor that is or was there: the source of its readings, and the object on the bus of an accelerometer.
final class Sensor {
    enum Condition {
        /// It samples, or could.
        case working
        /// It hangs; it may answer again.
        case stalled
        /// Its source broke off; only another scan makes it work again.
        case failed
        case unplugged
    }

    /// What the bus shows of an accelerometer; path, name and location tell each sensor from others.
    private(set) var status: SensorStatus {
        didSet { object?.status = status }
    }

    private(set) var source: any SensorSource
    private(set) var condition = Condition.working
    var stuck = StuckDetector()

    /// Whether it counts only where there is no better one.
    let isSubstitute: Bool

    private let object: SensorObject?
    private var warned: Set<String> = []
    private var lastFailure = ""

    /// Creates a sensor; `object` is for accelerometers only.
    init(_ source: any SensorSource, _ status: SensorStatus, isSubstitute: Bool = false, object: SensorObject? = nil) {
        self.source = source
        self.status = status
        self.isSubstitute = isSubstitute
        self.object = object
    }

    /// Whether it counts: all but input devices in a laptop's base, which protect its hard disk.
    ///
    /// Their axes are not those of the display with the lid closed.
    var counts: Bool { status.location != .base || !isSubstitute }

    var isPresent: Bool { condition != .unplugged }
    var works: Bool { condition == .working || condition == .stalled }
    var state: SensorState { status.state }
    var name: String { status.name }

    /// Says whether a warning is new: the same ones come at each start, and are logged once.
    func isNew(_ warning: String) -> Bool { warned.insert(warning).inserted }

    /// Makes it work again with its source, or with another one for the path that it has moved to.
    ///
    /// `status` describes the device as it is now. A sensor that is waited for keeps its state, such as `lost`, until
    /// readings come.
    func restore(_ status: SensorStatus, with source: (any SensorSource)? = nil, isAwaited: Bool) {
        if let source {
            discardSource()
            self.source = source
        }
        var status = status
        status.setSampling(of: self.source)
        if isAwaited { (status.state, status.lastError) = (state, self.status.lastError) }
        self.status = status
        condition = .working
    }

    /// Applies another mount matrix, with the scaling that it leads to.
    func remount(_ mountMatrix: [Double], _ scaling: SensorScaling) {
        status.mountMatrix = mountMatrix
        source.rescale(to: scaling)
    }

    /// Closes the device and ignores it from then on.
    func discardSource() {
        source.onEvent = nil
        source.removeDevice()
    }

    /// Notes that sampling has begun; a lost sensor stays lost until ``recover()``.
    func begin() {
        stuck.begin()
        var status = status
        if status.state != .lost { status.state = .sampling }
        status.sensingLevel = .stream
        status.setSampling(of: source)
        self.status = status
    }

    /// Reads as closely as asked for.
    func sense(_ sensing: Sensing) {
        source.sense(sensing)
        if source.mode != .replay { status.sensingLevel = sensing.level }
    }

    /// Notes that a sample has come.
    func recover() {
        guard state == .lost else { return }
        if condition == .stalled { condition = .working }
        publish(.sampling)
    }

    /// Notes that it has been read for a while: the next failure is logged, even for the same reason.
    func settle() { lastFailure = "" }

    /// Publishes what is wrong with a sensor that samples; an empty text ends it.
    func complain(_ problem: String) { status.lastError = problem }

    private func publish(_ state: SensorState, error: String = "") {
        var status = status
        status.state = state
        status.lastError = error
        self.status = status
    }

    /// Notes that it is lost; false when it was so for the same reason before and never settled.
    @discardableResult
    func fail(_ reason: String, _ condition: Condition = .failed) -> Bool {
        let isNews = reason != lastFailure
        lastFailure = reason
        if self.condition != .unplugged { self.condition = condition }
        publish(.lost, error: reason)
        return isNews
    }

    /// Stops sampling until it is needed again.
    func rest() {
        source.stop()
        if state == .sampling { status.state = .idle }
    }

    /// Notes that the device is closed: one that hung has answered.
    func close() {
        guard condition == .stalled else { return }
        condition = .working
        publish(.idle)
    }
}

extension SensorStatus {
    /// Copies the mode and the sample rate of a source.
    mutating func setSampling(of source: any SensorSource) {
        (mode, sampleRate) = (source.mode, source.sampleRate)
    }

    /// Says whether both describe the same device in the same place.
    func isSameDevice(as other: SensorStatus) -> Bool { sysfsPath == other.sysfsPath && isSameSensor(as: other) }

    /// Says whether this may be the same sensor plugged in again, which can move it to another path.
    func isSameSensor(as other: SensorStatus) -> Bool { name == other.name && location == other.location }
}
