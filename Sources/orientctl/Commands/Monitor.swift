// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import JSON
import OrientationBus
import OrientationCore
import SystemdBus

/// `orientctl monitor`: prints every change.
enum Monitor {
    static let command = Command(
        name: "monitor",
        operands: "[PROPERTY...]",
        forms: "[--full|--waybar|PROPERTY...]",
        summary: "print every change until Ctrl-C",
        description: "Prints every change until Ctrl-C, and, except with --waybar, keeps the sensor running meanwhile. "
            + "With PROPERTY, prints only values; Gravity changes without a signal: use get.",
        example: "monitor InterfaceOrientation",
        options: [
            .init("full", "f", help: "print every property with each change"),
            .init("waybar", help: "print JSON for a custom module of waybar"),
        ]
    ) { invocation throws(CommandError) in
        let properties = try invocation.operands.map { name throws(CommandError) in try property(named: name) }
        guard [invocation.has("full"), invocation.has("waybar"), !properties.isEmpty].filter({ $0 }).count < 2 else {
            throw CommandError("--full, --waybar and PROPERTY cannot be combined", .usage)
        }
        let isForWaybar = invocation.has("waybar")
        // A bar shows what others decide: it keeps no sensor running.
        let subscription = try Subscription(try invocation.connect(), claims: !isForWaybar)
        if isForWaybar { return try subscription.run(WaybarMonitor(subscription).show) }
        return try subscription.run(ChangeMonitor(subscription, invocation, properties).show)
    }

    private static func property(named name: String) throws(CommandError) -> Property<ManagerSnapshot> {
        let property = try Get.property(named: name)
        guard property.isAnnounced else {
            let problem = "cannot monitor \(name): orientd does not announce its changes"
            throw CommandError("\(problem); use: orientctl get \(name)", .usage)
        }
        return property
    }

    /// What waybar shows, as one line of JSON for waybar-custom(5); `snapshot` is nil while orientd does not run.
    static func waybarModule(_ snapshot: ManagerSnapshot?, deciding: ListedRequest?) -> String {
        // Without orientd the text is empty, which hides a module whose format is no more than the text.
        guard let status = snapshot?.status else {
            return JSONValue([
                "text": "", "alt": "stopped", "class": .texts(["stopped"]), "tooltip": .text(CommandError.notRunning),
            ]).line
        }
        let isLocked = status.rotationLock != .off
        let interface = status.interfaceOrientation.name
        var classes = [isLocked ? "locked" : "unlocked", interface]
        var tooltip = [
            "Device: \(Status.device(status))", "Interface: \(Status.interface(status, deciding: deciding))",
            "Lock: \(Status.lock(status))",
        ]
        if status.tabletMode != .unknown { classes.append(status.tabletMode.name) }
        if status.sensorState != .sampling {
            if status.sensorState != .idle { classes.append("no-sensor") }
            tooltip.append("Sensor: \(status.sensorState.name)")
        }
        return JSONValue([
            "text": .text(interface + (isLocked ? " (locked)" : "")), "alt": .text(isLocked ? "locked" : interface),
            "class": .texts(classes),
            // Pango's markup; ids of applications may contain what has a meaning there.
            "tooltip": .text(escapedMarkup(tooltip.joined(separator: "\n"))),
        ]).line
    }
}

/// Prints the changes as text or JSON.
private final class ChangeMonitor {
    private let subscription: Subscription
    private let isJSON: Bool
    private let isFull: Bool
    /// The properties whose bare values are printed; empty for the names and values of all that changed.
    private let properties: [Property<ManagerSnapshot>]
    private var last: ManagerSnapshot?
    private var isStopped = false

    /// The lines that wait until it is known whether a sensor is lost or a recording has ended; nil if none wait.
    private var held: [String]?

    init(_ subscription: Subscription, _ invocation: Invocation, _ properties: [Property<ManagerSnapshot>]) {
        self.subscription = subscription
        self.properties = properties
        isJSON = invocation.isJSON
        isFull = invocation.has("full")
    }

    func show(_ state: ManagerSnapshot?) {
        guard let state else {
            if !isStopped { complain(Subscription.stopped) }
            isStopped = true
            return
        }
        if isStopped { complain("orientd has started again") }
        isStopped = false
        // What a restart does not change is not printed again.
        let changes = changes(from: last, to: state)
        let isFirst = last == nil
        let isLoss = state.status.sensorState == .lost && last?.status.sensorState != .lost
        last = state
        // The first values are printed in any case.
        if isFirst || !isLoss { print(changes) }
        if isLoss { lost(isFirst ? [] : changes) }
    }

