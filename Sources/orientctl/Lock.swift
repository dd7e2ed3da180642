// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import SystemdBus

/// `orientctl lock`: what is shown, or one orientation, is held although the device turns.
enum Lock {
    static let command = Command("lock [current|EDGE]", operandCount: 0...1) { invocation throws(CommandError) in
        let choices = RotationLock.allCases.filter { $0 != .off }
        let lock = try invocation.operands.first.map { name throws(CommandError) in
            try value(named: name, "lock ", among: choices)
        }
        let client = OrientationClient(bus: try invocation.connect())
        try asking { () throws(BusError) in try client.setRotationLock(lock ?? .current) }
        return .done
    }
}
