// SPDX-License-Identifier: Apache-2.0

/// What a sensor measures.
public enum SensorKind: UInt8, CaseIterable, Hashable, Sendable {
    /// Acceleration on three axes.
    case accelerometer

    /// The brightness around the device.
    case ambientLight

    /// Whether something is near the front of the device.
    case proximity

    /// The direction that the device points to, from north.
    case compass

    /// The kind as messages call it.
    public var name: String {
        switch self {
        case .accelerometer: "accelerometer"
        case .ambientLight: "light sensor"
        case .proximity: "proximity sensor"
        case .compass: "compass"
        }
    }
}
