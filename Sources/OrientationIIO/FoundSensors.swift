// SPDX-License-Identifier: Apache-2.0

/// What a look for sensors has found.
package struct FoundSensors: Sendable {
    package internal(set) var sensors: [IIOSensor] = []

    /// Why a device that looks like a sensor is not among them, each one line.
    package internal(set) var warnings: [String] = []
}
