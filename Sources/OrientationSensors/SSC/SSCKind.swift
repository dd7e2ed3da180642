// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore

extension SensorKind {
    /// The sensor core's name of the type, the word for it in udev's property, and the rate in Hz that is enough.
    var ssc: (type: String, word: String, rate: Double) {
        switch self {
        case .accelerometer: ("accel", "ssc-accel", 10)
        case .ambientLight: ("ambient_light", "ssc-light", 1)
        case .proximity: ("proximity", "ssc-proximity", 5)
        // The attitude of the device, from which the heading follows.
        case .compass: ("rotv", "ssc-compass", 5)
        // There is no word for it, as iio-sensor-proxy reads none.
        case .hinge: ("hinge_angle", "ssc-accel", 1)
        }
    }

    /// The value of an event in x, or those of an accelerometer; nil where it has none.
    func sscValue(_ event: SSCEvent) -> Vector3? {
        switch (self, event) {
        case (.accelerometer, .reading(let values)):
            return Vector3(Double(values.x), Double(values.y), Double(values.z))
        case (.hinge, .reading(let values)): return Vector3(Double(values.x), 0, 0)
        case (.ambientLight, .reading(let values)) where values.x >= 0: return Vector3(Double(values.x), 0, 0)
        case (.proximity, .state(let state)): return Vector3(state == 1 ? 1 : 0, 0, 0)
        case (.proximity, .reading(let values)): return Vector3(values.x == 1 ? 1 : 0, 0, 0)
        case (.compass, .reading(let values)):
            // A quaternion: the direction of the device's y axis, on a map.
            let east = values.x * values.y - values.z * values.w
            let north = 0.5 - values.x * values.x - values.z * values.z
            let degrees = atan2(Double(east), Double(north)) * 180 / .pi
            return degrees.isFinite ? Vector3(degrees, 0, 0) : nil
        default: return nil
        }
    }
}
