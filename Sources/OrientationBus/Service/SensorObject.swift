// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// The values of `org.orientd1.Sensor`.
package struct SensorStatus: Hashable {
    package var name = ""
    /// Empty for a source that is not a device of this machine.
    package var sysfsPath = ""
    package var location = SensorLocation.unknown
    package var mode = SensorMode.poll
    /// In Hz; 0 while unknown.
    package var sampleRate = 0.0
    /// Row by row.
    package var mountMatrix: [Double] = []
    /// The sign of z, after the matrix, while that half faces up.
    package var faceUp = SensorFrame.FaceUp.positiveZ
    /// What that sign follows from; nil for a source that is no sensor.
    package var faceUpReason: SensorFrame.FaceUpReason?
    /// Meaningful while it samples.
    package var sensingLevel = SensingLevel.stream
    package var state = SensorState.idle
    /// Empty while the sensor works.
    package var lastError = ""

    /// Every property of the interface.
    package static let properties: [Property<SensorStatus>] = [
        .text("Name") { $1(&$0.name) },
        .text("SysfsPath") { $1(&$0.sysfsPath) },
        .name("Location") { $1(&$0.location) },
        .name("Mode") { $1(&$0.mode) },
        .decimal("SampleRate") { $1(&$0.sampleRate) },
        .name("SensingLevel") { $1(&$0.sensingLevel) },
        .decimals("MountMatrix") { $1(&$0.mountMatrix) },
        .name("FaceUp") { $1(&$0.faceUp) },
        .optionalName("FaceUpReason") { $1(&$0.faceUpReason) },
        .name("State") { $1(&$0.state) },
        .text("LastError") { $1(&$0.lastError) },
    ]

    package init() {}
}

/// An object `/org/orientd1/sensor/N`: one accelerometer, of the display or the base.
package final class SensorObject {
    /// The current values; assigning announces those that differ.
    package var status: SensorStatus {
        get { properties.status }
        set { properties.publish(newValue) }
    }

    private let path: String
    private let bus: Bus
    private let properties: PublishedProperties<SensorStatus>
    private let slot: BusSlot

    /// Exports sensor `number` and announces it through ObjectManager.
    package init(bus: Bus, number: Int, status: SensorStatus) throws(SystemError) {
        self.bus = bus
        path = Names.sensorPath + "\(number)"
        let interface = BusInterface(Names.sensor)
        properties = PublishedProperties(status, SensorStatus.properties, of: interface, at: path, on: bus)
        slot = try bus.export(interface, at: path)
        bus.announceObject(at: path)
    }

    deinit { bus.announceObjectRemoved(at: path) }
}
