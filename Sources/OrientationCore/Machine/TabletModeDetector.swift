// SPDX-License-Identifier: Apache-2.0

/// Whether the machine is used as a tablet or a laptop.
///
/// The first of these that exists decides: what a client has set, a tablet switch, a hinge sensor, two accelerometers.
struct TabletModeDetector: Sendable {
    /// What a client has set; unknown for nothing.
    var override = TabletMode.unknown
    /// What the tablet switches say; unknown without one.
    var switchMode = TabletMode.unknown
    /// The sensor of the hinge's angle.
    var sensor = SensorReport() {
        // While it is lost and tried again, the accelerometers measure the angle.
        didSet { if sensor.state != .sampling, sensor.state != oldValue.state { hinge.restart() } }
    }
    /// Whether there is an accelerometer in each half.
    var hasAccelerometers = false
    var hinge = HingeAngle()
    var check = SwitchCheck()
    /// What the last check was about.
    private var checked = (mode: TabletMode.unknown, hasHinge: false)

    // MARK: - What is known

    /// With `countsAngle`, the angle of the hinge decides where nothing else does.
    func mode(countsAngle: Bool) -> TabletMode {
        if override != .unknown { return override }
        if switchMode != .unknown { return switchMode }
        return countsAngle ? hinge.tabletMode : .unknown
    }

    /// What tells the mode, or would if the angle were measured.
    var source: TabletModeSource {
        if override != .unknown { return .override }
        if switchMode != .unknown { return .switch }
        return hasHinge ? readsSensor ? .hinge : .accelerometers : .none
    }

    /// Whether the angle of the hinge can be measured.
    var hasHinge: Bool { sensor.isPresent || hasAccelerometers }

    /// Whether the angle comes from the hinge sensor; while that is lost, it comes from the accelerometers.
    var readsSensor: Bool { sensor.isPresent && (sensor.state != .lost || !hasAccelerometers) }

    // MARK: - What happens

    /// Checks the switch again if it has changed, or if the angle has become measurable or unmeasurable.
    mutating func updateCheck(at time: Double) {
        if checked != (switchMode, hasHinge) { beginCheck(at: time) }
    }

    /// Measures the angle for a while, to check the switch.
    mutating func beginCheck(at time: Double) {
        checked = (switchMode, hasHinge)
        if switchMode != .unknown, hasHinge { check.begin(at: time) } else { check.stop() }
    }

    /// Checks the switch once more, unless it is being checked or known to be wrong.
    ///
    /// A check under way goes on: a sensor that fails again and again would be read for ever.
    mutating func repeatCheck(at time: Double) {
        if !check.isContradicted, check.deadline == nil { beginCheck(at: time) }
    }

    /// Ends a check under way, as the angle is not measured any more; ``repeatCheck(at:)`` begins another.
    mutating func pauseCheck() {
        if check.deadline != nil { check.stop() }
    }

    mutating func add(angle: Double, at time: Double) {
        guard readsSensor else { return }
        hinge.add(angle, at: time)
        compare(at: time)
    }

    mutating func add(_ acceleration: Vector3, of role: AccelerometerRole, at time: Double) {
        guard !readsSensor else { return }
        hinge.add(acceleration, of: role, at: time)
        compare(at: time)
    }

    private mutating func compare(at time: Double) {
        if let angle = hinge.angle { check.compare(angle, with: switchMode, at: time) }
    }

    /// An accelerometer has begun or ended to be read.
    mutating func restartAccelerometers() { if !readsSensor { hinge.restart() } }
}
