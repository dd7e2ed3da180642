// SPDX-License-Identifier: Apache-2.0

import CIIO

/// What a sensor measures.
package enum SensorKind: CaseIterable, Hashable, Sendable {
    /// Acceleration on three axes.
    case accelerometer

    /// What the names of its files begin with, for messages.
    var filePrefix: String {
        switch self {
        case .accelerometer: "in_accel"
        }
    }

    /// The channels of a device that measure this, or nil where it does not.
    func channels(among inputs: [IIOChannel]) -> Channels<IIOChannel>? {
        switch self {
        case .accelerometer:
            let axes = inputs.filter { $0.type == IIO_ACCEL }
            guard
                let x = axes.first(where: { $0.modifier == IIO_MOD_X }),
                let y = axes.first(where: { $0.modifier == IIO_MOD_Y }),
                let z = axes.first(where: { $0.modifier == IIO_MOD_Z })
            else { return nil }
            return Channels(x, y, z)
        }
    }
}
