// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import POSIX
import SystemdBus

/// The connection to orientd-tablet-switch, which has a virtual tablet switch as long as this lasts.
///
/// No call waits. What fails is tried again, ever more rarely, until a state that the service has confirmed has held for
/// a while. A service that sends anything but its confirmations is let go as well.
final class TabletSwitchLink {
    /// In seconds.
    struct Times {
        /// Until the service has confirmed a state.
        var timeout = 15.0
        /// Until another attempt: the first time, doubled each time, and the last.
        var firstDelay = 1.0, lastDelay = 3600.0
        /// How long a confirmed state must hold.
        var trial = 60.0
    }

    private enum State {
        /// No switch is to exist.
        case closed
        case connected(TabletMode, FileDescriptor, EventSource)
        /// The timer is armed for another attempt.
        case waiting(TabletMode)
    }

    private let path: String
    private let times: Times
    private let loop: EventLoop
    private var state = State.closed
    /// What was sent and not confirmed, the oldest first.
    private var unconfirmed: [UInt8] = []
    /// For the next attempt, the confirmation or the end of the trial.
    private var timer: Timer?
    private(set) var delay: Double
    /// Solved when a confirmed state has held.
    private var problem: ProblemLog

    /// `path` is where systemd listens, and starts the service.
    init(path: String, times: Times = Times(), loop: EventLoop, log: Log) throws(SystemError) {
        self.path = path
        self.times = times
        self.loop = loop
        delay = times.firstDelay
        problem = ProblemLog(log, consequence: "connecting to the virtual tablet switch again")
        timer = try loop.timer(owned(by: self) { $0.timePassed() })
    }

    private func timePassed() {
        switch state {
        case .closed: break
        case .connected where unconfirmed.isEmpty:
            delay = times.firstDelay
            problem.update(nil)
        case .connected(let mode, _, _): fail(mode, "\(path) does not confirm the state of the switch")
        case .waiting(let mode): connect(mode)
        }
    }

    /// Sets the switch to `mode`; unknown removes it.
    func apply(_ mode: TabletMode) {
        switch (state, mode) {
        case (.closed, .unknown): break
        case (_, .unknown):
            state = .closed
            timer?.disarm()
            delay = times.firstDelay
            problem.update(nil)
        case (.closed, _): connect(mode)
        case (.waiting(let before), _):
            guard mode != before else { return }
            delay = times.firstDelay
            connect(mode)
        case (.connected(let before, let socket, let source), _):
            guard mode != before else { return }
            state = .connected(mode, socket, source)
            send(mode, socket)
        }
    }

    private func connect(_ mode: TabletMode) {
        do throws(SystemError) {
            let descriptor = try checkSystem("connect to", path, orientd_connect_without_waiting(path))
            let socket = FileDescriptor(owning: descriptor)
            let source = try loop.watch(descriptor, owned(by: self) { $0.read(socket) })
            state = .connected(mode, socket, source)
            unconfirmed = []
            send(mode, socket)
        } catch {
            fail(mode, "\(error)")
        }
    }

    private static func byte(_ mode: TabletMode) -> UInt8 { UInt8(ascii: mode == .tablet ? "1" : "0") }

    private func send(_ mode: TabletMode, _ socket: FileDescriptor) {
        var byte = Self.byte(mode)
        let count = retryingInterrupted { CLinux.send(socket.rawValue, &byte, 1, Int32(MSG_NOSIGNAL)) }
        guard count == 1 else { return fail(mode, "\(SystemError("write to", path, errno: .current))") }
        if unconfirmed.isEmpty { arm(times.timeout) }
        unconfirmed.append(byte)
    }

    private func arm(_ seconds: Double) { timer?.arm(after: seconds, slack: seconds / 10) }

    /// Takes confirmations, which are the states in the order in which they were sent, or the end of the connection.
    private func read(_ socket: FileDescriptor) {
        guard case .connected(let mode, _, _) = state else { return }
        var bytes = [UInt8](repeating: 0, count: 8)
        let count = retryingInterrupted { CLinux.read(socket.rawValue, &bytes, bytes.count) }
        if count > 0 {
            guard unconfirmed.starts(with: bytes[..<count]) else {
                return fail(mode, "\(path) confirms states of the switch that were not sent")
            }
            unconfirmed.removeFirst(count)
            arm(unconfirmed.isEmpty ? times.trial : times.timeout)
        } else if count == 0 || Errno.current != .again {
            // ECONNRESET, if the service ended before it read the state, says no more.
            fail(mode, "\(path) closed the connection")
        }
    }

    private func fail(_ mode: TabletMode, _ problem: String) {
        state = .waiting(mode)
        self.problem.update(problem)
        arm(delay)
        delay = min(2 * delay, times.lastDelay)
    }
}
