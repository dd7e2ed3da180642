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
        return tablet.override == .unknown && countsAngle && (servesOrientation || hasVirtualSwitch)
    }

    /// Whether there is to be a virtual tablet switch.
    ///
    /// Not while a switch of the kernel may still be found; and on a tablet without a hinge it would say `laptop` for
    /// ever.
    var hasVirtualSwitch: Bool {
        configuration.virtualTabletSwitch && !awaited.contains(.switches) && switchMode == .unknown
            && (tablet.hasHinge || tablet.override != .unknown)
    }

    /// Seconds that desktops have to turn the display back before the virtual switch says no longer `tablet`.
    ///
    /// Before version 49, GNOME leaves a display turned that was not turned back by then (mutter,
    /// update_panel_orientation_managed).
    private static let turningTime = 1.0

    /// What the virtual tablet switch says.
    enum VirtualSwitch {
        /// Unknown where there is none.
        case says(TabletMode)
        /// It says `tablet` until a time, so that desktops turn the display back first.
        case leavesTablet(at: Double)

        var mode: TabletMode { if case .says(let mode) = self { mode } else { .tablet } }

        /// When it says `tablet` no longer.
        var deadline: Double? { if case .leavesTablet(let time) = self { time } else { nil } }
    }

    /// Sets what the virtual switch says; `turned` is whether the interface has just been turned.
    mutating func updateVirtualSwitch(turned: Bool, at time: Double) {
        let mode = tabletSwitch
        let mayWait = mode != .tablet && !policy.isPaused && lifecycle != .ending && switchMode == .unknown
        switch virtualSwitch {
        case _ where mayWait && turned && virtualSwitch.mode == .tablet: letDesktopsTurn(at: time)
        case .leavesTablet(let end) where mayWait && time < end: break
        default: virtualSwitch = .says(mode)
        }
    }

    /// Has a switch that says `tablet` say so for another second.
    mutating func letDesktopsTurn(at time: Double) {
        if virtualSwitch.mode == .tablet { virtualSwitch = .leavesTablet(at: time + Self.turningTime) }
    }

    /// What the virtual tablet switch is to say; unknown where there is to be none.
    ///
    /// `tablet` takes the keyboard away, so it needs a reason that holds now.
    private var tabletSwitch: TabletMode {
        guard hasVirtualSwitch, lifecycle != .ending else { return .unknown }
        let isAwake = lifecycle != .suspended && !isLidClosed
        let isCurrent = tablet.override == .tablet || measuresAngle && tablet.hinge.angle != nil
        return policy.tabletMode == .tablet && isAwake && isCurrent ? .tablet : .laptop
    }

    /// Tells the policy what the machine is used as, and the usual mode, unless somebody has chosen one.
    mutating func updateTabletMode() {
        if tablet.switchMode != .unknown || tablet.hasHinge { wasTold = true }
        if chosenMode == nil {
            let isKnown = wasTold || tablet.override != .unknown
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
