// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import SystemdBus

/// A switch of the input subsystem that is on while something is near the front of the device.
final class ProximitySwitch: SensorDevice, Sendable {
    let description: SensorDescription
    let warnings: [String] = []

    /// Describes the switch of an event node; nil for a node without a file.
    init?(_ node: Device) {
        guard let path = node.devnode else { return nil }
        description = SensorDescription(
            id: node.name,
            name: EventNode.deviceName(of: node),
            sysfsPath: node.syspath,
            devicePath: path,
            // Off is 0 and on is 1.
            traits: .proximity(nearLevel: 0.5),
            // The switch reports changes; it has no rate.
            period: 1,
            isSubstitute: true,
            canPoll: false,
            canBuffer: true
        )
    }

    func openBuffer() throws(SystemError) -> any SensorBuffer { try SwitchEvents(description.devicePath) }
}
