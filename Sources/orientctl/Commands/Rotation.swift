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
        let client = try invocation.client()
        switch choice {
        case .current: try set(.current, client)
        case .off: try set(.off, client)
        case .edge(let edge): try set(.orientation(busCall(client.orientation(of: edge))), client)
        case .toggle: try set(busCall(client.snapshot()).status.rotationLock == .off ? .current : .off, client)
        }
        return try answer(invocation, client)
    }

    static let unlock = Command(name: "unlock", summary: "release the lock") { invocation throws(CommandError) in
        let client = try invocation.client()
        try set(.off, client)
        return try answer(invocation, client)
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

    private static func set(_ lock: RotationLock, _ client: OrientationClient) throws(CommandError) {
        try busCall((lock == .off ? claimed(client) : client).setRotationLock(lock))
    }

    static let rotate = Command(
        name: "rotate",
        operands: "EDGE",
        summary: "turn the interface by hand"
    ) { invocation throws(CommandError) in
        let edge: Edge = try value(named: invocation.operands[0], "cannot rotate to ")
        let client = try invocation.client()
        try busCall(client.rotate(to: client.orientation(of: edge)))
        return try answer(invocation, client)
    }

    static let align = Command(
        name: "align",
        summary: "turn the interface once to match the device"
    ) { invocation throws(CommandError) in
        let client = claimed(try invocation.client())
        try busCall(client.alignToDevice())
        return try answer(invocation, client)
    }

    static let autorotate = Command(
        name: "autorotate",
        operands: "[MODE]",
        summary: "let the interface follow the device always, in tablet mode\n"
            + "only, or never; without MODE, print the mode"
    ) { invocation throws(CommandError) in
        guard let name = invocation.operands.first else {
            let client = try invocation.client()
            try Get.print(Get.property(named: "Autorotate"), of: busCall(client.snapshot()), isJSON: invocation.isJSON)
            return .done
        }
        let mode: AutorotateMode = try value(named: name, "cannot set autorotation to ")
        let client = try invocation.client()
        try busCall(client.setAutorotate(mode))
        return try answer(invocation, client)
    }

    /// Prints what the command may have changed, with `--json`; otherwise a command that succeeds prints nothing.
    private static func answer(_ invocation: Invocation, _ client: OrientationClient) throws(CommandError) -> ExitCode {
        guard invocation.isJSON else { return .done }
        let snapshot = try busCall(client.snapshot())
        let object = JSONValue()
        for name in ["InterfaceOrientation", "InterfaceRule", "RotationLock", "Autorotate"] {
            object.set(name, try Get.property(named: name).value(of: snapshot))
        }
        try emit([object.line])
        return .done
    }

    /// Claims the sensor until this process ends, so that the device's orientation is up to date.
    private static func claimed(_ client: OrientationClient) -> OrientationClient {
        // Without the right to claim, the last known orientation counts.
        try? client.claim()
        return client
    }
}

extension OrientationClient {
    /// The orientation that an EDGE of the command line means on this device.
    func orientation(of edge: Edge) throws(BusError) -> InterfaceOrientation {
        try edge.orientation { () throws(BusError) in try snapshot().status.naturalOrientation }
    }
}
