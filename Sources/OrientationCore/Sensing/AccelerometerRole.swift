// SPDX-License-Identifier: Apache-2.0

/// The half of the machine that an accelerometer stands for.
public enum AccelerometerRole: UInt8, NamedValue, Hashable, Sendable {
    /// Decides the orientation.
    case display
    /// Tells the angle of the hinge together with the display's; decides no orientation.
    case base

    /// The name in recordings.
    public var name: String { self == .display ? "display" : "base" }
}
