// SPDX-License-Identifier: Apache-2.0

/// What a look for sensors has found.
package struct FoundSensors: Sendable {
    package internal(set) var sensors: [any SensorDevice] = []

    /// Why a device that looks like a sensor is not among them, each one line.
    package internal(set) var warnings: [String] = []

    init() {}

    /// Looks at this machine, `local:`, or at another; see ``IIOContext/init(uri:)``.
    package init(at uri: String, of kinds: [SensorKind] = SensorKind.allCases) throws(IIOError) {
        self = try IIOContext(uri: uri).sensors(of: kinds)
    }
}
