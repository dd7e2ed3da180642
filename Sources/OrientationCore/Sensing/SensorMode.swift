// SPDX-License-Identifier: Apache-2.0

/// How samples are read from a sensor.
public enum SensorMode: String, NamedValue {
    /// The device fills a buffer at its own rate.
    case buffer
    /// The attributes of the device are read periodically.
    case poll
    /// A recording is played.
    case replay
    /// Readings are made up.
    case simulation

    /// Whether a device is read.
    public var hasDevice: Bool { self == .buffer || self == .poll }
}
