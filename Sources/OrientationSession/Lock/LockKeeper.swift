// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// Keeps the rotation switch of the desktop and the lock of orientd the same, as ``LockSync`` decides.
final class LockKeeper {
    private let loop: EventLoop
    private let log: Log
    private let daemon: DaemonConnection
    private let login: LoginSession
    private let onEnd: (_ status: Int32) -> Void
    private var bus: Bus?
    private var desktop: (any DesktopSwitch)?
    private var slots: [BusSlot] = []
    private var timer: Timer?
    private var sync = LockSync()
    private var problems: [LockSync.Side: ProblemLog]
    private var readingProblem, restlessness: ProblemLog

    /// `login` must be that of a person; `onEnd` is called with the exit status when the desktop's session has ended, or cannot be followed.
    init(
        _ lock: DesktopLock,
        in login: LoginSession,
        daemon: DaemonConnection,
        loop: EventLoop,
        log: Log,
        onEnd: @escaping (_ status: Int32) -> Void
    ) throws(SystemError) {
        (self.login, self.daemon, self.loop, self.log, self.onEnd) = (login, daemon, loop, log, onEnd)
        problems = [
            .service: ProblemLog(log, consequence: "the desktop's switch does not set orientd's lock"),
            .desktop: ProblemLog(log, consequence: "orientd's lock does not set the desktop's switch"),
        ]
        readingProblem = ProblemLog(log, consequence: "the desktop's rotation switch is ignored until it is valid")
        let rest = "\(Int(LockSync.window)) s without a change"
        restlessness = ProblemLog(log, consequence: "they are not synchronised before \(rest)")
        timer = try loop.timer { [unowned(unsafe) self] in process(.waited) }
        let bus = try Bus(.session)
        try bus.attach(to: loop)
        self.bus = bus
        slots = [
            try bus.onDisconnect { [unowned(unsafe) self] in self.onEnd(0) },
            // An agent outlives a session that ends, unless the service manager stops it.
            try bus.onOwnerChange(of: "org.gnome.SessionManager") { [unowned(unsafe) self] in
                if $0 == nil { self.onEnd(0) }
            },
        ]
        let report: (SwitchEvent) -> Void = { [unowned(unsafe) self] in handle($0) }
        desktop =
            lock.isInUserDatabase
            ? try DconfSwitch(lock.path, on: bus, onEvent: report)
            : try GSettingsSwitch(lock, loop: loop, onEvent: report)
    }

    /// Reads the switch, and begins.
    func begin() {
        desktop?.begin()
        process(.session(isActive: login.isActive))
    }

    /// The session came into use, or was left.
    func sessionChanged() { process(.session(isActive: login.isActive)) }

    /// The state of orientd has changed.
    func serviceChanged() {
        process(.reads(.service, daemon.state.snapshot.map { .locked($0.status.rotationLock != .off) } ?? .unknown))
    }

    private func handle(_ event: SwitchEvent) {
        switch event {
        case .reads(let reading):
            readingProblem.update(nil)
            process(.reads(.desktop, reading))
        case .unreadable(let problem): readingProblem.update(problem)
        case .written:
            problems[.desktop]?.update(nil)
            process(.written)
        case .refused(let problem):
            problems[.desktop]?.update("cannot set the desktop's rotation switch: \(problem)")
            process(.refused)
        case .ended(let problem):
            log.warning("\(problem); the rotation lock is not synchronised")
            onEnd(1)
        }
    }

    private func process(_ event: LockSync.Event) {
        switch sync.handle(event, at: loop.now) {
        case .write(.desktop, let isLocked):
            log.debug("setting the desktop's rotation switch: \(isLocked ? "locked" : "unlocked")")
            desktop?.write(isLocked)
        case .write(.service, let isLocked):
            log.debug("setting the rotation lock: \(isLocked ? "current" : "off")")
            daemon.call("SetRotationLock") {
                $0.append(isLocked ? "current" : "off")
            } completion: { [self] result in
                // The end of orientd is logged by itself.
                if daemon.state.snapshot != nil {
                    problems[.service]?.update(result.error.map { "cannot set the rotation lock: \($0)" })
                }
                process(result.error == nil ? .written : .refused)
            }
        case .wait:
            let period = "\(LockSync.most) times in \(Int(LockSync.window)) s"
            restlessness.update("the desktop's switch and orientd's lock were set back \(period)")
            timer?.arm(after: LockSync.window)
        case nil: break
        }
    }
}
