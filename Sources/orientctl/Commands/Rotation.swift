// SPDX-License-Identifier: Apache-2.0

import JSON
import OrientationBus
import OrientationCore
import SystemdBus

/// The commands that turn the interface or hold it: `lock`, `unlock`, `rotate`, `align` and `autorotate`.
enum Rotation {
    static let lock = Command(
        name: "lock",
        operands: "[current|EDGE|off|toggle]",
        summary: "hold the interface in its present orientation, or in EDGE;\n"
            + "off: unlock; toggle: unlock if locked, else lock"
    ) { invocation throws(CommandError) in
        let choice: LockChoice = try value(named: invocation.operands.first ?? "current", "cannot lock to ")
        let bus = try invocation.connect()
        switch choice {
        case .current: try set(.current, bus)
        case .off: try set(.off, bus)
        case .edge(let edge): try set(.orientation(orientation(of: edge, bus)), bus)
        case .toggle: try set(busCall(bus.readManager()).status.rotationLock == .off ? .current : .off, bus)
        }
        return try answer(invocation, bus)
    }

    static let unlock = Command(name: "unlock", summary: "release the lock") { invocation throws(CommandError) in
        let bus = try invocation.connect()
        try set(.off, bus)
        return try answer(invocation, bus)
    }

    private enum LockChoice: NamedValue {
        case current, edge(Edge), off, toggle

        static let allCases = [LockChoice.current] + Edge.allCases.map { .edge($0) } + [.off, .toggle]

        var name: String {
            switch self {
            case .current: "current"
            case .edge(let edge): edge.name
            case .off: "off"
            case .toggle: "toggle"
            }
        }
    }

    private static func set(_ lock: RotationLock, _ bus: Bus) throws(CommandError) {
        if lock == .off { try claim(bus) }
        try busCall(bus.callDaemon("SetRotationLock", isInteractive: true) { $0.append(lock.name) })
    }

    static let rotate = Command(
        name: "rotate",
        operands: "EDGE",
        summary: "turn the interface by hand"
    ) { invocation throws(CommandError) in
        let edge: Edge = try value(named: invocation.operands[0], "cannot rotate to ")
        let bus = try invocation.connect()
        let orientation = try orientation(of: edge, bus)
        try busCall(bus.callDaemon("Rotate", isInteractive: true) { $0.append(orientation.name) })
        return try answer(invocation, bus)
    }

    static let align = Command(
        name: "align",
        summary: "turn the interface once to match the device"
    ) { invocation throws(CommandError) in
        let bus = try invocation.connect()
        try claim(bus)
        try busCall(bus.callDaemon("AlignToDevice", isInteractive: true))
        return try answer(invocation, bus)
    }

    static let autorotate = Command(
        name: "autorotate",
        operands: "[MODE]",
        summary: "let the interface follow the device always, in tablet mode\n"
            + "only, or never; without MODE, print the mode"
    ) { invocation throws(CommandError) in
        guard let name = invocation.operands.first else {
            let bus = try invocation.connect()
            try Get.print(Get.property(named: "Autorotate"), of: busCall(bus.readManager()), isJSON: invocation.isJSON)
            return .done
        }
        let mode: AutorotateMode = try value(named: name, "cannot set autorotation to ")
        let bus = try invocation.connect()
        try busCall(bus.callDaemon("SetAutorotate", isInteractive: true) { $0.append(mode.name) })
        return try answer(invocation, bus)
    }

    /// Prints what the command may have changed, with `--json`; otherwise a command that succeeds prints nothing.
    private static func answer(_ invocation: Invocation, _ bus: Bus) throws(CommandError) -> ExitCode {
        guard invocation.isJSON else { return .done }
        let snapshot = try busCall(bus.readManager())
        let object = JSONValue()
        for name in ["InterfaceOrientation", "InterfaceRule", "RotationLock", "Autorotate"] {
            object.set(name, try Get.property(named: name).value(of: snapshot))
        }
        try emit([object.line])
        return .done
    }

    /// Claims the sensor until this process ends, so that the device's orientation is up to date.
    private static func claim(_ bus: Bus) throws(CommandError) {
        do throws(BusError) {
            try bus.callDaemon("Claim")
        } catch {
            // Without the right to claim, the last known orientation counts.
            guard error.isRefusal else { throw CommandError(error) }
        }
    }

    /// The orientation that an EDGE of the command line means on this device.
    private static func orientation(of edge: Edge, _ bus: Bus) throws(CommandError) -> InterfaceOrientation {
        try edge.orientation { () throws(CommandError) in try busCall(bus.readManager()).status.naturalOrientation }
    }
}
