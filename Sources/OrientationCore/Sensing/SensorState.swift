// SPDX-License-Identifier: Apache-2.0

/// The state of a sensor, or of the most relevant one of all.
public enum SensorState: String, NamedValue {
    /// There is no sensor.
    case none
    /// Nobody needs it.
    case idle
    case sampling
    /// Unplugged, in use elsewhere or failing; used again when it returns.
    case lost
    /// Stopped while the machine sleeps.
    case suspended
}
