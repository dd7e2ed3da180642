// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// What a sensor, or the one that counts among all, is doing.
package enum SensorState: String, NamedValue, Sendable {
    /// There is none.
    case none
    /// There, but nobody needs it.
    case idle
    case sampling
    /// Unplugged, in use elsewhere or failing; it is taken up again when it returns.
    case lost
    /// There, but at rest because the machine sleeps.
    case suspended

    /// The name on the bus.
    package var name: String { rawValue }
}
