// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import OrientationConfiguration
import OrientationCore
import POSIX
import SystemdBus

/// The checks of the bus, the service, iio-sensor-proxy, polkit, the saved state and the configuration.
enum ServiceChecks {
    static func bus(_ system: SystemState) -> [Finding] {
        guard let error = system.connection.error else { return [.ok("\(system.address)")] }
        return [.fail(error.problem, remedy: .change("sudo systemctl start dbus.socket"))]
    }

    // MARK: - The display

    static func rotators(_ system: SystemState) -> [Finding] {
        guard let bus = system.bus else { return [] }
        let clients = system.snapshot?.status.sensorProxyClients ?? []
        let remedy = system.snapshot.map { reapplication($0.status) } ?? Remedy.none
        return rotators(clients.compactMap { bus.owner(of: $0) }, AgentLock.holders, remedy)
    }

    /// What shows again what orientd has decided, and changes no lock.
    static func reapplication(_ status: ManagerStatus) -> Remedy {
        switch status.interfaceRule {
        case .lock: .orientctl("lock")
        case .laptop: .orientctl("align")
        default: status.rotationLock == .off ? .orientctl("align") : .none
        }
    }

    /// Names the programs that turn the display: desktops, by their claims, and the agents of this user.
    ///
    /// `reapplication` is what helps after another program has rotated the display.
    static func rotators(
        _ clients: [NameOwner],
        _ agents: [AgentLock.Holder],
        _ reapplication: Remedy = .none,
        user: UInt32 = geteuid()
    ) -> [Finding] {
        let isRotated = agents.contains { $0.rotates || $0.hindrance == .overruled }
        let claims = clients.map {
            let text = "\($0) claims the accelerometer over \(SensorProxyObject.service)"
            guard isRotated, $0.user == user else { return Finding.ok(text) }
            return .warn(text + ", and may rotate the display as well")
        }
        return claims
            + agents.filter { $0.activity != AgentLock.keepingLock }.map {
                let text = "process \($0.process) (orient-agent) \($0.activity)"
                switch $0.hindrance {
                case nil: return .ok(text)
                case .overruled: return .warn(text, remedy: reapplication)
                case .noOutput: return .warn(text, remedy: .command("man orient-agent.conf"))
                case .refused, .noService, .noClaim: return .warn(text)
                }
            }
    }

    // MARK: - The service

    static func service(_ bus: Bus, _ system: SystemState) -> Finding {
        if let snapshot = system.snapshot, let owner = system.owner {
            return service(version: snapshot.version, owner, account: system.account?.name ?? "")
        }
        if let owner = system.owner {
            return .fail("\(owner) owns \(Names.service), but \(system.daemonProblem)", remedy: .restart)
        }
        // The service belongs to the system's service manager; that of a session has no unit of it.
        return service(bus.address == .system ? unitState(bus) : nil, problem: system.daemonProblem)
    }

    /// Checks a daemon that answers.
    static func service(version: String, _ owner: NameOwner, account: String) -> Finding {
        if version == "\(Version.current)" { return .ok("orientd \(version), \(owner), as \(account)") }
        return .warn("orientd is version \(version), but orientctl is version \(Version.current)", remedy: .restart)
    }

    /// A unit's state in the service manager.
    struct UnitState: Hashable { let load, active, result: String }

    /// Explains a missing daemon; `unit` is nil without a service manager on the bus.
    static func service(_ unit: UnitState?, problem: String) -> Finding {
        guard let unit else { return .fail(problem, remedy: .run) }
        let (state, remedy): (String, Remedy) =
            switch (unit.load, unit.active) {
            case ("not-found", _): ("is not installed", .change("install orientd"))
            case ("masked", _): ("is masked", .change("sudo systemctl unmask orientd"))
            case (_, "failed"): ("has failed (\(unit.result))", .restart)
            case (_, "activating"): ("is starting, or restarting repeatedly", .readLog)
            case (_, "active"): ("is active, but not on this bus", .restart)
            default: ("is \(unit.active)", .change("sudo systemctl start orientd"))
            }
        return .fail("orientd.service \(state)", remedy: remedy)
    }

    private static let systemd = "org.freedesktop.systemd1"

    /// The service manager's version; nil if it does not answer.
    static func managerVersion(_ bus: Bus) -> String? {
        try? bus.property("Version", of: systemd + ".Manager", at: "/org/freedesktop/systemd1", on: systemd)
    }

    private static func unitState(_ bus: Bus) -> UnitState? {
        guard let load = unit("LoadState", bus), let active = unit("ActiveState", bus),
            let result = unit("Result", of: ".Service", bus)
        else { return nil }
        return UnitState(load: load, active: active, result: result)
    }

