// SPDX-License-Identifier: Apache-2.0

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
        let lock: RotationLock =
            switch choice {
            case .current: .current
            case .off: .off
            case .edge(let edge): .orientation(try orientation(of: edge, bus))
            case .toggle: try busCall(bus.readManager()).status.rotationLock == .off ? .current : .off
            }
        try call("SetRotationLock", lock.name, readsDevice: lock == .off, bus, invocation)
    }

    static let unlock = Command(name: "unlock", summary: "release the lock") { invocation throws(CommandError) in
        try call("SetRotationLock", RotationLock.off.name, readsDevice: true, invocation.connect(), invocation)
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

    static let rotate = Command(
        name: "rotate",
        operands: "EDGE",
        summary: "turn the interface by hand"
    ) { invocation throws(CommandError) in
        let edge: Edge = try value(named: invocation.operands[0], "cannot rotate to ")
        let bus = try invocation.connect()
        try call("Rotate", orientation(of: edge, bus).name, bus, invocation)
    }

    static let align = Command(
        name: "align",
        summary: "turn the interface once to match the device"
    ) { invocation throws(CommandError) in
        try call("AlignToDevice", readsDevice: true, invocation.connect(), invocation)
    }

    static let autorotate = Command(
        name: "autorotate",
        operands: "[MODE]",
        summary: "let the interface follow the device always, in tablet mode\n"
            + "only, or never; without MODE, print the mode"
    ) { invocation throws(CommandError) in
        guard let name = invocation.operands.first else {
            let bus = try invocation.connect()
            let property = try Get.property(named: "Autorotate")
            return try Get.print(property, of: busCall(bus.readManager()), isJSON: invocation.isJSON)
        }
        let mode: AutorotateMode = try value(named: name, "cannot set autorotation to ")
        try call("SetAutorotate", mode.name, invocation.connect(), invocation)
    }

    /// Calls a method, and with `--json` prints what it may have changed.
    ///
    /// With `readsDevice`, claims the sensor until this process ends, so that the device's orientation is up to date.
    private static func call(
        _ member: String,
        _ argument: String? = nil,
        readsDevice: Bool = false,
        _ bus: Bus,
        _ invocation: Invocation
    ) throws(CommandError) {
        do throws(BusError) {
            if readsDevice { try bus.callDaemon("Claim") }
        } catch {
            // Without the right to claim, the last known orientation counts.
            guard error.isRefusal else { throw CommandError(error) }
        }
        try busCall(bus.callDaemon(member, isInteractive: true) { call in if let argument { call.append(argument) } })
        guard invocation.isJSON else { return }
        let names = ["InterfaceOrientation", "InterfaceRule", "RotationLock", "Autorotate"]
        try emit([Get.json(names, of: busCall(bus.readManager()))])
    }

    /// The orientation that an EDGE of the command line means on this device.
    private static func orientation(of edge: Edge, _ bus: Bus) throws(CommandError) -> InterfaceOrientation {
        try edge.orientation(natural: busCall(bus.readManager()).status.naturalOrientation)
    }
}
