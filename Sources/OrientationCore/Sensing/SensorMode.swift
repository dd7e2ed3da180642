// SPDX-License-Identifier: Apache-2.0

/// How the readings of a sensor come.
public enum SensorMode: UInt8, NamedValue, Hashable, Sendable {
    /// The device fills a buffer at its own pace.
    case buffer
    /// The device's attributes are read again and again.
    case poll
    /// A recording or a simulation is played.
    case replay

    /// The name on the bus.
    public var name: String {
        switch self {
        case .buffer: "buffer"
        case .poll: "poll"
        case .replay: "replay"
        }
    }
}
