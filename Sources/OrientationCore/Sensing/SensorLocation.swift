// SPDX-License-Identifier: Apache-2.0

/// The half of a convertible that contains an accelerometer.
public enum SensorLocation: String, NamedValue {
    case display
    case base
    /// No source says; treated as the display, since most machines have one accelerometer only.
    case unknown

    /// Creates the location from udev's property `ACCEL_LOCATION`; nil for any other text.
    public init?(udev text: String) {
        switch text {
        case "display": self = .display
        case "base": self = .base
        default: return nil
        }
    }

    /// Creates the location from the kernel's label of the device; nil for any other text.
    public init?(label text: String) {
        switch text {
        case "accel-display": self = .display
        case "accel-base": self = .base
        default: return nil
        }
    }

    /// Creates the location from the attribute `location` of Chromebooks; nil for any other text.
    public init?(attribute text: String) {
        switch text {
        case "lid": self = .display
        case "base": self = .base
        default: return nil
        }
    }
}
