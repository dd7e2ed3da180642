// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import POSIX
import SystemdBus

/// The status on a terminal, kept up to date: `orientctl status --watch` and `orientctl monitor --live`.
final class LiveStatus {
    /// Seconds between two looks at the gravity, which changes without a signal.
    private static let period = 0.2

    private let bus: Bus
    private let client: OrientationClient
    private let loop: EventLoop
    private var timer: Timer?
    private var failure: CommandError?

    /// Whether the daemon has ended and not come back; reading its properties would start it.
    private var isWaiting = false
    private var shown: [String] = []
    private var output = OutputFile.standardOutput()

    /// `option` is the one that asked for this, for errors.
    init(_ invocation: Invocation, option: String) throws(CommandError) {
        guard Terminal.isOutput, environment("TERM") ?? "dumb" != "dumb" else {
            throw CommandError("\(option) needs a terminal; use 'orientctl monitor' for a pipe or a file", .usage)
        }
        guard !invocation.isJSON else { throw CommandError("\(option) cannot be combined with --json", .usage) }
        bus = try Bus(connectingTo: invocation.bus)
        client = OrientationClient(bus: bus)
        loop = try systemCall(EventLoop())
    }

    /// Shows the status until a signal ends the process.
    func run() throws(CommandError) -> ExitCode {
        // Before the screen is taken, so that an error stays visible.
        try busCall(client.claim())
        for number in [SIGTERM, SIGINT, SIGHUP] where orientd_is_ignored(number) == 0 {
            // Also during a call that waits for its answer; the bus releases the claim.
            signal(number) { _ in
                LiveStatus.leaveScreen()
                _exit(0)
            }
        }
        try systemCall(follow())
        if let failure { throw failure }
        return .done
    }

    /// Draws until the loop ends.
    private func follow() throws(SystemError) {
        try bus.attach(to: loop)
        timer = try loop.timer { [self] in refresh() }
        let subscriptions = (
            try client.onManagerChange { [self] _ in refresh() },
            try client.onSensorChange { [self] _ in refresh() },
            try client.onPresenceChange { [self] in presenceChanged($0) },
            try bus.onDisconnect { [self] in end(CommandError("the bus closed the connection", .noDaemon)) }
        )
        // The alternate screen, without a cursor and without wrapping of long lines.
        defer { Self.leaveScreen() }
        write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
        refresh()
        _ = try loop.run()
        withExtendedLifetime(subscriptions) {}
    }

    /// Gives the terminal back; safe in a signal handler.
    private static func leaveScreen() {
        let end: StaticString = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
        _ = CLinux.write(STDOUT_FILENO, end.utf8Start, end.utf8CodeUnitCount)
    }

    private func end(_ error: CommandError) {
        failure = error
        loop.exit()
    }

    private func presenceChanged(_ owner: String?) {
        isWaiting = owner == nil
        if let owner, owner != client.claimedDaemon {
            do throws(BusError) {
                try client.claim()
            } catch {
                // A daemon that ended before it answered may come back.
                if bus.owner(of: Names.service)?.uniqueName == owner { return end(CommandError(error)) }
            }
        }
        refresh()
    }

    // MARK: - Drawing

    private func refresh() {
        timer?.arm(after: Self.period)
        guard !isWaiting else { return draw(["orientd has stopped; waiting for it to start again"]) }
        do throws(BusError) {
            let snapshot = try client.snapshot()
            draw(try Status.text(of: snapshot, client.requests(), client.sensors()))
        } catch {
            // It may be ending.
            isWaiting = bus.owner(of: Names.service) == nil
            if !isWaiting { end(CommandError(error)) }
        }
    }

    /// Draws what differs from what is shown.
    private func draw(_ lines: [String]) {
        let lines = lines + ["", Terminal.styled("Ctrl-C ends this.", .faint)]
        guard lines != shown else { return }
        var text = ""
        for (row, line) in lines.enumerated() where row >= shown.count || line != shown[row] {
            text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
        }
        if lines.count < shown.count { text += "\u{1B}[\(lines.count + 1);1H\u{1B}[J" }
        shown = lines
        write(text)
    }

    private func write(_ text: String) {
        do throws(SystemError) {
            try output.write(text)
            try output.flush()
        } catch {
            end(CommandError("cannot write to the terminal"))
        }
    }
}
