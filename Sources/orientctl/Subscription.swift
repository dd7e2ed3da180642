// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import POSIX
import SystemdBus

/// The state of orientd, and a claim of the sensor if it is wanted, for a command that runs until a signal.
///
/// It claims again when orientd has restarted. It waits neither for replies of orientd nor for a reader of the output,
/// so that a signal ends the command at once.
final class Subscription {
    /// The message while no daemon runs.
    static let stopped = "orientd has stopped; waiting for it to start again"

    let daemon: DaemonConnection
    let loop: EventLoop
    private var termination: TerminationWatch?
    private var output = OutputFile.standardOutput()
    private var failure: CommandError?

    /// `claims`: keeps the sensor running.
    init(_ bus: Bus, claims: Bool = true) throws(CommandError) {
        daemon = DaemonConnection(bus: bus)
        daemon.wantsClaim = claims
        loop = try systemCall(EventLoop())
    }

    /// Follows orientd until ``end(_:)``, a signal, or until nobody reads standard output any more.
    ///
    /// Calls `handler` with the state once a daemon has granted the claim, if there is one, with each change of it, and
    /// with nil when no daemon runs any more.
    func run(_ handler: @escaping (ManagerSnapshot?) -> Void) throws(CommandError) {
        daemon.onState = { [self] _ in daemonChanged(handler) }
        daemon.onClaim = { [self] in daemonChanged(handler) }
        termination = try systemCall(loop.onTermination { [self] in end() })
        let hangUp = try systemCall(loop.onHangUp(of: STDOUT_FILENO) { [self] in end() })
        try systemCall(daemon.begin(on: loop))
        _ = try systemCall(loop.run(keeping: hangUp))
        if let failure { throw failure }
    }

    /// The first state of a daemon includes the effect of the claim, so both replies are awaited.
    private func daemonChanged(_ handler: (ManagerSnapshot?) -> Void) {
        switch (daemon.state, daemon.claim) {
        case (.absent(let error?), _), (.failed(let error), _), (_, .refused(let error)): end(CommandError(error))
        case (.running(let snapshot), let claim) where claim == .granted || !daemon.wantsClaim: handler(snapshot)
        case (.absent(nil), _): handler(nil)
        case (.disconnected, _): end(.disconnected)
        case (.starting, _), (.running, _): break
        }
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
            end(CommandError(ofWriting: error))
        }
    }
}