    /// Waits while the service manager starts orientd, which looks for sensors then.
    static func awaitStart(_ bus: Bus) {
        guard bus.address == .system else { return }
        // orientd is ready within a second.
        for _ in 0..<100 {
            guard unit("SubState", bus) == "start" else { return }
            poll(nil, 0, 20)
        }
    }

    /// Whether the service manager has started orientd in the last ten seconds.
    static func hasJustStarted(_ bus: Bus) -> Bool {
        // The time at which it was ready is that of the last start until it is.
        guard bus.address == .system, let time = unit("InactiveExitTimestampMonotonic", bus).flatMap({ Int($0) }),
            time > 0
        else { return false }
        return MonotonicClock.now - Double(time) / 1e6 < 10
    }

    /// A property of the unit of orientd, which the service manager loads for that; nil if it cannot be read.
    private static func unit(_ property: String, of interface: String = ".Unit", _ bus: Bus) -> String? {
        let path = "/org/freedesktop/systemd1/unit/orientd_2eservice"
        return try? bus.property(property, of: systemd + interface, at: path, on: systemd)
    }

    // MARK: - The policy

    /// What decides how the interface is shown; `usualMode` is that of autorotation unless one is chosen, and
    /// `closedLids` are switches that say closed; `isDisplayOn` is of the built-in display.
    static func rotation(
        _ status: ManagerStatus,
        usualMode: @autoclosure () -> AutorotateMode = .always,
        closedLids: [String] = [],
        isDisplayOn: Bool? = nil
    ) -> Finding {
        // The names of applications are not for a report.
        let text = "the interface orientation is \(Status.interface(status))"
        switch status.interfaceRule {
        case .lock: return .warn(text, remedy: .orientctl("unlock"))
        case .never:
            let isDefault = status.autorotateSource == .default
            let reason = ", the default where Idiom= or 'hostnamectl chassis' says laptop"
            if isDefault { return .warn(text + reason, remedy: .orientctl("tablet-mode tablet")) }
            return .warn(text, remedy: .administrator("autorotate " + (usualMode() == .never ? "always" : "auto")))
        case .mask, .fixed, .preferred, .waiting:
            return .ok(text, remedy: status.askedRequest == nil ? .none : .orientctl("requests"))
        case .manual, .kept:
            return .ok(text, remedy: status.deviceOrientation == .unknown ? .none : .orientctl("align"))
        case .laptop:
            let edge = status.interfaceOrientation.device.upperEdge(natural: status.naturalOrientation)
            return .ok(text + (edge.map { " (\($0))" } ?? ""))
        case .paused:
            let names = closedLids.joined(separator: ";")
            let hint = "; if that is wrong, IgnoreLidSwitch=\(names) ignores it"
            guard !names.isEmpty, isDisplayOn == true else { return .ok(names.isEmpty ? text : text + hint) }
            return .warn("\(text), but the built-in display is on" + hint, remedy: .configure)
        case .device, .unknown: return .ok(text)
        }
    }

    // MARK: - iio-sensor-proxy

    static func sensorProxy(_ bus: Bus, _ system: SystemState) -> Finding {
        let finding = sensorProxy(
            bus.owner(of: SensorProxyObject.service),
            daemon: system.owner,
            unit: UnitFile.path(of: "iio-sensor-proxy.service"),
            choice: system.configuration.servesSensorProxy,
            isInstalled: HardwareChecks.isInstalled("systemd/system/orientd.service")
        )
        // A desktop does not look for it on another bus.
        return bus.address == .system ? finding : .ok(finding.text)
    }

    static func sensorProxy(
        _ owner: NameOwner?,
        daemon: NameOwner?,
        unit: String?,
        choice: Bool?,
        isInstalled: Bool = true
    ) -> Finding {
        let name = SensorProxyObject.service
        // A trial leaves the sensor service of the machine as it is.
        if daemon == nil, !isInstalled, let other = owner.map({ "\($0)" }) ?? unit {
            return .ok("orientd is not installed, and \(name) belongs to \(other)")
        }
        if let owner {
            if owner.uniqueName == daemon?.uniqueName { return .ok("orientd provides \(name)") }
            return .warn("\(owner) owns \(name) and competes for the sensor", remedy: .replaceSensorProxy)
        }
        if let unit { return .warn("\(name) is left to iio-sensor-proxy (\(unit))", remedy: .replaceSensorProxy) }
        if choice == false { return .ok("SensorProxy=no: no service provides \(name)") }
        return daemon == nil
            ? .warn("no service provides \(name) while orientd does not run")
            : .warn("no service provides \(name)", remedy: .restart)
    }

