// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import SystemdBus

/// `orientctl rotate`: the interface is turned by hand.
enum Rotate {
    static let command = Command("rotate EDGE", operandCount: 1...1) { invocation throws(CommandError) in
        let orientation: InterfaceOrientation = try value(named: invocation.operands[0], "rotate ")
        let client = OrientationClient(bus: try invocation.connect())
        try asking { () throws(BusError) in try client.rotate(to: orientation) }
        return .done
    }
}
