// SPDX-License-Identifier: Apache-2.0

/// The half of the machine that an accelerometer measures, as recordings name it.
public enum AccelerometerRole: String, NamedValue {
    /// Determines the orientation.
    case display
    /// Determines the hinge angle, together with the display's.
    case base
}
