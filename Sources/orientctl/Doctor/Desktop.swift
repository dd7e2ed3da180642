// SPDX-License-Identifier: Apache-2.0

import CLinux
import JSON
import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// A desktop that rotates the display itself, and what its decision depends on; nil is what cannot be read.
struct Desktop {
    enum Kind: String { case gnome = "GNOME", phosh = "Phosh", cinnamon = "Cinnamon", kde = "KDE" }

    /// When KWin rotates an output, by the names in its file.
    enum Policy: String { case never = "Never", inTabletMode = "InTabletMode", always = "Always" }

    /// Kinds of input devices by which desktops tell a tablet, by udev's names.
    enum Input: String, CaseIterable {
        case touchScreen = "TOUCHSCREEN", tabletSwitch = "SWITCH", mouse = "MOUSE", touchpad = "TOUCHPAD"
    }

    /// The tablet switch that orientd can make from the angle of the hinge or, if that `isMeasured` not, by command.
    enum VirtualSwitch: Equatable {
        case impossible, off(isMeasured: Bool), on(isMeasured: Bool)

        /// What has orientd make it, as words.
        static let setting = "TabletSwitch=yes below [Tablet]"

        /// Whether the angle of the hinge can be measured for it.
        var isMeasured: Bool { self == .off(isMeasured: true) || self == .on(isMeasured: true) }
    }

    var kind = Kind.gnome
    /// Of GNOME Shell or KWin; empty for others.
    var version = ""
    var isLocked: Bool?
    var isDisplayOn: Bool?
    /// Whether it claims the accelerometer from orientd; nil if another service provides net.hadess.SensorProxy.
    var hasClaim: Bool?
    /// Whether mutter rotates the panel, unless it is locked: it has an accelerometer and is in touch mode.
    var isPanelManaged: Bool?
    /// KWin's built-in output and the policy for it, its mode, and whether Qt can read the sensor for it, if it needs that.
    var policy: (output: String, when: Policy)?
    var isTabletMode: Bool?
    var hasSensorPlugin: Bool?
    var inputs: Set<Input>?
    /// What tells orientd that this is used as a laptop; nil if nothing does.
    var laptopSource: TabletModeSource?
    /// Whether a person has set the tablet mode, by which orientd makes the virtual switch.
    var isModeSet = false
    var virtualSwitch = VirtualSwitch.impossible
    /// Whether orientd has just started, and may still make the switch.
    var isNew = false

    static func findings(_ system: SystemState) -> [Finding] {
        guard let bus = system.bus, let status = system.snapshot?.status else { return [] }
        return findings(status, on: bus)
    }

    /// Why the desktop does not rotate the display; `missing` is the finding for a session that has no desktop.
    static func findings(_ status: ManagerStatus, on bus: Bus, missing: Finding? = nil) -> [Finding] {
        // Desktops use the system bus.
        guard bus.address == .system, let session = try? Bus(.session) else { return [] }
        // A desktop that hangs is not worth more.
        session.timeout = 2
        let owners = owners(on: session)
        if owners.isEmpty { return missing.map { [$0] } ?? [] }
        guard status.hasAccelerometer else {
            guard let rotator = owners.first(where: isRotator) else { return [] }
            let text = "turns the display by itself only with an accelerometer, and there is none"
            return [.warn("\(rotator.kind.rawValue) \(text)")]
        }
        return Desktop(status, on: bus, among: owners, on: session)?.findings ?? []
    }

    /// The reasons why the desktop does not rotate the display, as far as its state proves them.
    var findings: [Finding] {
        let mayClaim = isPanelManaged == true && isLocked == false
        return [lock, touchMode, tabletMode, mayClaim ? missingClaim : nil].compactMap { $0 }
    }

    private var lock: Finding? {
        guard isLocked == true else { return nil }
        let remedy = Remedy.change("gsettings set \(lockSetting) false")
        return .warn("the rotation lock of \(kind.rawValue) is on", remedy: remedy)
    }

