// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// The commands that turn the interface or hold it: `lock`, `unlock`, `rotate`, `align` and `autorotate`.
enum Rotation {
    static let lock = Command(
        name: "lock",
        operands: "[current|EDGE|landscape|off|toggle]",
        summary: "hold the interface in its present or another orientation",
        description: "Holds the interface, however the device is turned: without an argument as it is shown now. The "
            + "lock survives restarts of orientd and of the machine.",
        words: [
            ("current", "as it is shown now; so does \"on\""), ("EDGE", "in this orientation"),
            ("landscape", "in the landscape that is shown, else the one that fits the device"),
            ("off", "unlock"),
            ("toggle", "unlock if the lock is on, otherwise hold it as it is shown now"),
        ]
    ) { invocation throws(CommandError) in
        let word = invocation.operands.first ?? "on"
        let words = ["current"] + places + ["off", "toggle"]
        guard word == "on" || words.contains(word) else { throw unknown(word, "cannot lock to ", among: words) }
        let bus = try invocation.connect()
        let lock: RotationLock =
            switch word {
            case "on", "current": .current
            case "off": .off
            case "toggle": try busCall(bus.readManager()).status.rotationLock == .off ? .current : .off
            default: .orientation(try orientation(word, bus))
            }
        let wish: Wish = if case .orientation(let orientation) = lock { .orientation(orientation) } else { .none }
        let line = lock == .off ? Line.unlock : .lock
        try call("SetRotationLock", lock.name, readsDevice: lock == .off, wants: wish, shows: line, bus, invocation)
    }

    static let unlock = Command(
        name: "unlock",
        summary: "release the lock",
        description: "Releases the lock. The interface follows the device again at once, if autorotation allows it."
    ) { invocation throws(CommandError) in
        let off = RotationLock.off.name
        try call("SetRotationLock", off, readsDevice: true, shows: .unlock, invocation.connect(), invocation)
    }

    static let rotate = Command(
        name: "rotate",
        operands: "EDGE|landscape|cw|ccw|next",
        summary: "turn the interface by hand",
        description: "Turns the interface by hand. Without a lock this ends when the device turns, or when an "
            + "application's request turns the interface or ends; a lock holds the new orientation.",
        words: [
            ("EDGE", "to this orientation"),
            ("landscape", "to the landscape that is shown, else the one that fits the device"),
            ("cw", "by a quarter turn clockwise"), ("ccw", "by a quarter turn counter-clockwise"),
            ("next", "clockwise to the next orientation that is supported now"),
        ]
    ) { invocation throws(CommandError) in
        let word = invocation.operands[0]
        let words = places + ["cw", "ccw", "next"]
        guard words.contains(word) else { throw unknown(word, "cannot rotate to ", among: words) }
        let bus = try invocation.connect()
        let wanted: InterfaceOrientation
        var remedy = Remedy.none
        switch word {
        case "cw", "ccw":
            let status = try busCall(bus.readManager()).status
            wanted = status.interfaceOrientation.turned(clockwise: word == "cw" ? 1 : -1)
            if status.nextOrientation != status.interfaceOrientation { remedy = .orientctl("rotate next") }
        case "next": wanted = try busCall(bus.readManager()).status.nextOrientation
        default: wanted = try orientation(word, bus)
        }
        try call("Rotate", wanted.name, ifUnsupported: remedy, shows: .interface, bus, invocation)
    }

    /// The names of orientations, and of the better one of the two landscapes.
    private static let places = Edge.allCases.map { $0.name } + ["landscape"]

    /// The orientation that one of these names means on this device now.
    private static func orientation(_ place: String, _ bus: Bus) throws(CommandError) -> InterfaceOrientation {
        if let edge = Edge(name: place) {
            return try edge.orientation(natural: busCall(bus.readManager()).status.naturalOrientation)
        }
        // An orientation that is not known determines nothing, as one that is unknown.
        return try busCall(Status.current(bus)).snapshot.status.landscapeOrientation
    }

    static let align = Command(
        name: "align",
        summary: "turn the interface once to match the device",
        description: "Turns the interface once to match the device; a lock then holds the new orientation. In laptop "
            + "mode, returns to the laptop orientation instead, and leaves a lock as it is."
    ) { invocation throws(CommandError) in
        let bus = try invocation.connect()
        try call("AlignToDevice", readsDevice: true, wants: .device, shows: .interface, bus, invocation)
    }