    // MARK: - polkit

    /// The actions that the daemon checks with polkit.
    static let actions = [
        Names.Action.claim, Names.Action.lock, Names.Action.rotate, Names.Action.request, Names.Action.tabletMode,
        Names.Action.configure, Names.Action.claimSensor,
    ]

    static func polkit(_ bus: Bus, _ system: SystemState) -> Finding {
        do throws(BusError) {
            let known = try knownActions(bus)
            return polkit(
                missing: actions.filter { !known.contains($0) },
                mayClaim: try Polkit.isAllowed(Names.Action.claim, over: bus)
            )
        } catch {
            guard error.isServiceMissing else {
                return .warn("cannot be queried: \(error)", remedy: .command("systemctl status polkit"))
            }
            let text = "not on the bus: only root and orientd's user may claim"
            if bus.address == .system { return .warn(text, remedy: .providePolkit) }
            // It is on no other bus.
            return geteuid() == 0 || geteuid() == system.account?.user ? .ok(text) : .warn(text)
        }
    }

    /// What helps a user who may not claim the sensor.
    static func claimRemedy(_ bus: Bus?) -> Remedy {
        bus?.owner(of: Polkit.service) == nil ? .providePolkit : .showSession
    }

    static func polkit(missing: [String], mayClaim: Bool) -> Finding {
        guard missing.isEmpty else {
            return .fail("the actions \(missing.joined(separator: ", ")) are not installed", remedy: .install)
        }
        guard mayClaim else {
            return .warn("this user may not claim the sensor: only active local sessions may", remedy: .showSession)
        }
        return .ok("all \(actions.count) actions are installed, and this user may claim the sensor")
    }

    private static func knownActions(_ bus: Bus) throws(BusError) -> Set<String> {
        let reply = try bus.call(Polkit.service, Polkit.path, Polkit.interface, "EnumerateActions") { $0.append("") }
        var names: Set<String> = []
        try reply.readArray("(ssssssuuua{ss})") { () throws(BusError) in
            try reply.readStruct("ssssssuuua{ss}") { () throws(BusError) in
                names.insert(try reply.readString())
                // Texts, three defaults, annotations.
                for _ in 1..<10 { try reply.skip() }
            }
        }
        return names
    }

    // MARK: - Files

    static func state(_ system: SystemState) -> [Finding] {
        // The service manager has created it where the service runs.
        let standard = "/var/lib/orientd"
        let isKnown = system.address == .system && (system.owner == nil || access(standard, F_OK) == 0)
        guard let folder = environment("STATE_DIRECTORY") ?? (isKnown ? standard : nil) else {
            return [.ok("not checked: only the system's service saves it in a known folder")]
        }
        let path = folder + "/state"
        do throws(SystemError) {
            let contents = try FileDescriptor.contents(of: path, limit: 65536)
            return [state(path, contents, try FileAccess(of: path), system.account)]
        } catch {
            switch error.errno.code {
            case ENOENT: return [unsaved(folder, isRunning: system.owner != nil)]
            // As intended: the folder is private.
            case EACCES: return [.ok("in \(folder), readable by orientd and root only")]
            default: return [.warn("\(error)")]
            }
        }
    }

    /// Checks a folder without a state.
    static func unsaved(_ folder: String, isRunning: Bool) -> Finding {
        isRunning && access(folder, F_OK) != 0
            ? .warn("\(folder) does not exist: the lock and the orientation do not outlast this run")
            : .ok("nothing has been saved yet")
    }

    static func state(_ path: String, _ contents: [UInt8], _ access: FileAccess, _ account: Account?) -> Finding {
        if let account, !access.allows(.read, to: account) {
            let remedy = Remedy.change("sudo chown \(account.name): \(path)")
            return .fail("\(account.name) may not read \(path)", remedy: remedy)
        }
        do throws(SavedState.TextError) {
            _ = try SavedState(text: contents)
            return .ok(path)
        } catch {
            // orientd renames it when it starts.
            return .warn("\(path):\(error.line): \(error.problem)", remedy: .restart)
        }
    }

    static func configuration(_ system: SystemState) -> Finding {
        if system.hasOwnConfiguration, let owner = system.owner {
            return .ok("not checked: \(owner) was started with --config")
        }
        return configuration(system.configurationReader.warnings)
    }

    static func configuration(_ warnings: [String]) -> Finding {
        let path = Configuration.standardPath
        guard warnings.isEmpty else {
            return .warn(warnings.joined(separator: "; "), remedy: .change("sudoedit \(path)"))
        }
        return .ok(access(path, F_OK) == 0 ? path : "defaults: \(path) does not exist")
    }
}
