// SPDX-License-Identifier: Apache-2.0

/// The half of the machine that an accelerometer stands for.
public enum AccelerometerRole: String, NamedValue {
    /// Decides the orientation.
    case display
    /// Gives the angle of the hinge together with the display's; decides no orientation.
    case base
}
