// SPDX-License-Identifier: Apache-2.0

/// The part of a convertible that an accelerometer sits in.
public enum SensorLocation: UInt8, NamedValue, Hashable, Sendable {
    case display
    case base

    /// Nothing said where; the only accelerometer of most machines, so it counts as the display's.
    case unknown

    /// The name on the bus.
    public var name: String {
        switch self {
        case .display: "display"
        case .base: "base"
        case .unknown: "unknown"
        }
    }

    /// The place that udev's property `ACCEL_LOCATION` names; nil for any other text.
    public init?(udev text: String) {
        switch text {
        case "display": self = .display
        case "base": self = .base
        default: return nil
        }
    }

    /// The place that the kernel's label of the device names; nil for any other text.
    public init?(label text: String) {
        switch text {
        case "accel-display": self = .display
        case "accel-base": self = .base
        default: return nil
        }
    }

    /// The place that the attribute `location` of Chromebooks names; nil for any other text.
    public init?(attribute text: String) {
        switch text {
        case "lid": self = .display
        case "base": self = .base
        default: return nil
        }
    }
}
