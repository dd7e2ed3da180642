// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// The values of `org.orientd1.Sensor`.
package struct SensorStatus: Hashable {
    package var name: String
    package var sysfsPath: String
    package var location: String
    package var mode: String
    /// In Hz; 0 while unknown.
    package var sampleRate: Double
    /// Row by row.
    package var mountMatrix: [Double]
    package var state = SensorState.idle
    /// Empty while all is well.
    package var lastError = ""

    package init(
        name: String,
        sysfsPath: String,
        location: String,
        mode: String,
        sampleRate: Double,
        mountMatrix: [Double]
    ) {
        self.name = name
        self.sysfsPath = sysfsPath
        self.location = location
        self.mode = mode
        self.sampleRate = sampleRate
        self.mountMatrix = mountMatrix
    }
}

/// An object `/org/orientd1/sensor/N`: one accelerometer, also one in a base, which turns nothing.
package final class SensorObject {
    package let path: String

    /// The present values; assigning announces those that differ.
    package var status: SensorStatus {
        get { properties.status }
        set { bus.announce(properties.update(to: newValue), of: Names.sensor, at: path) }
    }

    private let bus: Bus
    private let properties: PublishedProperties<SensorStatus>
    private let slot: BusSlot

    /// Exports sensor `number` and announces it through ObjectManager.
    package init(bus: Bus, number: Int, status: SensorStatus) throws(SystemError) {
        self.bus = bus
        path = Names.sensorPath + "\(number)"
        properties = PublishedProperties(status)
        let interface = BusInterface(Names.sensor, members: 8)
        properties.add("Name", to: interface) { $0.name }
        properties.add("SysfsPath", to: interface) { $0.sysfsPath }
        properties.add("Location", to: interface) { $0.location }
        properties.add("Mode", to: interface) { $0.mode }
        properties.add("SampleRate", to: interface) { $0.sampleRate }
        properties.add("MountMatrix", to: interface) { $0.mountMatrix }
        properties.add("State", to: interface) { $0.state.name }
        properties.add("LastError", to: interface) { $0.lastError }
        slot = try bus.export(interface, at: path)
        bus.announceObject(at: path)
    }
}