    private var lockSetting: String {
        let vendor = kind == .cinnamon ? "cinnamon" : "gnome"
        return "org.\(vendor).settings-daemon.peripherals.touchscreen orientation-lock"
    }

    /// GNOME's touch mode: a touch screen, and a switch that says tablet or, without a switch, no pointer.
    private var touchMode: Finding? {
        guard isPanelManaged == false, let inputs else { return nil }
        let byHand = Remedy.change("gnome-control-center display")
        guard inputs.contains(.touchScreen) else {
            return .warn("GNOME rotates only with a touch screen, and there is none", remedy: byHand)
        }
        if inputs.contains(.tabletSwitch) { return laptop }
        guard !inputs.isDisjoint(with: [.mouse, .touchpad]) else { return nil }
        return withoutSwitch("GNOME does not rotate while there is a mouse or touchpad and no tablet switch", byHand)
    }

    /// KDE's policy, and its tablet mode.
    private var tabletMode: Finding? {
        guard let (output, when) = policy else { return nil }
        func set(_ policy: String) -> Remedy { .change("kscreen-doctor output.\(output).autoRotatePolicy.\(policy)") }
        if when == .never { return .warn("KDE is set never to rotate \(output)", remedy: set("inTabletMode")) }
        guard when == .inTabletMode, isTabletMode != true else { return missingClaim }
        guard isTabletMode == false, let inputs else { return nil }
        let text = "KDE rotates \(output) in tablet mode only, and"
        // Without a switch, a touch screen alone is a tablet.
        guard inputs.contains(.tabletSwitch) || inputs == [.touchScreen] else {
            return withoutSwitch("\(text) there is no tablet switch", set("always"))
        }
        return laptop ?? .warn("\(text) KWin is not in it", remedy: set("always"))
    }

    /// As it should be.
    private var laptop: Finding? {
        guard let laptopSource else { return nil }
        let text = "\(kind.rawValue) rotates the display of a tablet only, and this is used as a laptop"
        return .ok(laptopSource == .override ? text + ", as set by hand" : text)
    }

    private func withoutSwitch(_ text: String, _ remedy: Remedy) -> Finding? {
        switch virtualSwitch {
        case .on(true) where isNew: nil
        case .impossible: .warn("\(text); on a convertible, \(VirtualSwitch.setting) adds one", remedy: remedy)
        case .off(true): .warn("\(text); \(VirtualSwitch.setting) adds one", remedy: .configure)
        case .off(false):
            .warn("\(text); \(VirtualSwitch.setting) adds one for orientctl tablet-mode", remedy: .configure)
        case .on(let isMeasured) where isMeasured || isModeSet:
            .warn("\(text), in spite of TabletSwitch=yes", remedy: .showSwitch)
        case .on: .warn("\(text); a command adds one", remedy: .orientctl("tablet-mode tablet"))
        }
    }

    /// mutter 49 and 50 lose claims, and Qt neither finds a service that started after KWin, nor one that came back.
    private var missingClaim: Finding? {
        guard isDisplayOn == true, hasClaim == false else { return nil }
        if kind == .kde, hasSensorPlugin == false {
            let remedy = Remedy.change("install the package libqt6sensors6, qt6-sensors or qt6-qtsensors")
            return .warn("KDE lacks the part of Qt that reads the sensor", remedy: remedy)
        }
        let prompt = "busctl --user call org.kde.LogoutPrompt /LogoutPrompt org.kde.LogoutPrompt promptLogout"
        let remedy = Remedy.change(kind == .kde ? prompt : "gnome-session-quit --logout")
        let isFaulty = version.begins(with: "49.") || version.begins(with: "50.")
        let cure = isFaulty ? ", a fault of version \(version): upgrade to 51, or" : ":"
        return .warn("\(kind.rawValue) does not read the sensor although it should\(cure) log in again", remedy: remedy)
    }
}

