// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import POSIX
import SystemdBus

/// The status on a terminal, kept up to date: `orientctl status --watch`.
final class LiveStatus {
    /// Seconds between two reads of what changes without a signal: the gravity and the requests.
    private static let period = 0.2

    private let bus: Bus
    private let subscription: Subscription
    private let screen: Screen
    private var timer: Timer?

    /// Nil while orientd does not run.
    private var state: ManagerSnapshot?
    private var requests: [ListedRequest] = []
    private var sensors: [ListedSensor] = []
    private var areSensorsOld = true
    /// Whether the requests are being read; the timer is armed after that.
    private var isRefreshing = false

    init(_ invocation: Invocation) throws(CommandError) {
        guard Terminal.isOutput else {
            throw CommandError("--watch needs a terminal; use 'orientctl monitor' for a pipe or a file", .usage)
        }
        let kind = environment("TERM") ?? ""
        guard kind != "", kind != "dumb" else {
            throw CommandError("--watch cannot draw on a terminal with TERM=\(kind); use 'orientctl monitor'", .usage)
        }
        guard !invocation.isJSON else { throw CommandError("--watch cannot be combined with --json", .usage) }
        bus = try Bus(connectingTo: invocation.bus)
        subscription = try Subscription(bus)
        screen = try systemCall(Screen(loop: subscription.loop, write: subscription.write))
    }

    /// Shows the status until a signal.
    func run() throws(CommandError) -> ExitCode {
        timer = try systemCall(subscription.loop.timer { [self] in refresh() })
        let sensorChanges = try systemCall(
            bus.onChange(of: Names.sensor) { [self] _ in areSensorsOld = true }
        )
        // Leaves the screen before an error is printed, which the alternate screen would hide.
        defer { screen.leave() }
        let code = try subscription.run { [self] new in
            if state == nil { areSensorsOld = true }
            let isStatusNew = new?.status != state?.status
            state = new
            // The requests that explain a status are read before it is drawn.
            if isStatusNew, new != nil { refresh() } else { draw() }
        }
        withExtendedLifetime(sensorChanges) {}
        return code
    }

    /// Reads what is not announced, and draws.
    private func refresh() {
        guard state != nil, !isRefreshing else { return }
        isRefreshing = true
        subscription.daemon.read()
        subscription.daemon.call("ListRequests") { [self] result in
            // What cannot be read now stays as it is until the next time.
            if let requests = try? result.get().readRequests() { self.requests = requests }
            isRefreshing = false
            timer?.arm(after: Self.period)
            draw()
        }
        guard areSensorsOld else { return }
        areSensorsOld = false
        subscription.daemon.call("GetManagedObjects", of: Names.objectManager) { [self] result in
            if let sensors = try? result.get().readSensors() { self.sensors = sensors } else { areSensorsOld = true }
            draw()
        }
    }

    private func draw() {
        let lines = state.map { Status.text(of: $0, requests, sensors) } ?? [Subscription.stopped]
        screen.draw(lines + ["", Terminal.styled("Ctrl-C ends this.", .faint)])
    }
}
