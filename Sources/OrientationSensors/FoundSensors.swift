// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
import SystemdBus

/// What a look for sensors has found.
package struct FoundSensors: Sendable {
    package internal(set) var sensors: [any SensorDevice] = []

    /// Why a device that looks like a sensor is not among them, each one line.
    package internal(set) var warnings: [String] = []

    init() {}

    /// Looks at this machine, `local:`, or at another; see ``IIOContext/init(uri:)``.
    ///
    /// What is no IIO device is looked for on this machine only.
    package init(at uri: String, of kinds: [SensorKind] = SensorKind.allCases) throws(SystemError) {
        let context = try IIOContext(uri: uri)
        self = try context.sensors(of: kinds)
        guard context.isLocal else { return }
        if kinds.contains(.accelerometer) || kinds.contains(.proximity) { addInputDevices(kinds) }
        if kinds.contains(.ambientLight) { addPlatformLights() }
    }

    private mutating func addInputDevices(_ kinds: [SensorKind]) {
        do throws(SystemError) {
            for node in try Device.all(inSubsystem: "input", named: "event*") {
                switch EventNode.sensorKind(of: node) {
                case .accelerometer where kinds.contains(.accelerometer):
                    if let sensor = InputAccelerometer(node) { sensors.append(sensor) }
                case .proximity where kinds.contains(.proximity):
                    if let sensor = ProximitySwitch(node) { sensors.append(sensor) }
                default: break
                }
            }
        } catch {
            warnings.append("\(error)")
        }
    }

    private mutating func addPlatformLights() {
        do throws(SystemError) {
            for device in try Device.all(inSubsystem: "platform", withAttribute: PlatformLight.attribute) {
                if let sensor = PlatformLight(device) { sensors.append(sensor) }
            }
        } catch {
            warnings.append("\(error)")
        }
    }
}