extension Desktop.VirtualSwitch {
    /// `locations` are those of the accelerometers that work, and `chassis` is in the words of hostnamed.
    init(_ source: TabletModeSource?, _ locations: [SensorLocation] = [], chassis: String?, isWanted: Bool) {
        let hasBoth = locations.contains(.base) && locations.contains { $0 != .base }
        let isMeasured = hasBoth || source == .hinge || source == .accelerometers
        // Many convertibles call themselves laptops; and somebody may use any machine as a tablet.
        let hasKeyboard = ["convertible", "detachable", "laptop"].contains(chassis)
        guard isMeasured || source == .override || hasKeyboard || isWanted else {
            self = .impossible
            return
        }
        self = isWanted ? .on(isMeasured: isMeasured) : .off(isMeasured: isMeasured)
    }
}

extension Desktop {
    private static let mutter = "org.gnome.Mutter.DisplayConfig"

    private typealias Owner = (kind: Kind, program: NameOwner)

    /// Reads the state of the desktop of a session bus; nil if none of the owners rotates the display.
    private init?(_ status: ManagerStatus, on bus: Bus, among owners: [Owner], on session: Bus) {
        guard let owner = owners.first(where: Self.isRotator) else { return nil }
        self.init(kind: owner.kind, isDisplayOn: BuiltInDisplay.isOn)
        if status.tabletMode == .laptop { laptopSource = status.tabletModeSource }
        isModeSet = status.tabletModeSource == .override
        inputs = Self.inputs
        if bus.owner(of: SensorProxyObject.service)?.uniqueName == bus.owner(of: Names.service)?.uniqueName {
            hasClaim = status.sensorProxyClients.contains { bus.owner(of: $0)?.process == owner.program.process }
        }
        let reader = ConfigurationReader<Configuration>()
        try? reader.read(Configuration.standardPath, isRequired: false)
        let machine = reader.configuration.machine
        let chassis = machine.idiom?.name ?? Chassis.name(over: bus)
        let sensors = ((try? bus.readSensors()) ?? []).map { $0.status }
        virtualSwitch = VirtualSwitch(
            status.tabletModeSource,
            sensors.filter { $0.state != .lost }.map { $0.location },
            chassis: chassis,
            isWanted: machine.virtualTabletSwitch
        )
        if virtualSwitch == .on(isMeasured: true) { isNew = ServiceChecks.hasJustStarted(bus) }
        if kind == .kde {
            let (kwin, manager) = ("org.kde.KWin", "org.kde.KWin.TabletModeManager")
            let isTablet = try? session.property("tabletMode", of: manager, at: "/org/kde/KWin", on: kwin)
            isTabletMode = isTablet.map { $0 == "true" }
            version = Self.versionOfKWin
            hasSensorPlugin = Self.readsSensorItself(version) ? nil : Self.hasSensorPlugin
            let path = userConfigurationFolder.map { $0 + "/kwinoutputconfig.json" }
            let file = path.flatMap { try? FileDescriptor.contents(of: $0) }
            policy = file.flatMap(Self.policy)
            return
        }
        if kind == .gnome {
            let (mutter, shell) = (Self.mutter, "org.gnome.Shell")
            let path = "/org/gnome/Mutter/DisplayConfig"
            let isManaged = try? session.property("PanelOrientationManaged", of: mutter, at: path, on: mutter)
            isPanelManaged = isManaged.map { $0 == "true" }
            version = (try? session.property("ShellVersion", of: shell, at: "/org/gnome/Shell", on: shell)) ?? ""
        }
        // A lock of orientd is named by itself, and orient-agent keeps the desktop's equal.
        guard status.rotationLock == .off || AgentLock.holders.isEmpty else { return }
        // It knows every backend and default; its complaints do not belong here.
        let command = ["sh", "-c", "gsettings get \(lockSetting) 2>/dev/null"]
        let answer = try? Program.output(of: command, timeout: 2).lines.first
        isLocked = answer == Array("true".utf8) ? true : answer == Array("false".utf8) ? false : nil
    }

