// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// `orientctl monitor`: prints every change, and keeps the sensor running meanwhile.
enum Monitor {
    static let command = Command(
        name: "monitor",
        summary: "print every change until Ctrl-C, with the sensor running",
        options: [
            .init("full", "f", help: "print every property with each change"),
            .init("live", "l", help: "show the state on the terminal, as it changes"),
            .init("waybar", help: "print JSON for a custom module of waybar"),
        ]
    ) { invocation throws(CommandError) in
        guard ["full", "live", "waybar"].filter(invocation.has).count < 2 else {
            throw CommandError("--full, --live and --waybar cannot be combined", .usage)
        }
        if invocation.has("live") { return try LiveStatus(invocation, option: "--live").run() }
        // A signal ends the process at once, also during a call that waits for its answer. Nothing is left to do then:
        // every line has been written, and the bus releases the claim.
        for number in [SIGTERM, SIGINT, SIGHUP] where orientd_is_ignored(number) == 0 {
            signal(number) { _ in _exit(0) }
        }
        let format: MonitorFormat = invocation.has("waybar") ? .waybar : invocation.isJSON ? .json : .text
        let isFull = invocation.has("full")
        return try Monitoring(try Bus(connectingTo: invocation.bus), format, isFull: isFull).run()
    }
}

/// What the command prints: the changes as text or JSON, or the state as waybar shows it.
private enum MonitorFormat { case text, json, waybar }

/// One run of the command.
private final class Monitoring {
    private let bus: Bus
    private let client: OrientationClient
    private let format: MonitorFormat
    private let isFull: Bool
    private let loop: EventLoop
    private var output = OutputFile.standardOutput()
    private var failure: CommandError?
    private var hasRecordingEnded = false

    /// The last printed value of each property: a signal may announce what the first answer contained already.
    private var printed: [String: PropertyValue] = [:]

    private var module = WaybarModule()
    private var shownModule = ""

    init(_ bus: Bus, _ format: MonitorFormat, isFull: Bool) throws(CommandError) {
        self.bus = bus
        self.format = format
        self.isFull = isFull
        client = OrientationClient(bus: bus)
        loop = try systemCall(EventLoop())
    }

    func run() throws(CommandError) -> ExitCode {
        // Subscriptions come before the claim, so that no change is missed.
        let subscriptions = try systemCall(subscribe())
        do throws(CommandError) {
            try claim()
        } catch {
            // It may come back. The bus reports ServiceUnknown, or NoReply if it ended during a call.
            guard !client.claimedDaemon.isEmpty, hasDaemonEnded else { throw error }
        }
        _ = try systemCall(loop.run())
        withExtendedLifetime(subscriptions) {}
        if let failure { throw failure }
        return .done
    }

    /// Has the loop serve the bus, and subscribes to every change.
    private func subscribe() throws(SystemError) -> [BusSlot] {
        try bus.attach(to: loop)
        return [
            try client.onManagerChange { [self] changes in
                attempt { () throws(CommandError) in try report(changes) }
            },
            try client.onSensorChange { [self] changes in
                attempt { () throws(CommandError) in try sensorChanged(changes) }
            },
            try client.onPresenceChange { [self] owner in
                attempt { () throws(CommandError) in try presenceChanged(owner) }
            },
            try bus.onDisconnect { [self] in
                attempt { () throws(CommandError) in throw CommandError("the bus closed the connection", .noDaemon) }
            },
        ]
    }

    /// Whether the daemon that granted the last claim has ended.
    private var hasDaemonEnded: Bool { bus.owner(of: Names.service)?.uniqueName != client.claimedDaemon }

    /// Ends the loop with the error that `body` throws.
    private func attempt(_ body: () throws(CommandError) -> Void) {
        do throws(CommandError) {
            try body()
        } catch {
            failure = error
            loop.exit()
        }
    }

    /// The properties that are printed at the start.
    private var initialProperties: [String] {
        guard !isFull else { return ManagerSnapshot.properties.map { $0.name }.filter { $0 != "Gravity" } }
        return [
            "SensorState", "DeviceOrientation", "FaceOrientation", "InterfaceOrientation", "InterfaceRule",
            "RotationLock", "OutputTransform",
        ]
    }

    /// Claims the sensor and prints the present state.
    private func claim() throws(CommandError) {
        try busCall(client.claim())
        let snapshot = try busCall(client.snapshot())
        guard format != .waybar else {
            module.snapshot = snapshot
            module.asked = try busCall(askedRequest())
            return try showModule()
        }
        let shown = initialProperties.compactMap { name in ManagerSnapshot.properties.first { $0.name == name } }
        try report(shown.map { PropertyChange(name: $0.name, value: $0.value(of: snapshot)) })
    }

