// SPDX-License-Identifier: Apache-2.0

// What the machine is used as: a laptop or a tablet, and what follows from that.
extension OrientationMachine {
    /// The least change of the hinge's angle that is published, in degrees.
    private static let leastAngleChange = 3.0

    /// Whether the angle of the hinge decides the tablet mode, and the mode makes a difference.
    private var countsAngle: Bool {
        tablet.hasHinge && switchMode == .unknown
            && (policy.autorotate == .tabletMode || hasVirtualSwitch || tabletModeClaims > 0)
    }

    /// Whether the angle of the hinge is to be measured.
    var measuresAngle: Bool {
        guard tablet.hasHinge, lifecycle == .running, !isLidClosed else { return false }
        if tabletModeClaims > 0 || tablet.check.deadline != nil { return true }
        // Also while somebody has set the mode, so that the angle is known at once when that ends.
        return countsAngle && (servesOrientation || hasVirtualSwitch)
    }

    /// Whether there is to be a virtual tablet switch.
    ///
    /// Not while a switch of the kernel may still be found; and on a tablet without a hinge it would say `laptop` for
    /// ever.
    var hasVirtualSwitch: Bool {
        configuration.virtualTabletSwitch && !awaited.contains(.switches) && switchMode == .unknown
            && (tablet.hasHinge || tablet.override != .unknown)
    }

    /// Seconds that desktops have to turn the display before the virtual switch says `tablet` no longer.
    ///
    /// Before version 49, GNOME leaves a display as it is then (mutter, update_panel_orientation_managed).
    private static let turningTime = 1.0

    /// When the virtual switch says `tablet` no longer, if it still waits for desktops.
    var virtualSwitchDeadline: Double? {
        virtualSwitch == .tablet && tabletSwitch != .tablet ? lastTurn + Self.turningTime : nil
    }

    /// Sets what the virtual switch says.
    mutating func updateVirtualSwitch(at time: Double) {
        let mayWait = virtualSwitch == .tablet && !policy.isPaused && lifecycle != .ending && switchMode == .unknown
        if !mayWait || time >= lastTurn + Self.turningTime { virtualSwitch = tabletSwitch }
    }

    /// What the virtual tablet switch is to say; unknown where there is to be none.
    ///
    /// `tablet` takes the keyboard away, so it needs a reason that holds now.
    private var tabletSwitch: TabletMode {
        guard hasVirtualSwitch, lifecycle != .ending else { return .unknown }
        let isCurrent = tablet.override == .tablet || measuresAngle && tablet.hinge.angle != nil
        return policy.tabletMode == .tablet && !policy.isPaused && isCurrent ? .tablet : .laptop
    }

    /// Learns from the pose at rest which edge of the panel is up in a laptop, where the kernel does not tell it.
    ///
    /// A panel that is higher than wide is mounted turned in a laptop: one of its long edges is up while the base lies on
    /// its underside or, where that is not measured, while a tablet switch says laptop. The kernel shows which by turning
    /// its console, with CONFIG_FRAMEBUFFER_CONSOLE_DEFERRED_TAKEOVER only once that has printed a line. Returns whether
    /// this is news.
    @discardableResult
    mutating func learnLaptopEdge() -> Bool {
        guard configuration.naturalOrientation == .portrait, motion.display.isResting, !policy.isPaused,
            learnsLaptopEdge || configuration.laptopEdge == .portrait,
            reads.base ? tablet.hinge.isBaseDown : tablet.source == .switch && policy.tabletMode == .laptop
        else { return false }
        let pose = motion.display.sensing.reference
        let edge = pose.x > 0 ? DeviceOrientation.landscapeLeft : .landscapeRight
        guard edge != configuration.laptopEdge, abs(pose.x) >= 0.5 * pose.magnitude,
            abs(pose.y) <= 0.2 * pose.magnitude
        else { return false }
        learnsLaptopEdge = true
        setDisplay(natural: .portrait, laptopEdge: edge)
        return true
    }

    /// Tells the policy what the machine is used as, and the usual mode, unless somebody has chosen one.
    mutating func updateTabletMode() {
        if tablet.switchMode != .unknown || tablet.hasHinge { hadSwitchOrHinge = true }
        if chosenMode == nil {
            let isKnown = hadSwitchOrHinge || tablet.override != .unknown
            policy.setAutorotate(configuration.autorotateMode(chassis: chassis, hasTabletMode: isKnown))
        }
        let countsAngle = countsAngle
        if !countsAngle { tablet.hinge.forgetMode() }
        let mode = tablet.mode(countsAngle: countsAngle)
        if mode != policy.tabletMode { policy.setTabletMode(mode) }
    }

    /// Whether the angle differs from the published one by more than noise.
    var hasNewAngle: Bool {
        guard let angle = tablet.hinge.angle else { return status.hingeAngle >= 0 }
        return status.hingeAngle < 0 || abs(angle - status.hingeAngle) >= Self.leastAngleChange
    }
}
