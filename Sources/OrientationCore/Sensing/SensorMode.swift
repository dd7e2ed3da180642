// SPDX-License-Identifier: Apache-2.0

/// How samples are read from a sensor.
public enum SensorMode: String, NamedValue {
    /// The device fills a buffer at its own rate.
    case buffer
    /// The attributes of the device are read periodically.
    case poll
    /// A recording or a simulation is played.
    case replay
}
