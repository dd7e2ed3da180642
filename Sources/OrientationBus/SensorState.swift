// SPDX-License-Identifier: Apache-2.0

/// What a sensor, or the one that counts among all, is doing.
package enum SensorState: String, Sendable {
    /// There is none.
    case none
    /// There, but nobody needs it.
    case idle
    case sampling
    /// Unplugged, in use elsewhere or failing; it is taken up again when it returns.
    case lost
}