    /// Claims again when the daemon has been restarted.
    private func presenceChanged(_ owner: String?) throws(CommandError) {
        guard let owner else {
            complain("orientd has stopped; waiting for it to start again")
            module = WaybarModule()
            if format == .waybar { try showModule() }
            return
        }
        // The first call may have started it.
        guard owner != client.claimedDaemon else { return }
        do throws(CommandError) {
            try claim()
        } catch {
            // A daemon that ended before it answered may come back, too.
            if bus.owner(of: Names.service)?.uniqueName == owner { throw error }
        }
    }

    /// Ends with the trace that the daemon replays.
    private func sensorChanged(_ changes: [PropertyChange]) throws(CommandError) {
        guard changes.contains(PropertyChange(name: "State", value: "lost")) else { return }
        if try busCall(client.sensors()).contains(where: { $0.status.hasRecordingEnded }) { try endWithRecording() }
    }

    private func endWithRecording() throws(CommandError) {
        guard !hasRecordingEnded else { return }
        hasRecordingEnded = true
        if format == .text {
            try print("\(Terminal.styled(WallClock().timeOfDay, .faint)) recording has ended\n")
        }
        loop.exit()
    }

    // MARK: - Printing

    private func report(_ changes: [PropertyChange]) throws(CommandError) {
        guard format != .waybar else { return try update(changes) }
        // Claims say nothing about the device.
        let claims = ["Claims", "SensorProxyClients"]
        let news = changes.filter { !claims.contains($0.name) && printed[$0.name] != $0.value }
        for change in changes { printed[change.name] = change.value }
        guard !news.isEmpty else { return }
        // The end of a recording is not the loss of a sensor.
        let isLoss = news.contains(PropertyChange(name: "SensorState", value: "lost"))
        if format == .text, isLoss, hasReplayEnded() { return try endWithRecording() }
        let shown = isFull ? ManagerSnapshot.properties.compactMap { printedChange($0.name) } : news
        try print(format == .json ? json(shown) : text(shown))
    }

    private func printedChange(_ name: String) -> PropertyChange? {
        printed[name].map { PropertyChange(name: name, value: $0) }
    }

    /// Whether the daemon has replayed a recording to its end; false if it cannot say any more.
    private func hasReplayEnded() -> Bool {
        (try? client.sensors())?.contains { $0.status.hasRecordingEnded } ?? false
    }

    /// Shows the state after some changes.
    ///
    /// Reading all properties instead would have the bus start a daemon again that announces its end.
    private func update(_ changes: [PropertyChange]) throws(CommandError) {
        guard var snapshot = module.snapshot else { return }
        ManagerSnapshot.properties.apply(changes, to: &snapshot)
        module.snapshot = snapshot
        if changes.contains(where: { $0.name == "AskedRequest" || $0.name == "SupportedOrientations" }) {
            do throws(BusError) {
                module.asked = try askedRequest()
            } catch {
                guard hasDaemonEnded else { throw CommandError(error) }
                return
            }
        }
        try showModule()
    }

    private func askedRequest() throws(BusError) -> ListedRequest? {
        guard let id = module.snapshot?.status.askedRequest else { return nil }
        return try client.requests().first { $0.id == id }
    }

    private func showModule() throws(CommandError) {
        let line = module.line
        guard line != shownModule else { return }
        shownModule = line
        try print(line + "\n")
    }

    /// Writes a text without delay.
    private func print(_ text: String) throws(CommandError) {
        do throws(SystemError) {
            try output.write(text)
            try output.flush()
        } catch {
            throw CommandError(error)
        }
    }

    private func text(_ changes: [PropertyChange]) -> String {
        let values = changes.filter { !$0.isForProgramsOnly }.map { "\($0.name)=\(Terminal.styled($0.text, .accent))" }
        return "\(Terminal.styled(WallClock().timeOfDay, .faint)) \(values.joined(separator: " "))\n"
    }

    private func json(_ changes: [PropertyChange]) -> String {
        let object = JSONObject()
        let now = WallClock().seconds
        object.set("time", now, text: decimal(now, places: 3))
        for change in changes { object.set(change.name, change.value) }
        return object.line + "\n"
    }
}

/// The present time.
private struct WallClock {
    private var time = timespec()

    init() { clock_gettime(CLOCK_REALTIME, &time) }

    /// Seconds since 1970.
    var seconds: Double { Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }

    /// `HH:MM:SS.mmm` in the local time zone.
    var timeOfDay: String {
        var (seconds, local) = (time.tv_sec, tm())
        localtime_r(&seconds, &local)
        let fields = [Int(local.tm_hour) + 100, Int(local.tm_min) + 100, Int(local.tm_sec) + 100]
        let clock = fields.map { Self.digits($0) }.joined(separator: ":")
        return "\(clock).\(Self.digits(time.tv_nsec / 1_000_000 + 1000))"
    }

    /// The number without its first digit, which kept the zeros after it.
    private static func digits(_ number: Int) -> String {
        String(Substring("\(number)".utf8.dropFirst()))
    }
}
