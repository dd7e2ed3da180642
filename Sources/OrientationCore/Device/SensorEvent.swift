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

/// An input of ``SensorSelection``; sensors have numbers.
package enum SensorEvent: Hashable, Sendable {
    // MARK: From udev and scans

    /// A scan found the sensor, for the first time or again.
    case found(Int, SensorIdentity, isSubstitute: Bool)
    /// The sensor's device was unplugged, or became another sensor, and why.
    case removed(Int, String)
    /// udev announced a device: the next scan may bring what was missing.
    case announced
    /// A scan has ended; whether another one may bring back a sensor that failed, or new ones.
    case scanned(mayReturn: RescanReason, retries: Bool)

    // MARK: From the daemon

    /// Whether somebody needs readings.
    case needed(Bool)
    case lifecycle(OrientationMachine.Lifecycle)

    // MARK: From a sensor

    case report(Int, DeviceReport)
    /// A reading came; nil for other kinds than accelerometers.
    case sample(Int, AccelerometerSample?)
    /// The recording is over.
    case ended(Int)
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

/// What is to be done after a ``SensorEvent``.
package struct SensorCommands: Hashable, Sendable {
    package var log: SensorLog?
    /// When to scan again, in place of any earlier time; nil where the timer stays as it is.
    package var retry: Retry?
    /// A sensor to stop.
    package var stop: Int?
    /// A sensor to start, also if it was just stopped.
    package var start: Int?
    /// A sensor that was unplugged long ago, and is to be removed from the bus.
    package var forget: Int?
    /// Whether the state of the selection, or of one of its sensors, changed.
    package var isChanged = false
    /// Scan for devices now.
    package var scans = false

    package enum Retry: Hashable, Sendable {
        case never
        /// In seconds.
        case after(Double)
    }

    package init() {}
}

/// A line for the log about a sensor.
package struct SensorLog: Hashable, Sendable {
    package var sensor: Int
    package var isWarning: Bool
    package var text: String

    package static let recordingEnded = "the recording has ended"
}
