// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// The status on a terminal, kept up to date: `orientctl status --watch`.
final class LiveStatus {
    /// Seconds between two reads of what changes without a signal of the manager: gravity, sensors and requests.
    private static let period = 0.2

    private let bus: Bus
    private let subscription: Subscription
    private let screen: Screen
    private var timer: Timer?

    /// Nil while orientd does not run.
    private var state: ManagerSnapshot?
    private var requests: [ListedRequest] = []
    private var sensors: [ListedSensor] = []
    /// The programs that claim the accelerometer over net.hadess.SensorProxy.
    private var clients: [String] = []
    /// Whether these are being read; the timer is armed after that.
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
        bus = try invocation.connect()
        subscription = try Subscription(bus)
        screen = try systemCall(Screen(loop: subscription.loop, write: subscription.write))
    }

    /// Shows the status until a signal.
    func run() throws(CommandError) {
        timer = try systemCall(subscription.loop.timer { [self] in refresh() })
        // Leaves the screen before an error is printed, which the alternate screen would hide.
        defer { screen.leave() }
        try subscription.run { [self] new in
            let isStatusNew = new?.status != state?.status
            if let new, new.status.sensorProxyClients != state?.status.sensorProxyClients {
                clients = Status.clients(of: new.status, on: bus)
            }
            state = new
            // The requests that explain a status are read before it is drawn.
            if isStatusNew, new != nil { refresh() } else { draw() }
        }
    }

    /// Reads what is not announced, and draws.
    private func refresh() {
        guard state != nil, !isRefreshing else { return }
        isRefreshing = true
        subscription.daemon.read()
        // What cannot be read now stays as it is until the next time.
        subscription.daemon.call("GetManagedObjects", of: Names.objectManager) { [self] result in
            if let sensors = try? result.get().readSensors() { self.sensors = sensors }
        }
        subscription.daemon.call("ListRequests") { [self] result in
            if let requests = try? result.get().readRequests() { self.requests = requests }
            isRefreshing = false
            timer?.arm(after: Self.period)
            draw()
        }
    }

    private func draw() {
        let status = state.map { Status(snapshot: $0, requests: requests, sensors: sensors, clients: clients) }
        let lines = status?.text ?? [Subscription.stopped]
        screen.draw(lines + ["", Terminal.styled("Ctrl-C ends this.", .faint)])
    }
}
