// SPDX-License-Identifier: Apache-2.0

/// What tells a sensor from others.
package struct SensorIdentity: Hashable, Sendable {
    package var name: String
    package var location: SensorLocation
    /// The directory of its device; empty for a source that is not a device of this machine.
    package var path: String

    package init(name: String, location: SensorLocation, path: String) {
        self.name = name
        self.location = location
        self.path = path
    }

    /// Whether both may be the same sensor, which can be plugged in again at another path.
    package func isSameSensor(as other: SensorIdentity) -> Bool { name == other.name && location == other.location }
}

/// What another scan can bring.
public enum RescanReason: String, NamedValue {
    /// Nothing: the sensor is no device.
    case none
    /// Failed sensors; udev announces new ones.
    case failures
    /// New ones too.
    case arrivals
}

/// What is to be done after an event of a ``SensorSelection``.
package struct SensorCommands: Hashable, Sendable {
    package var log: SensorLog?
    /// A sensor to stop.
    package var stop: Int?
    /// A sensor to start, also if it was just stopped.
    package var start: Int?
    /// Whether the stopped sensor is polled from now on.
    package var leavesBuffer = false
    /// A sensor that was unplugged long ago, and is to be removed from the bus.
    package var forget: Int?
    /// Whether the state of the selection, or of one of its sensors, changed.
    package var isChanged = false
    /// Scan for devices now.
    package var scans = false

    package init() {}
}

/// A line for the log about a sensor.
package struct SensorLog: Hashable, Sendable {
    package var sensor: Int
    package var isWarning: Bool
    package var text: String

    package static let recordingEnded = "the recording has ended"
}
