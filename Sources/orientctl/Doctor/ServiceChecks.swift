// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import OrientationConfiguration
import OrientationCore
import POSIX
import SystemdBus

/// The checks of the bus, the service, iio-sensor-proxy, polkit, the saved state and the configuration.
struct ServiceChecks {
    let system: SystemState

    var findings: [Finding] {
        let configuration = Self.configuration(system.configurationWarnings)
        guard let bus = system.bus else {
            let remedy = system.address == .system ? "sudo systemctl start dbus.socket" : ""
            let unchecked = ["service", "rotation", "sensor proxy", "polkit"]
            return [.fail("bus", system.busProblem, remedy: remedy)]
                + unchecked.map { .warn($0, "cannot be checked without a bus") } + [state, configuration]
        }
        let rotation = system.snapshot.map { Self.rotation($0.status) }
        return [
            .ok("bus", "\(system.address)"), service(bus),
            rotation ?? .warn("rotation", "cannot be checked without orientd"),
        ] + rotators(bus) + [sensorProxy(bus), polkit(bus), state, configuration]
    }

    // MARK: - The display

    private func rotators(_ bus: Bus) -> [Finding] {
        let clients = system.snapshot?.status.sensorProxyClients ?? []
        return Self.rotators(clients.compactMap { bus.owner(of: $0) }, AgentLock.holders)
    }

    /// Names the programs that turn the display: desktops, by their claims, and the agents of this user.
    static func rotators(_ clients: [NameOwner], _ agents: [AgentLock.Holder]) -> [Finding] {
        clients.map { .ok("rotator", "\($0) turns the display, as \(SensorProxyObject.service) says") }
            + agents.map { .ok("rotator", "process \($0.process) (orient-agent) \($0.activity)") }
    }

    // MARK: - The service

    private func service(_ bus: Bus) -> Finding {
        if let snapshot = system.snapshot, let owner = system.owner {
            return Self.service(version: snapshot.version, owner, account: system.account?.name ?? "")
        }
        let problem = system.daemonSilence ?? "orientd does not answer"
        if let owner = system.owner {
            let text = "\(owner) owns \(Names.service) but does not answer: \(problem)"
            return .fail("service", text, remedy: Remedy.restart)
        }
        return Self.service(unitState(bus), bus: system.address, problem: problem)
    }

    /// Checks a daemon that answers.
    static func service(version: String, _ owner: NameOwner, account: String) -> Finding {
        if version == "\(Version.current)" { return .ok("service", "orientd \(version), \(owner), as \(account)") }
        let text = "orientd is version \(version), but orientctl is version \(Version.current)"
        return .warn("service", text, remedy: Remedy.restart)
    }

    /// A unit's state in the service manager.
    struct UnitState: Hashable { let load, active, result: String }

    /// Explains a missing daemon; `unit` is nil without a service manager on the bus.
    static func service(_ unit: UnitState?, bus: BusAddress, problem: String) -> Finding {
        guard let unit else {
            let name =
                if case .address(let address) = bus { "'\(address)'" } else { bus == .system ? "system" : "session" }
            return .fail("service", problem, remedy: "orientd --bus=\(name)")
        }
        let (state, remedy) =
            switch (unit.load, unit.active) {
            case ("not-found", _): ("is not installed", Remedy.install)
            case ("masked", _): ("is masked", "sudo systemctl unmask orientd")
            case (_, "failed"): ("has failed (\(unit.result))", Remedy.restart)
            case (_, "activating"): ("is starting, or restarting repeatedly", Remedy.log)
            case (_, "active"): ("is active, but not on this bus", Remedy.restart)
            default: ("is \(unit.active)", "sudo systemctl start orientd")
            }
        return .fail("service", "orientd.service \(state)", remedy: remedy)
    }

    private static let systemd = "org.freedesktop.systemd1"

    /// The service manager's version; nil if it does not answer.
    static func managerVersion(_ bus: Bus) -> String? {
        try? bus.property("Version", of: systemd + ".Manager", at: "/org/freedesktop/systemd1", on: systemd)
    }

    private func unitState(_ bus: Bus) -> UnitState? {
        let systemd = Self.systemd
        do throws(BusError) {
            let reply = try bus.call(systemd, "/org/freedesktop/systemd1", systemd + ".Manager", "LoadUnit") { call in
                call.append("orientd.service")
            }
            let path = try reply.readObjectPath()
            return UnitState(
                load: try bus.property("LoadState", of: systemd + ".Unit", at: path, on: systemd),
                active: try bus.property("ActiveState", of: systemd + ".Unit", at: path, on: systemd),
                result: try bus.property("Result", of: systemd + ".Service", at: path, on: systemd)
            )
        } catch {
            return nil
        }
    }

