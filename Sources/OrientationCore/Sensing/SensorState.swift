// SPDX-License-Identifier: Apache-2.0

/// What a sensor, or the one that counts among all, is doing.
public enum SensorState: UInt8, NamedValue, Hashable, Sendable {
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
    public var name: String {
        switch self {
        case .none: "none"
        case .idle: "idle"
        case .sampling: "sampling"
        case .lost: "lost"
        case .suspended: "suspended"
        }
    }
}