    /// Ends with the recording that orientd replays, which is not the loss of a sensor, or with an error in it.
    private func lost(_ changes: [PropertyChange]) {
        held = []
        print(changes)
        subscription.daemon.call("GetManagedObjects", of: Names.objectManager) { [self] result in
            let lines = held ?? []
            held = nil
            let sensors = try? result.get().readSensors().map { $0.status }
            let recording = sensors?.first { $0.mode == .replay && $0.state == .lost }
            let hasEnded = recording?.hasRecordingEnded ?? false
            if hasEnded, !isJSON, properties.isEmpty {
                subscription.write(timed("recording has ended"))
            } else {
                for line in lines { subscription.write(line) }
            }
            guard let recording else { return }
            subscription.end(hasEnded ? nil : CommandError(recording.lastError))
        }
    }

    private func print(_ changes: [PropertyChange]) {
        guard !changes.isEmpty else { return }
        let line = line(of: changes)
        if held != nil { held?.append(line) } else { subscription.write(line) }
    }

    // MARK: - Format

    /// Claims say nothing about the device.
    private static let omitted = ["Claims", "SensorProxyClients"]

    private static let initial = [
        "SensorState", "DeviceOrientation", "FaceOrientation", "InterfaceOrientation", "InterfaceRule",
        "RotationLock", "OutputTransform",
    ]

    /// The properties to print after a change, without those that have not changed; none if nothing is to be printed.
    private func changes(from old: ManagerSnapshot?, to new: ManagerSnapshot) -> [PropertyChange] {
        let announced = ManagerSnapshot.properties.filter { $0.isAnnounced }
        let considered = properties.isEmpty ? announced.filter { !Self.omitted.contains($0.name) } : properties
        let changed = old.map { old in considered.filter { $0.value(of: old) != $0.value(of: new) } } ?? considered
        guard !changed.isEmpty else { return [] }
        var shown = changed
        if !properties.isEmpty {
            shown = properties
        } else if isFull {
            shown = ManagerSnapshot.properties.filter { $0.name != "Gravity" }
        } else if old == nil {
            shown = Self.initial.flatMap { name in announced.filter { $0.name == name } }
        }
        return shown.map { PropertyChange(name: $0.name, value: $0.value(of: new)) }
    }

    private func line(of changes: [PropertyChange]) -> String {
        if isJSON {
            let object = JSONValue()
            let now = wallClock().seconds
            object.set("time", now, text: decimal(now, places: 3))
            for change in changes { object.set(change.name, change.value) }
            return object.line + "\n"
        }
        guard properties.isEmpty else { return changes.map { $0.text }.joined(separator: "\t") + "\n" }
        let values = changes.filter { !$0.isForProgramsOnly }.map { "\($0.name)=\(Terminal.styled($0.text, .accent))" }
        return timed(values.joined(separator: " "))
    }

    private func timed(_ text: String) -> String { "\(Terminal.styled(wallClock().timeOfDay, .faint)) \(text)\n" }
}

/// Prints the state as waybar shows it.
private final class WaybarMonitor {
    private let subscription: Subscription
    private var state: ManagerSnapshot?
    private var shown = ""

    init(_ subscription: Subscription) { self.subscription = subscription }

    func show(_ state: ManagerSnapshot?) {
        self.state = state
        guard let id = state?.status.askedRequest else { return write(nil) }
        // The tooltip names the application.
        subscription.daemon.call("ListRequests") { [self] result in
            guard self.state == state, let requests = try? result.get().readRequests() else { return }
            write(requests.first { $0.id == id })
        }
    }

    private func write(_ deciding: ListedRequest?) {
        let line = Monitor.waybarModule(state, deciding: deciding)
        guard line != shown else { return }
        shown = line
        subscription.write(line + "\n")
    }
}

/// The present time: seconds since 1970, and `HH:MM:SS.mmm` in the local time zone.
private func wallClock() -> (seconds: Double, timeOfDay: String) {
    var (time, local) = (timespec(), tm())
    clock_gettime(CLOCK_REALTIME, &time)
    localtime_r(&time.tv_sec, &local)
    let fields = [local.tm_hour, local.tm_min, local.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }
    let milliseconds = "\(time.tv_nsec / 1_000_000 + 1000)".utf8.dropFirst()
    let seconds = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    return (seconds, fields.joined(separator: ":") + ".\(Substring(milliseconds))")
}
