// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// Offers to rotate the display once while the rotation lock prevents it, as a notification of the desktop.
final class RotationSuggestion {
    /// Seconds for which the device must be held in another orientation, and for which the notification is shown.
    private static let times = (wait: 1.0, show: 5.0)

    private static let service = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    private let bus: Bus
    private let log: Log
    private let daemon: DaemonConnection
    private var timer: Timer?
    private var signals: BusSlot?

    /// The orientation that could be offered now; nil while there is none.
    private var orientation: InterfaceOrientation?
    private var state = State.idle
    /// The notification that is shown, or that was shown last and is replaced.
    private var notification: UInt32 = 0
    private var problem: ProblemLog

    private enum State {
        case idle
        /// The device is held in another orientation, but not for long enough yet.
        case waiting
        case shown
        /// It was shown, and neither the device nor the lock has changed since.
        case over
    }

    /// Connects to the session's bus.
    init(_ daemon: DaemonConnection, loop: EventLoop, log: Log) throws(SystemError) {
        bus = try Bus(.session)
        try bus.attach(to: loop)
        self.log = log
        problem = ProblemLog(log, consequence: "no rotation is suggested")
        self.daemon = daemon
        timer = try loop.timer { [self] in timePassed() }
        bus.onInvalidSignal = log.warning
        signals = try bus.subscribe("path='\(Self.path)',interface='\(Self.service)'", from: .owner(of: Self.service)) {
            [self] signal throws(BusError) in try received(signal)
        }
    }

    /// The orientation that only the lock prevents: the device is held in it, and the masks allow it.
    static func orientation(for status: ManagerStatus) -> InterfaceOrientation? {
        guard status.interfaceRule == .lock,
            let held = InterfaceOrientation(following: status.deviceOrientation),
            held != status.interfaceOrientation, status.supportedOrientations.contains(held),
            status.faceOrientation == .none
        else { return nil }
        return held
    }

    /// Follows the state of orientd; nil while it does not run.
    func update(_ status: ManagerStatus?) {
        let orientation = status.flatMap { Self.orientation(for: $0) }
        guard orientation != self.orientation else { return }
        self.orientation = orientation
        if state == .shown, orientation == nil { close() }
        enter(orientation == nil ? .idle : .waiting)
    }

    private func enter(_ state: State) {
        self.state = state
        switch state {
        case .waiting: timer?.arm(after: Self.times.wait)
        case .shown: timer?.arm(after: Self.times.show)
        case .idle, .over: timer?.disarm()
        }
    }

    private func timePassed() {
        switch state {
        case .waiting: show()
        case .shown: closeForGood()
        case .idle, .over: break
        }
    }

    // MARK: - The notification

    private func show() {
        guard let orientation else { return }
        enter(.shown)
        bus.callLater(Self.service, Self.path, Self.service, "Notify") { call in
            call.append("orient-agent")
            call.append(notification)
            call.append("object-rotate-right")
            call.append("Rotate the display?")
            call.append("The rotation lock is set. Select this to show \(orientation) once.")
            call.appendArray("s") {
                call.append("default")
                call.append("Rotate")
            }
            call.appendArray("{sv}") { call.appendNamedVariant("transient", .flag(true)) }
            call.append(Int32(Self.times.show * 1000))
        } completion: { [self] reply in
            shown(reply)
        }
    }

    private func shown(_ reply: Result<BusMessage, BusError>) {
        do throws(BusError) {
            notification = try reply.get().readUInt32()
            problem.update(nil)
            // The device may have been turned back before the answer.
            if state != .shown { close() }
        } catch {
            if state == .shown { enter(.over) }
            problem.update("cannot suggest a rotation: \(error)")
        }
    }

    private func closeForGood() {
        close()
        enter(.over)
    }

    private func close() {
        guard notification != 0 else { return }
        bus.callLater(Self.service, Self.path, Self.service, "CloseNotification") {
            $0.append(notification)
        } completion: { _ in
            // It may be closed already.
        }
    }

    private func received(_ signal: BusMessage) throws(BusError) {
        let isAction = signal.member == "ActionInvoked"
        guard isAction || signal.member == "NotificationClosed" else { return }
        guard try signal.readUInt32() == notification, notification != 0, state == .shown else { return }
        guard isAction else { return enter(.over) }
        guard try signal.readString() == "default" else { return }
        closeForGood()
        daemon.call("AlignToDevice") { [log] result in
            if let error = result.error { log.warning("cannot rotate the display: \(error)") }
        }
    }
}
