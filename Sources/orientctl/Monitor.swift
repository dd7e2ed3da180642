// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// `orientctl monitor`: every change as it happens, with the sensor kept running meanwhile.
enum Monitor {
    static let command = Command("monitor [--json]") { invocation throws(CommandError) in
        let monitoring = Monitoring(try invocation.connect(), isJSON: invocation.isJSON)
        return try monitoring.run()
    }
}

/// One run of the command.
private final class Monitoring {
    private let bus: Bus
    private let client: OrientationClient
    private let isJSON: Bool
    private var output = OutputFile.standardOutput()
    private var loop: EventLoop?
    private var failure: CommandError?

    /// What was printed last of each property: a signal may only now tell what begin() has printed already.
    private var known: [String: PropertyValue] = [:]

    init(_ bus: Bus, isJSON: Bool) {
        self.bus = bus
        self.isJSON = isJSON
        client = OrientationClient(bus: bus)
    }

    func run() throws(CommandError) -> ExitCode {
        let loop = try calling { () throws(SystemError) in try EventLoop() }
        self.loop = loop
        // Everything is subscribed to before the claim, so that no change falls in between.
        let watches = try calling { () throws(SystemError) in
            try bus.attach(to: loop)
            return (
                try client.onManagerChange { [self] in report($0) },
                try client.onSensorChange { [self] in sensorChanged($0) },
                try client.onPresenceChange { [self] in presenceChanged($0) },
                try bus.onDisconnect { [self] in fail(CommandError("the bus has gone", .noDaemon)) }
            )
        }
        let status = try firstStatus()
        // Only now: while the calls above waited for an answer, Ctrl-C had to end them.
        let termination = try calling { () throws(SystemError) in try loop.onTermination { loop.exit() } }
        if let status { report(status) }
        _ = try calling { () throws(SystemError) in try loop.run() }
        withExtendedLifetime((watches, termination)) {}
        if let failure { throw failure }
        return .done
    }

    /// Claims the sensor and returns how things stand; nil when the daemon has gone meanwhile, to come back or not.
    private func firstStatus() throws(CommandError) -> ManagerSnapshot? {
        do throws(CommandError) {
            return try claim()
        } catch {
            guard error.exitCode == .noDaemon, !client.claimedDaemon.isEmpty else { throw error }
            return nil
        }
    }

    /// Claims the sensor and returns how things stand then.
    private func claim() throws(CommandError) -> ManagerSnapshot {
        try asking { () throws(BusError) in
            try client.claim()
            return try client.snapshot()
        }
    }

    /// What is printed at the start.
    private static let essential = [
        "SensorState", "DeviceOrientation", "FaceOrientation", "InterfaceOrientation", "InterfaceRule",
        "OutputTransform",
        "RotationLock",
    ]

    private func report(_ snapshot: ManagerSnapshot) {
        let shown = ManagerSnapshot.properties.filter { Self.essential.contains($0.name) }
        report(shown.map { PropertyChange(name: $0.name, value: $0.value(snapshot)) })
    }

    /// Follows the daemon when it is restarted.
    private func presenceChanged(_ owner: String?) {
        guard let owner else { return complain("orientd has gone; waiting for it to come back") }
        // Our own first call may have started it.
        guard owner != client.claimedDaemon else { return }
        do throws(CommandError) {
            report(try claim())
        } catch {
            // One that has gone again before it answered may come back as well.
            if bus.owner(of: Names.service)?.uniqueName == owner { fail(error) }
        }
    }

    /// Ends with the recording that a replaying daemon plays.
    private func sensorChanged(_ changes: [PropertyChange]) {
        guard changes.contains(PropertyChange(name: "State", value: "lost")) else { return }
        do throws(BusError) {
            let sensors = try client.sensors()
            if sensors.contains(where: { $0.status.mode == .replay && $0.status.state == .lost }) { loop?.exit() }
        } catch {
            fail(CommandError(error))
        }
    }

    // MARK: - Printing

    private func report(_ changes: [PropertyChange]) {
        // How many others listen is nothing that this command is asked for.
        let shown = changes.filter { $0.name != "Claims" && known[$0.name] != $0.value }
        guard !shown.isEmpty else { return }
        for change in shown { known[change.name] = change.value }
        do throws(SystemError) {
            try output.write(isJSON ? json(shown) : text(shown))
            try output.flush()
        } catch {
            fail(CommandError(error))
        }
    }

    private func text(_ changes: [PropertyChange]) -> String {
        let values = changes.map { "\($0.name)=\(Terminal.styled(words(for: $0), .accent))" }
        return "\(Terminal.styled(WallClock.timeOfDay, .faint)) \(values.joined(separator: " "))\n"
    }

    /// The value for people to read.
    private func words(for change: PropertyChange) -> String {
        guard change.name == "SupportedOrientations", let mask = InterfaceOrientationMask(change.value) else {
            return printable(change.value.text)
        }
        return "\(mask)"
    }

    private func json(_ changes: [PropertyChange]) -> String {
        let object = JSONObject()
        object.set("time", WallClock.now, text: decimal(WallClock.now, places: 3))
        for change in changes { object.set(change.name, change.value) }
        return object.line + "\n"
    }

    private func fail(_ error: CommandError) {
        failure = error
        loop?.exit()
    }
}

/// The time as people tell it.
private enum WallClock {
    /// Seconds since 1970.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// `HH:MM:SS.mmm` in the local time zone.
    static var timeOfDay: String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        var local = tm()
        localtime_r(&time.tv_sec, &local)
        func digits(_ value: Int, _ count: Int) -> String {
            String(repeating: "0", count: max(0, count - "\(value)".count)) + "\(value)"
        }
        let clock = [local.tm_hour, local.tm_min, local.tm_sec].map { digits(Int($0), 2) }.joined(separator: ":")
        return "\(clock).\(digits(time.tv_nsec / 1_000_000, 3))"
    }
}
