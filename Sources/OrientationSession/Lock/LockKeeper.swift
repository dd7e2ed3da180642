// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// Keeps the rotation switch of the desktop and the lock of orientd the same, as ``LockSync`` decides.
final class LockKeeper {
    private static let logind = "org.freedesktop.login1"

    private let loop: EventLoop
    private let log: Log
    private let system: Bus
    private let daemon: DaemonConnection
    private let onEnd: () -> Void
    private let session: Bus
    private var desktop: GSettingsSwitch?
    /// The path of this process's session; nil until systemd-logind has told it.
    private var path: String?
    private var slots: [BusSlot] = []
    private var timer: Timer?
    private var sync: LockSync
    private var serviceProblem, readProblem, writeProblem, restlessness: ProblemLog

    /// Connects to the bus of the session; `onEnd` is called when the session has ended, or takes no part.
    init(
        _ lock: DesktopLock,
        on system: Bus,
        _ daemon: DaemonConnection,
        loop: EventLoop,
        log: Log,
        onEnd: @escaping () -> Void
    ) throws(SystemError) {
        self.system = system
        self.daemon = daemon
        self.loop = loop
        self.log = log
        self.onEnd = onEnd
        sync = LockSync(followsTurns: !lock.standard)
        serviceProblem = ProblemLog(log, consequence: "it may differ from the desktop's rotation switch")
        let consequence = "the lock of orientd may differ from it"
        readProblem = ProblemLog(log, consequence: consequence)
        writeProblem = ProblemLog(log, consequence: consequence)
        let rest = "\(Int(LockSync.window)) s without a change"
        restlessness = ProblemLog(log, consequence: "they are made equal after \(rest)")
        session = try Bus(.session)
        timer = try loop.timer { [self] in process(.waited) }
        try session.attach(to: loop)
        session.onInvalidSignal = log.warning
        let rule = "member='PropertiesChanged',arg0='\(Self.logind).Session'"
        slots = [
            try session.onDisconnect(onEnd),
            // An agent outlives a session that ends, unless the service manager stops it.
            try session.onOwnerChange(of: "org.gnome.SessionManager") { if $0 == nil { onEnd() } },
            try system.subscribe(rule, from: .owner(of: Self.logind)) {
                [self] signal throws(BusError) in try sessionsChanged(signal)
            },
            try system.onOwnerChange(of: Self.logind) { [self] in
                process(.session(isActive: false))
                if $0 != nil { readLogin() }
            },
        ]
        desktop = try GSettingsSwitch(lock, loop: loop) { [self] in reported($0, $1) }
    }

    /// Begins; the daemon's connection must be attached to the loop.
    func begin() {
        desktop?.begin()
        readLogin()
    }

    func end() { desktop?.end() }

    func serviceChanged(from before: ManagerStatus?) {
        guard let status = daemon.state.snapshot?.status else { return process(.reads(.service, .unknown)) }
        let reading = LockSync.Reading.locked(status.rotationLock != .off)
        let hasTurned = before.map { $0.interfaceOrientation != status.interfaceOrientation } ?? false
        process(hasTurned ? .turned(reading) : .reads(.service, reading))
    }

    private func reported(_ event: LockSync.Event?, _ problem: String?) {
        let desktop = "the desktop's rotation switch"
        switch event {
        case .written?, .refused?: writeProblem.update(problem.map { "cannot set \(desktop): \($0)" })
        default: readProblem.update(problem.map { "cannot read \(desktop): \($0)" })
        }
        if let event { process(event) }
    }

    private func process(_ event: LockSync.Event) {
        switch sync.handle(event, at: loop.now) {
        case .write(.desktop, let isLocked): desktop?.write(isLocked)
        case .write(.service, let isLocked):
            daemon.call("SetRotationLock") {
                $0.append(isLocked ? "current" : "off")
            } completion: { [self] result in
                // The end of orientd is logged by itself.
                let problem = result.error.map { "cannot set the rotation lock: \($0)" }
                if daemon.state.snapshot != nil { serviceProblem.update(problem) }
                process(problem == nil ? .written : .refused)
            }
        case .reset: desktop?.write(nil)
        case .letTurn: timer?.arm(after: LockSync.turnTime)
        case .wait:
            let text = "the lock and the desktop's rotation switch are set back by others, or change too often"
            restlessness.update(text)
            timer?.arm(after: LockSync.window)
        case nil: break
        }
    }

    private static func properties(_ message: BusMessage) throws(BusError) -> [String: PropertyValue] {
        var properties: [String: PropertyValue] = [:]
        try message.readNamedVariants { name throws(BusError) in properties[name] = try message.readAnyVariant() }
        return properties
    }

    /// Writes nothing until it is known which session is in use: its agent may have written the lock already.
    private func sessionsChanged(_ signal: BusMessage) throws(BusError) {
        // A reply is on its way while the path is unknown.
        guard signal.path == path else { return }
        try signal.skip()
        guard try Self.properties(signal)["Active"] != nil else { return }
        process(.session(isActive: false))
        readLogin()
    }

    /// Asks systemd-logind or elogind for the session of this process; without either, it is the only one.
    private func readLogin() {
        let auto = "/org/freedesktop/login1/session/auto"
        system.callLater(Self.logind, auto, "org.freedesktop.DBus.Properties", "GetAll") {
            $0.append("\(Self.logind).Session")
        } completion: { [self] result in
            do throws(BusError) {
                let login = try Self.properties(result.get())
                guard login["Class"]?.text.begins(with: "user") ?? false, login["Remote"] != .flag(true),
                    login["Seat"]?.text == "seat0"
                else { return leave("this is not a user session on seat0") }
                path = login["Id"].flatMap { BusMessage.path("/org/freedesktop/login1/session", $0.text) }
                process(.session(isActive: login["Active"] == .flag(true)))
            } catch {
                if error.isServiceMissing { return process(.session(isActive: true)) }
                guard error.isNoReply else { return leave("the session is unknown: \(error)") }
                // It is asked again when it has restarted, or announces a change.
                log.warning("systemd-logind: \(error); until it answers, the desktop's rotation switch is not followed")
            }
        }
    }

    private func leave(_ reason: String) {
        log.info("\(reason): orient-agent ends")
        onEnd()
    }
}