    /// Whether a setting keeps the interface from following the device.
    static func rotation(_ status: ManagerStatus) -> Finding {
        let shown = "the interface is shown in \(status.interfaceOrientation.name)"
        if status.autorotate == .never {
            return .warn("rotation", "\(shown) and never follows the device", remedy: "orientctl autorotate always")
        }
        if status.autorotate == .tabletMode, status.tabletMode == .laptop {
            return .ok("rotation", "\(shown) while the device is used as a laptop")
        }
        if status.rotationLock != .off { return .warn("rotation", "\(shown), locked", remedy: "orientctl unlock") }
        if status.interfaceRule == .paused { return .ok("rotation", "\(shown) while the lid is closed") }
        return .ok("rotation", "\(shown) and follows the device")
    }

    // MARK: - iio-sensor-proxy

    private func sensorProxy(_ bus: Bus) -> Finding {
        Self.sensorProxy(
            bus.owner(of: SensorProxyObject.service),
            daemon: system.owner,
            unit: UnitFile.path(of: "iio-sensor-proxy.service"),
            choice: system.configuration.servesSensorProxy
        )
    }

    static func sensorProxy(_ owner: NameOwner?, daemon: NameOwner?, unit: String?, choice: Bool?) -> Finding {
        let name = SensorProxyObject.service
        let replace = "sudo systemctl mask --now iio-sensor-proxy; sudo systemctl restart orientd"
        if let owner {
            if owner.uniqueName == daemon?.uniqueName { return .ok("sensor proxy", "orientd provides \(name)") }
            return .warn("sensor proxy", "\(owner) owns \(name) and competes for the sensor", remedy: replace)
        }
        if let unit { return .warn("sensor proxy", "\(name) is left to iio-sensor-proxy (\(unit))", remedy: replace) }
        if choice == false { return .ok("sensor proxy", "SensorProxy=no: no service provides \(name)") }
        return daemon == nil
            ? .warn("sensor proxy", "no service provides \(name) while orientd does not run")
            : .warn("sensor proxy", "no service provides \(name)", remedy: Remedy.restart)
    }

    // MARK: - polkit

    /// The actions that the daemon checks with polkit.
    static let actions = [
        Names.Action.claim, Names.Action.lock, Names.Action.rotate, Names.Action.request, Names.Action.configure,
        Names.Action.claimSensor,
    ]

    private func polkit(_ bus: Bus) -> Finding {
        do throws(BusError) {
            let known = try knownActions(bus)
            return Self.polkit(
                missing: Self.actions.filter { !known.contains($0) },
                mayClaim: try Polkit.isAllowed(Names.Action.claim, over: bus)
            )
        } catch {
            guard error.isServiceMissing else { return .warn("polkit", "cannot be queried: \(error)") }
            let text = "not on the bus: only root and orientd's user may claim"
            return .warn("polkit", text, remedy: Remedy.installPolkit)
        }
    }

    static func polkit(missing: [String], mayClaim: Bool) -> Finding {
        guard missing.isEmpty else {
            let text = "the actions \(missing.joined(separator: ", ")) are not installed"
            return .fail("polkit", text, remedy: Remedy.install)
        }
        guard mayClaim else {
            let text = "this user may not claim the sensor: only active local sessions may"
            return .warn("polkit", text, remedy: Remedy.session)
        }
        return .ok("polkit", "all \(actions.count) actions are installed, and this user may claim the sensor")
    }

    private func knownActions(_ bus: Bus) throws(BusError) -> Set<String> {
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

    private var state: Finding {
        let folder = environment("STATE_DIRECTORY") ?? "/var/lib/orientd"
        let path = folder + "/state"
        do throws(SystemError) {
            let contents = try FileDescriptor.contents(of: path, limit: 65536)
            return Self.state(path, contents, try FileAccess(of: path), system.account)
        } catch {
            switch error.errno.code {
            case ENOENT: return .ok("state", "nothing has been saved yet")
            // As intended: the folder is private.
            case EACCES: return .ok("state", "in \(folder), readable by orientd and root only")
            default: return .warn("state", "\(error)")
            }
        }
    }

    static func state(_ path: String, _ contents: [UInt8], _ access: FileAccess, _ account: Account?) -> Finding {
        if let account, !access.allows(.read, to: account) {
            return .fail("state", "\(account.name) may not read \(path)", remedy: "sudo chown \(account.name): \(path)")
        }
        do throws(SavedState.TextError) {
            _ = try SavedState(text: contents)
            return .ok("state", path)
        } catch {
            let remedy = "sudo systemctl stop orientd; sudo rm \(path)"
            return .warn("state", "\(path):\(error.line): \(error.problem)", remedy: remedy)
        }
    }

    static func configuration(_ warnings: [String]) -> Finding {
        let path = Configuration.standardPath
        guard warnings.isEmpty else {
            return .warn("configuration", warnings.joined(separator: "; "), remedy: "sudoedit \(path)")
        }
        return .ok("configuration", access(path, F_OK) == 0 ? path : "defaults: \(path) does not exist")
    }
}
