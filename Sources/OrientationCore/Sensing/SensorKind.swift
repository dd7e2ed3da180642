// SPDX-License-Identifier: Apache-2.0

/// What a sensor measures; the names are those that messages use.
public enum SensorKind: String, NamedValue {
    case accelerometer
    case ambientLight = "light sensor"
    /// Whether something is near the front of the device.
    case proximity = "proximity sensor"
    /// The heading of the device, from north.
    case compass
    /// The angle of the hinge.
    case hinge = "hinge sensor"
}
