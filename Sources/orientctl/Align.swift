// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import SystemdBus

/// `orientctl align`: the interface is turned as the device is held, once, whatever locks it.
enum Align {
    static let command = Command("align") { invocation throws(CommandError) in
        let client = OrientationClient(bus: try invocation.connect())
        sense(client)
        try asking { () throws(BusError) in try client.alignToDevice() }
        return .done
    }
}
