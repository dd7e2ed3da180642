// SPDX-License-Identifier: Apache-2.0

/// What the machine is used as, and what tells so: a client, a tablet switch, a hinge sensor or two accelerometers.
///
/// The first of these that there is decides.
struct TabletModeDetector: Sendable {
    /// What a client has set; unknown for nothing.
    var override = TabletMode.unknown
    /// What the tablet switches say; unknown without one.
    var switchMode = TabletMode.unknown
    /// The sensor of the hinge's angle.
    var sensor = SensorReport() {
        didSet { if sensor.state != .sampling { hinge.restart() } }
    }
    /// Whether there is an accelerometer in each half.
    var hasAccelerometers = false
    var hinge = HingeAngle()
    var check = SwitchCheck()
    /// What the last check was about.
    private var checked = (mode: TabletMode.unknown, hasHinge: false)

    // MARK: - What is known

    /// The mode by the angle counts while `countsAngle`.
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

    /// Whether the sensor measures it; the accelerometers do if it is lost.
    var readsSensor: Bool { sensor.isPresent && (sensor.state != .lost || !hasAccelerometers) }

    // MARK: - What happens

    /// Checks the switch anew if it has changed, or if the angle can be measured since, or no longer.
    mutating func updateCheck(at time: Double) {
        if checked != (switchMode, hasHinge) { beginCheck(at: time) }
    }

    /// Measures the angle for a while, to check the switch.
    mutating func beginCheck(at time: Double) {
        checked = (switchMode, hasHinge)
        if switchMode != .unknown, hasHinge { check.begin(at: time) } else { check.stop() }
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
