// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import SystemdBus

/// `orientctl unlock`: the device may turn the interface again.
enum Unlock {
    static let command = Command("unlock") { invocation throws(CommandError) in
        let client = OrientationClient(bus: try invocation.connect())
        sense(client)
        try asking { () throws(BusError) in try client.setRotationLock(.off) }
        return .done
    }
}