    static let autorotate = Command(
        name: "autorotate",
        operands: "[MODE]",
        summary: "set when the interface follows the device",
        description: "Sets when the interface follows the device. The mode survives restarts; setting it needs an "
            + "administrator. Without MODE, prints the mode, and on a terminal what has set it.",
        words: [
            ("always", "also while the machine is used as a laptop"),
            ("tablet-mode", "not while it is used as a laptop; what is unknown counts as a tablet"),
            ("never", "stays as it is shown until it is rotated by hand or by an application"),
            ("auto", "as the configuration says, else tablet-mode with a switch or hinge, else by the machine's kind"),
        ]
    ) { invocation throws(CommandError) in
        guard let name = invocation.operands.first else {
            let bus = try invocation.connect()
            let snapshot = try busCall(bus.readManager())
            if invocation.isJSON { return try emit([Get.json(["Autorotate", "AutorotateSource"], of: snapshot)]) }
            // Scripts get the bare mode.
            let status = snapshot.status
            return try emit([Terminal.isOutput ? Status.autorotate(status) : status.autorotate.name])
        }
        let modes = AutorotateMode.words
        guard modes.contains(name) else { throw unknown(name, "cannot set autorotation to ", among: modes) }
        // The call waits for up to two minutes while a dialog of polkit is open, or where nothing shows it.
        if isatty(STDERR_FILENO) == 1, geteuid() != 0, try invocation.bus == .system {
            complain("this needs an administrator: a dialog may ask for a password; without one, use sudo")
        }
        try call("SetAutorotate", name, shows: .autorotate, invocation.connect(), invocation)
    }

    /// The line of `status` that a command prints on a terminal; `unlock`: those of lock and interface.
    private enum Line { case lock, unlock, interface, autorotate }

    /// What a command wants to be shown, unless orientd refuses what cannot be shown, as for `rotate`.
    private enum Wish: Hashable {
        case none, device
        case orientation(InterfaceOrientation)

        /// Says what keeps the interface from being shown so; nil if nothing does.
        func obstacle(_ status: ManagerStatus, _ deciding: ListedRequest?) -> String? {
            switch self {
            case .none: return nil
            case .device:
                guard let orientation = InterfaceOrientation(following: status.deviceOrientation) else {
                    return "orientd does not know how the device is held"
                }
                let isOld = status.sensorState == .lost
                return status.obstacle(to: orientation, deciding)
                    ?? (isOld ? "the accelerometer is lost, and the device was last held so" : nil)
            case .orientation(let orientation): return status.obstacle(to: orientation, deciding)
            }
        }
    }

    /// Calls a method, and then reports what it has changed.
    ///
    /// With `readsDevice`, claims the sensor until this process ends, so that the device's orientation is up to date.
    private static func call(
        _ member: String,
        _ argument: String? = nil,
        ifUnsupported remedy: Remedy = .none,
        readsDevice: Bool = false,
        wants wish: Wish = .none,
        shows line: Line,
        _ bus: Bus,
        _ invocation: Invocation
    ) throws(CommandError) {
        var ownClaims: UInt32 = 0
        do throws(BusError) {
            if readsDevice {
                try bus.callDaemon("Claim")
                ownClaims = 1
            }
        } catch {
            // Without the right to claim, the last known orientation counts.
            guard error.isRefusal else { throw CommandError(error) }
        }
        do throws(BusError) {
            try bus.callDaemon(member, isInteractive: true) { call in if let argument { call.append(argument) } }
        } catch {
            guard error.name == Names.errorPrefix + "OrientationNotSupported" else {
                let problem = CommandError(error)
                // Whatever the session, polkit allows this to administrators only.
                let isUndecided = error.message.includes("polkit did not decide")
                guard problem.remedy == .showSession || isUndecided, line == .autorotate, let argument else {
                    throw problem
                }
                throw CommandError(error.message, .refused, remedy: .administrator("autorotate \(argument)"))
            }
            // The message begins with the orientation.
            let text = "cannot \(member == "Rotate" ? "rotate" : "lock") to \(error.message)"
            throw CommandError(text, .refused, remedy: remedy)
        }
        let shown = Terminal.isOutput && !invocation.isJSON ? line : nil
        try report(wish, shown, ownClaims: ownClaims, bus, isJSON: invocation.isJSON)
    }

