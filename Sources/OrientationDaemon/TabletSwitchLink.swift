// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import POSIX
import SystemdBus

/// The connection to orientd-tablet-switch, which has a virtual tablet switch as long as this lasts.
///
/// No call waits. What fails is tried again, ever more rarely, until the service confirms a state.
final class TabletSwitchLink {
    /// Seconds until another attempt: from the first, doubled each time, to the last.
    private static let backoff = (first: 1.0, last: 3600.0)

    private enum State {
        /// No switch is to exist.
        case closed
        case connected(TabletMode, FileDescriptor, EventSource)
        /// The timer is armed for another attempt.
        case waiting(TabletMode)
    }

    private let path: String
    private let timeout: Double
    private let loop: EventLoop
    private var state = State.closed
    /// For the next attempt or the confirmation.
    private var timer: Timer?
    private var delay = TabletSwitchLink.backoff.first
    /// Solved when a state is confirmed.
    private var problem: ProblemLog

    /// `path` is where systemd listens, and starts the service, which must confirm a state within `timeout` seconds.
    init(path: String, timeout: Double = 15, loop: EventLoop, log: Log) throws(SystemError) {
        (self.path, self.timeout, self.loop) = (path, timeout, loop)
        problem = ProblemLog(log, consequence: "connecting to the virtual tablet switch again")
        timer = try loop.timer { [unowned(unsafe) self] in
            switch state {
            case .closed: break
            case .connected(let mode, _, _): fail(mode, "\(path) does not confirm the state of the switch")
            case .waiting(let mode): connect(mode)
            }
        }
    }

    /// Has the switch say `mode`; unknown removes it.
    func apply(_ mode: TabletMode) {
        switch (state, mode) {
        case (_, .unknown):
            state = .closed
            timer?.disarm()
            delay = Self.backoff.first
            problem.update(nil)
        case (.closed, _): connect(mode)
        case (.waiting(let before), _):
            guard mode != before else { return }
            delay = Self.backoff.first
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
            let source = try loop.watch(descriptor) { [unowned(unsafe) self] in read(socket) }
            state = .connected(mode, socket, source)
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
        timer?.arm(after: timeout, slack: timeout / 10)
    }

    /// Takes the confirmation of a state, or the end of the connection.
    private func read(_ socket: FileDescriptor) {
        guard case .connected(let mode, _, _) = state else { return }
        var bytes: UInt64 = 0
        let count = retryingInterrupted { CLinux.read(socket.rawValue, &bytes, 8) }
        if count > 0 {
            // The last one; others confirm earlier states.
            let confirmed = UInt8(truncatingIfNeeded: bytes.littleEndian >> (8 * (count - 1)))
            guard confirmed == Self.byte(mode) else { return }
            timer?.disarm()
            delay = Self.backoff.first
            problem.update(nil)
        } else if count == 0 || Errno.current != .again {
            // ECONNRESET, if the service ended before it read the state, says no more.
            fail(mode, "\(path) closed the connection")
        }
    }

    private func fail(_ mode: TabletMode, _ problem: String) {
        state = .waiting(mode)
        self.problem.update(problem)
        timer?.arm(after: delay, slack: delay / 10)
        delay = min(2 * delay, Self.backoff.last)
    }
}