    /// The desktop of this session that rotates the display itself; nil for none.
    static var present: Kind? { (try? Bus(.session)).flatMap { owners(on: $0).first(where: isRotator)?.kind } }

    private static func owners(on session: Bus) -> [Owner] {
        [(Kind.gnome, mutter), (.cinnamon, "org.Cinnamon"), (.kde, "org.kde.KWin")].compactMap { kind, name in
            // phosh has mutter's interface. It may have a name such as ".phosh-wrapped".
            session.owner(of: name).map { ($0.command.includes("phosh") ? .phosh : kind, $0) }
        }
    }

    /// Whether a desktop rotates the display, and is this user's: not for root on a user's bus.
    private static func isRotator(_ owner: Owner) -> Bool {
        owner.program.user == geteuid() && owner.program.mayRotate(isKWin: owner.kind == .kde, displayOf: server)
    }

    /// The process that serves the session's display on Wayland; nil if it is unknown.
    private static var server: Int32? {
        guard let name = environment("WAYLAND_DISPLAY") else { return nil }
        return listener(at: name.begins(with: "/") ? name : "\(AgentLock.runtimeFolder ?? "")/\(name)")
    }

    /// Nil without udev's properties.
    private static var inputs: Set<Input>? {
        let nodes = Device.found("input", "event*").filter {
            $0.property("ID_INPUT") == "1" && $0.property("LIBINPUT_IGNORE_DEVICE") ?? "0" == "0"
        }
        let found = Input.allCases.filter { kind in
            nodes.contains { node in
                node.property("ID_INPUT_" + kind.rawValue) == "1"
                    && (kind != .tabletSwitch || EventNode.switches(of: node).contains(.tabletMode)
                        || EventNode.isVirtualTabletSwitch(node))
            }
        }
        return nodes.isEmpty ? nil : Set(found)
    }

    /// Reads the policy for the built-in output from KWin's file; nil if several entries differ.
    static func policy(in bytes: [UInt8]) -> (output: String, when: Policy)? {
        let parts = (try? JSONValue(bytes))?.list ?? []
        let outputs = parts.first { $0["name"]?.text == "outputs" }?["data"]?.list ?? []
        let found = outputs.compactMap { output -> (String, Policy)? in
            guard let name = output["connectorName"]?.text, BuiltInDisplay.isBuiltIn("card0-" + name) else {
                return nil
            }
            return (name, output["autoRotation"]?.text.flatMap { Policy(rawValue: $0) } ?? .inTabletMode)
        }
        return found.allSatisfy { $0 == found[0] } ? found.first : nil
    }

    /// `6.3.6`; empty if KWin does not tell.
    private static var versionOfKWin: String {
        let answer = try? Program.output(of: ["sh", "-c", "kwin_wayland --version 2>/dev/null"], timeout: 2).lines.first
        let words = (answer ?? []).split(separator: UInt8(ascii: " "))
        return words.last.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Whether KWin reads net.hadess.SensorProxy without Qt: since 6.7, whose first test version is 6.6.80.
    static func readsSensorItself(_ version: String) -> Bool {
        let numbers = version.utf8.split(separator: UInt8(ascii: ".")).map { Int(String(Substring($0))) ?? 0 }
        return !numbers.lexicographicallyPrecedes([6, 6, 80])
    }

    /// Nil if KWin is not in one of the folders that distributions use.
    private static var hasSensorPlugin: Bool? {
        let libraries = ((try? FileDescriptor.names(in: "/usr/lib")) ?? []).map { "/usr/lib/\($0)" }
        let folders = (libraries + ["/usr/lib", "/usr/lib64"]).map { $0 + "/qt6/plugins" }
        guard let folder = folders.first(where: { access($0 + "/kwin", F_OK) == 0 }) else { return nil }
        return access(folder + "/sensors/libqtsensors_iio-sensor-proxy.so", F_OK) == 0
    }
}