    /// Warns if something keeps interface or display from what is wanted; prints the line, or the values as JSON.
    private static func report(
        _ wish: Wish,
        _ line: Line?,
        ownClaims: UInt32,
        _ bus: Bus,
        isJSON: Bool
    ) throws(CommandError) {
        guard wish != .none || line != nil || isJSON else { return }
        let snapshot = try busCall(bus.readManager())
        let status = snapshot.status
        let showsInterface = line == .interface || line == .unlock
        let asked = wish != .none || showsInterface ? status.askedRequest : nil
        let deciding = asked == nil ? nil : try busCall(bus.readRequests()).first { $0.id == asked }
        let obstacle = wish.obstacle(status, deciding)
        if let obstacle {
            complain("warning: the interface is shown in \(status.interfaceOrientation.name): \(obstacle)")
            // It says what the line would.
            if line == .interface { return }
        } else if showsInterface || line == .lock && wish != .none {
            var others = status
            others.claims -= min(ownClaims, others.claims)
            // Where orient-agent runs, it unlocks the desktop's switch a moment later.
            if line == .unlock { others.rotationLock = .current }
            let findings = Status.displayFindings(others, on: bus)
            if let problem = findings.first(where: { line == .interface || $0.verdict != .ok }) {
                complain("warning: \(problem.advice(on: bus.address))")
            }
        }
        if isJSON {
            let names = ["InterfaceOrientation", "InterfaceRule", "RotationLock", "Autorotate"]
            return try emit([Get.json(names, of: snapshot)])
        }
        if line == .lock, obstacle == nil, status.isInLaptopMode {
            complain("warning: the machine is used as a laptop; the lock applies in tablet mode")
        }
        var lines: [String] = []
        if line == .lock || line == .unlock { lines.append("Lock: \(Status.lock(status))") }
        if showsInterface { lines.append("Interface: \(Status.interface(status, deciding: deciding))") }
        if line == .autorotate { lines.append("Autorotate: \(Status.autorotate(status))") }
        if !lines.isEmpty { try emit(lines) }
    }
}

extension InterfaceOrientation {
    /// Returns the orientation of an interface that is turned by so many quarter turns.
    func turned(clockwise turns: Int) -> InterfaceOrientation {
        // The device's own turns are counter-clockwise.
        InterfaceOrientation(following: DeviceOrientation(quarterTurns: (device.quarterTurns ?? 0) + turns)) ?? self
    }
}

extension ManagerStatus {
    /// Says in the words of `status` how a mask, laptop mode or the deciding request keeps the interface from an
    /// orientation; nil if none does.
    func obstacle(to wanted: InterfaceOrientation, _ deciding: ListedRequest?) -> String? {
        guard wanted != interfaceOrientation else { return nil }
        let isAllowed = supportedOrientations.contains(wanted)
        if isInLaptopMode, isAllowed {
            return "the machine is used as a laptop" + (rotationLock == .off ? "" : "; the lock applies in tablet mode")
        }
        // `align` would have changed what lock and person decide if the request let the interface follow the device.
        let isFixed = deciding != nil && [.fixed, .lock, .manual].contains(interfaceRule)
        guard !isAllowed || isFixed else { return nil }
        let rule: RotationRule = isAllowed ? .fixed : .mask
        return rule.sentence(deciding: deciding.map { ($0.appID, $0.supported) }, mask: supportedOrientations)
    }

    /// Whether laptop mode comes before the lock and the device.
    var isInLaptopMode: Bool { autorotate == .tabletMode && tabletMode == .laptop }

    /// The next supported orientation clockwise; the present one if there is no other.
    var nextOrientation: InterfaceOrientation {
        (1...4).map { interfaceOrientation.turned(clockwise: $0) }.first { supportedOrientations.contains($0) }
            ?? interfaceOrientation
    }

    /// The landscape in which the policy would show a request for landscape: of the supported ones the present one, the
    /// one that follows the device, or else that of the lowest raw value.
    var landscapeOrientation: InterfaceOrientation {
        let supported = supportedOrientations.intersection(.landscape)
        let choices = supported.isEmpty ? InterfaceOrientationMask.landscape : supported
        let wanted = [interfaceOrientation, InterfaceOrientation(following: deviceOrientation)].compactMap { $0 }
        return wanted.first { choices.contains($0) } ?? choices.lowest ?? .landscapeRight
    }
}
