// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
import SystemdBus

/// Where the objects on the bus deliver the calls of clients; what these change comes back as effects.
package protocol MachineHost: AnyObject {
    /// Delivers an event; calls `completion` with its effects once they are applied.
    func deliver(_ event: Event, completion: ((Effects) -> Void)?)
}

extension MachineHost {
    package func deliver(_ event: Event) { deliver(event, completion: nil) }

    /// Delivers a call, and replies to it, with the refusal if there is one.
    func deliver(_ event: Event, answering message: BusMessage) {
        deliver(event) { effects in
            if let refusal = effects.refusal { message.reply(BusError(refusal)) } else { message.reply() }
        }
    }
}
