// SPDX-License-Identifier: Apache-2.0

/// What a scan for sensors has found.
package struct FoundSensors: Sendable {
    package internal(set) var sensors: [any SensorDevice] = []

    /// Why a device that looks like a sensor is not among them, each one line.
    package internal(set) var warnings: [String] = []

    /// Whether it is of all devices; otherwise of one that answers late, or some may have come meanwhile.
    package internal(set) var isComplete = true

    /// The paths in sysfs of the sensors whose devices udev has announced since they were found last.
    package internal(set) var announced: Set<String> = []

    /// Adds what another job has found; `isAnnounced`: udev has announced its device since.
    mutating func append(_ other: FoundSensors, isAnnounced: Bool) {
        sensors += other.sensors
        warnings += other.warnings
        if isAnnounced { announced.formUnion(other.sensors.map { $0.description.sysfsPath }) }
    }
}
