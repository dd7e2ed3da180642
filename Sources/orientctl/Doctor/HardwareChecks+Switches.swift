// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

extension HardwareChecks {
    /// The names of the lid switches that say closed, of those that are not ignored and that this user may read.
    static func closedLids(_ system: SystemState) -> [String] {
        Device.found("input", "event*").compactMap { node in
            let name = EventNode.deviceName(of: node)
            guard EventNode.switches(of: node).contains(.lid), let path = node.devnode,
                !system.configuration.ignoredLidSwitches.contains(name),
                let state = try? SwitchEvents(path).nextState(), state.contains(.lid)
            else { return nil }
            return name
        }
    }

    static func tabletSwitch(_ system: SystemState) -> [Finding] {
        var switches: [String] = []
        /// What the switches that are not ignored say: `tablet` if any of them does, as in orientd.
        var said = TabletMode.unknown
        var hasVirtual = false
        var keyboards: [String] = []
        for node in Device.found("input", "event*") {
            hasVirtual = hasVirtual || EventNode.isVirtualTabletSwitch(node)
            if EventNode.isAttachedKeyboard(node) { keyboards.append(EventNode.deviceName(of: node)) }
            guard EventNode.switches(of: node).contains(.tabletMode), let path = node.devnode else { continue }
            if let account = system.account, (try? FileAccess(of: path))?.allows(.read, to: account) == false {
                let remedy = remedy(byRules: .applySwitchRules)
                return [.warn("\(account.name) may not read \(path)", remedy: remedy)]
            }
            // No state for a switch that this user may not read.
            let state = try? SwitchEvents(path).nextState()
            let mode = state.map { $0.contains(.tabletMode) ? TabletMode.tablet : .laptop }
            let name = EventNode.deviceName(of: node)
            switches.append("\(name) at \(node.name)\(mode.map { ": \($0)" } ?? "")")
            let isIgnored = system.configuration.ignoredTabletSwitches.contains(name)
            if !isIgnored, said != .tablet, let mode { said = mode }
        }
        if switches.isEmpty, system.configuration.isTabletWithoutKeyboard { return [tabletMode(by: keyboards)] }
        let chassis = system.chassis
        let status = system.status
        if said == .unknown, let status, status.tabletModeSource == .switch { said = status.tabletMode }
        if switches.isEmpty, status?.tabletModeSource == TabletModeSource.none, let lost = system.lostBase {
            let reason = "while \(lost.name) of the base is lost: \(lost.lastError)"
            let text = "none; the angle of the hinge is unknown \(reason)"
            return [.warn(text, remedy: .orientctl("tablet-mode tablet"))]
        }
        let known = Desktop.VirtualSwitch(
            status?.tabletModeSource,
            system.accelerometers.map { $0.description.mounting?.location ?? .unknown },
            chassis: chassis,
            isWanted: system.configuration.machine.virtualTabletSwitch
        )
        let virtual = system.hasOwnConfiguration ? .impossible : known
        if switches.isEmpty, !hasVirtual, virtual == .on(isMeasured: true), let bus = system.bus {
            if system.lostAccelerometer != nil { return [.warn("none while the accelerometer of the display is lost")] }
            if ServiceChecks.hasJustStarted(bus) { return [.ok("none yet, as orientd has just started")] }
        }
        return [
            tabletSwitch(
                switches,
                said,
                chassis: chassis,
                virtual: virtual,
                hasVirtual: hasVirtual,
                isRotated: AgentLock.holders.contains { $0.rotates },
                status: status
            )
        ]
    }

    /// Says what the names of attached keyboards mean with TabletWithoutKeyboard=yes.
    static func tabletMode(by keyboards: [String]) -> Finding {
        let found = keyboards.isEmpty ? "no keyboard: a tablet" : "\(keyboards.joined(separator: ", ")): a laptop"
        return .ok("none, but TabletWithoutKeyboard=yes; \(found)")
    }

