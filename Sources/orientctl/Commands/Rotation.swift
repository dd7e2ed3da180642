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
            + "off releases it, and toggle releases it or else holds"
    ) { invocation in
        let choice: LockChoice = try value(named: invocation.operands.first ?? "current", "lock ")
        let client = try invocation.client()
        switch choice {
        case .lock(let lock): try set(lock, client)
        case .toggle: try set(client.snapshot().status.rotationLock == .off ? .current : .off, client)
        }
        return .done
    }

    static let unlock = Command(name: "unlock", summary: "release the lock") { invocation in
        try set(.off, invocation.client())
        return .done
    }

    private enum LockChoice: NamedValue {
        case lock(RotationLock), toggle

        static let allCases = RotationLock.allCases.map { LockChoice.lock($0) } + [.toggle]

        var name: String {
            switch self {
            case .lock(let lock): lock.name
            case .toggle: "toggle"
            }
        }
    }

    private static func set(_ lock: RotationLock, _ client: OrientationClient) throws {
        try (lock == .off ? claimed(client) : client).setRotationLock(lock)
    }

    static let rotate = Command(name: "rotate", operands: "EDGE", summary: "turn the interface by hand") { invocation in
        let orientation: InterfaceOrientation = try value(named: invocation.operands[0], "rotate ")
        try invocation.client().rotate(to: orientation)
        return .done
    }

    static let align = Command(name: "align", summary: "turn the interface once to match the device") { invocation in
        try claimed(invocation.client()).alignToDevice()
        return .done
    }

    static let autorotate = Command(
        name: "autorotate",
        operands: "MODE",
        summary: "let the interface follow the device always, in tablet mode\nonly, or never"
    ) { invocation in
        let mode: AutorotateMode = try value(named: invocation.operands[0], "autorotate ")
        try invocation.client().setAutorotate(mode)
        return .done
    }

    /// Claims the sensor until this process ends, so that the device's orientation is up to date.
    private static func claimed(_ client: OrientationClient) -> OrientationClient {
        // Without the right to claim, the last known orientation counts.
        try? client.claim()
        return client
    }
}
