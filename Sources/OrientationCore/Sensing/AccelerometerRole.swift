// SPDX-License-Identifier: Apache-2.0

/// The half of the machine that an accelerometer measures, as recordings name it.
public enum AccelerometerRole: String, NamedValue {
    /// Determines the orientation.
    case display
    /// Determines the hinge angle, together with the display's.
    case base

    var other: AccelerometerRole { self == .display ? .base : .display }
}

/// A value for the accelerometer of each half of the machine.
public struct PerRole<Value> {
    public var display: Value
    public var base: Value

    /// Creates the same value for both.
    public init(_ value: Value) {
        display = value
        base = value
    }

    public subscript(role: AccelerometerRole) -> Value {
        get { role == .display ? display : base }
        set { if role == .display { display = newValue } else { base = newValue } }
    }
}

extension PerRole: Sendable where Value: Sendable {}
extension PerRole: Equatable where Value: Equatable {}
extension PerRole: Hashable where Value: Hashable {}
