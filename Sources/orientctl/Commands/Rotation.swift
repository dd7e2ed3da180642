// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import SystemdBus

/// The commands that turn the interface or hold it: `lock`, `unlock`, `rotate`, `align` and `autorotate`.
enum Rotation {
    static let lock = Command(
        name: "lock",
        operands: "[current|EDGE]",
        summary: "hold the interface in its present orientation, or in EDGE"
    ) { invocation in
        let choices = RotationLock.allCases.filter { $0 != .off }
        let lock = try invocation.operands.first.map { try value(named: $0, "lock ", among: choices) }
        try invocation.client().setRotationLock(lock ?? .current)
        return .done
    }

    static let unlock = Command(name: "unlock", summary: "release the lock") { invocation in
        try claimed(invocation.client()).setRotationLock(.off)
        return .done
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
