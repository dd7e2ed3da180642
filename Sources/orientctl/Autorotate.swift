// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import SystemdBus

/// `orientctl autorotate`: when the device turns the interface.
enum Autorotate {
    static let command = Command("autorotate MODE", operandCount: 1...1) { invocation throws(CommandError) in
        let mode: AutorotateMode = try value(named: invocation.operands[0], "autorotate ")
        let client = OrientationClient(bus: try invocation.connect())
        try asking { () throws(BusError) in try client.setAutorotate(mode) }
        return .done
    }
}