    /// Checks the tablet switches; `said` is what they say together.
    ///
    /// `virtual` is the one that orientd can make, and `hasVirtual` whether it has; `isRotated`: an orient-agent turns
    /// the display, also without a switch.
    static func tabletSwitch(
        _ switches: [String],
        _ said: TabletMode = .unknown,
        chassis: String?,
        virtual: Desktop.VirtualSwitch,
        hasVirtual: Bool = false,
        isRotated: Bool = false,
        status: ManagerStatus?
    ) -> Finding {
        guard switches.isEmpty else {
            let found = switches.joined(separator: ", ")
            guard let status, status.isSwitchContradicted || SwitchCheck.disagrees(status.hingeAngle, said) else {
                guard status?.autorotate == .tabletMode else { return .ok(found) }
                let isOdd = chassis != nil && chassis != "convertible"
                let chassis = isOdd ? "; Autorotate follows it, not the chassis type \(chassis ?? "")" : ""
                let pose = said == .tablet ? "not folded" : "folded"
                let hint = said == .unknown ? "" : "; if it is \(pose) back, IgnoreTabletSwitch=NAME ignores it"
                return .ok(found + chassis + hint)
            }
            let hinge = status.hingeAngle < 0 ? "says otherwise" : "is open by \(Int(status.hingeAngle))°"
            let text = "\(found), but the hinge \(hinge); IgnoreTabletSwitch=NAME ignores a switch"
            return .warn(text, remedy: .configure)
        }
        let mode = status.map { " (TabletMode \($0.tabletMode.name), Autorotate \($0.autorotate.name))" } ?? ""
        if let status, status.tabletModeSource == .override {
            let text = "; the tablet mode is set by hand" + mode
            if !hasVirtual, case .on = virtual {
                return .warn("none, in spite of TabletSwitch=yes" + text, remedy: .showSwitch)
            }
            let found = (hasVirtual ? "orientd's own" : "none") + text
            // That of a tablet ends with the next sleep, and without a hinge, nothing else tells the mode.
            guard status.tabletMode == .laptop, virtual.isMeasured || status.hingeAngle >= 0 else { return .ok(found) }
            return .warn(found, remedy: .orientctl("tablet-mode auto"))
        }
        if hasVirtual { return .ok("orientd's own, which follows the angle of the hinge\(mode)") }
        let setting = Desktop.VirtualSwitch.setting
        var advice = ""
        switch virtual {
        case .on(true):
            guard status != nil else { return .warn("none; TabletSwitch=yes makes one while orientd runs") }
            return .warn("none, in spite of TabletSwitch=yes\(mode)", remedy: .showSwitch)
        case .off(true):
            let change = "\(setting) tells them, and a tablet's keyboard and touchpad are off then"
            return .ok("none; orientd uses the angle of the hinge\(mode), which GNOME and KDE do not know; \(change)")
        case .off(false) where isRotated: advice = "; \(setting) is needed only to turn the keyboard off"
        case .off(false): advice = "; \(setting) adds one that 'orientctl tablet-mode' sets"
        case .impossible, .on(false): break
        }
        let source = status?.tabletModeSource
        if source == .hinge || source == .accelerometers {
            return .ok("none; orientd uses the angle of the hinge" + mode)
        }
        guard let chassis, chassis == "convertible" || chassis == "laptop", status?.autorotate != .always else {
            return .ok("none\(mode)\(advice)")
        }
        let isTablet = status?.autorotate == .tabletMode
        if isTablet, isRotated { return .ok("none, but orient-agent turns the display all the same\(mode)\(advice)") }
        let count = isTablet ? "; it counts as a tablet" : ""
        let needsSetting = virtual == .off(isMeasured: false) && !isRotated
        return .warn(
            "none, but the chassis type is \(chassis): tablet mode cannot be detected\(mode)\(count)\(advice)",
            remedy: needsSetting ? .configure : .orientctl("tablet-mode tablet")
        )
    }
}
