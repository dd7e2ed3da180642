// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import POSIX
import SystemdBus

/// A claim of the sensor and the state of orientd, for a command that runs until a signal.
///
/// It claims again when orientd has restarted. It waits neither for replies of orientd nor for a reader of the output, so
/// that a signal ends the command at once.
final class Subscription {
    /// The message while no daemon runs.
    static let stopped = "orientd has stopped; waiting for it to start again"

    /// What is known of the daemon.
    private enum Daemon {
        case absent
        /// It has not yet answered the claim and the first read of its properties.
        case starting(isClaimed: Bool, isRead: Bool)
        case running
    }

    let follower: OrientationFollower
    let loop: EventLoop
    private let bus: Bus
    private var daemon = Daemon.starting(isClaimed: false, isRead: false)
    private var watches: [AnyObject?] = []
    private var termination: TerminationWatch?
    private var output = OutputFile.standardOutput()
    private var failure: CommandError?

    /// Is called with the state once a daemon has granted the claim, with each change of it, and with nil when no daemon
    /// runs any more.
    var onState: (ManagerSnapshot?) -> Void = { _ in }

    init(_ bus: Bus) throws(CommandError) {
        self.bus = bus
        follower = OrientationFollower(bus: bus)
        loop = try systemCall(EventLoop())
        follower.isClaiming = true
        follower.onChange = { [self] _, state in stateChanged(to: state) }
        follower.onStart = { [self] in daemon = .starting(isClaimed: false, isRead: false) }
        follower.onClaim = { [self] in answered($0, isClaim: true) }
        follower.onRead = { [self] in answered($0, isClaim: false) }
        follower.onAbsence = { [self] in end(CommandError($0)) }
    }

    /// Follows orientd until ``end(_:)``, a signal, or until nobody reads standard output any more.
    func run() throws(CommandError) -> ExitCode {
        try systemCall(follow())
        if let failure { throw failure }
        return .done
    }

    private func follow() throws(SystemError) {
        try bus.attach(to: loop)
        termination = try loop.onTermination { [self] in end() }
        watches = [
            try bus.onDisconnect { [self] in end(CommandError("the bus closed the connection", .noDaemon)) },
            try loop.onHangUp(of: STDOUT_FILENO) { [self] in end() },
        ]
        try follower.begin()
        _ = try loop.run()
    }

    /// Ends ``run()`` after the present event, with an error if there is one; the first error counts.
    func end(_ error: CommandError? = nil) {
        if failure == nil { failure = error }
        loop.exit()
    }

    /// Writes a text to standard output without delay.
    func write(_ text: String) {
        var rest = text.utf8[...]
        do throws(SystemError) {
            while !rest.isEmpty {
                guard termination?.waitUntilWritable(STDOUT_FILENO) ?? true else { return end() }
                // A pipe that can be written takes so many bytes at once.
                try output.write(rest.prefix(Int(PIPE_BUF)))
                try output.flush()
                rest = rest.dropFirst(Int(PIPE_BUF))
            }
        } catch {
            // As with any other program, a closed pipe is no failure.
            end(error.errno == .brokenPipe ? nil : CommandError(error))
        }
    }

    // MARK: - The daemon

    private func stateChanged(to state: ManagerSnapshot?) {
        switch daemon {
        case .absent: break
        case .starting: if state == nil { daemon = .absent }
        case .running:
            if state == nil { daemon = .absent }
            onState(state)
        }
    }

    /// Publishes the first state after both replies, so that it includes the effect of the claim.
    private func answered(_ error: BusError?, isClaim: Bool) {
        // What a running daemon does not answer stays as it is.
        guard case .starting(var isClaimed, var isRead) = daemon else { return }
        if let error {
            // A daemon that ended before it answered may come back.
            guard let owner = bus.owner(of: Names.service), owner.uniqueName == follower.daemon else { return }
            return end(CommandError(error))
        }
        if isClaim { isClaimed = true } else { isRead = true }
        daemon = isClaimed && isRead ? .running : .starting(isClaimed: isClaimed, isRead: isRead)
        if isClaimed, isRead { onState(follower.snapshot) }
    }
}
