// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
import SystemdBus

/// What a scan for sensors has found.
package struct FoundSensors: Sendable {
    package internal(set) var sensors: [any SensorDevice] = []

    /// Why a device that looks like a sensor is not among them, each one line.
    package internal(set) var warnings: [String] = []

    /// Delays the unloading of libiio, which takes a millisecond, until the result has been handled.
    private var context: IIOContext?

    init() {}

    /// Scans this machine, `local:`, or another; see ``IIOContext/init(uri:)``.
    ///
    /// Only on this machine it scans other subsystems than IIO.
    package init(at uri: String, of kinds: [SensorKind] = SensorKind.allCases) throws(SystemError) {
        let context = try IIOContext(uri: uri)
        self = try context.sensors(of: kinds)
        self.context = context
        if context.isLocal { addOtherDevices(kinds) }
    }

    private mutating func addOtherDevices(_ kinds: [SensorKind]) {
        do throws(SystemError) {
            for node in try Device.all(inSubsystem: "input", named: "event*") {
                guard let kind = EventNode.sensorKind(of: node), kinds.contains(kind) else { continue }
                let sensor: (any SensorDevice)? = kind == .proximity ? ProximitySwitch(node) : InputAccelerometer(node)
                if let sensor { sensors.append(sensor) }
            }
            guard kinds.contains(.ambientLight) else { return }
            for device in try Device.all(inSubsystem: "platform", withAttribute: PlatformLight.attribute) {
                if let sensor = PlatformLight(device) { sensors.append(sensor) }
            }
        } catch {
            warnings.append("\(error)")
        }
    }
}
