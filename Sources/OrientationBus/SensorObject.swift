// SPDX-License-Identifier: Apache-2.0

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

/// An object `/org/orientd1/sensor/N`: one accelerometer, also a base one that drives nothing.
package final class SensorObject {
    package let path: String

    /// The present values; assigning announces those that differ.
    package var status: SensorStatus {
        didSet { announceChanges(since: oldValue) }
    }

    private let bus: Bus
    private var slot: BusSlot?

    /// Exports sensor `number` and announces it through ObjectManager.
    package init(bus: Bus, number: Int, status: SensorStatus) throws(SystemError) {
        self.bus = bus
        self.status = status
        path = Names.sensorPath + "\(number)"
        let interface = BusInterface(Names.sensor, members: 8)
        interface.property("Name", "s") { [self] in $0.append(self.status.name) }
        interface.property("SysfsPath", "s") { [self] in $0.append(self.status.sysfsPath) }
        interface.property("Location", "s") { [self] in $0.append(self.status.location) }
        interface.property("Mode", "s") { [self] in $0.append(self.status.mode) }
        interface.property("SampleRate", "d") { [self] in $0.append(self.status.sampleRate) }
        interface.property("MountMatrix", "ad") { [self] message in
            message.appendArray("d") { for value in self.status.mountMatrix { message.append(value) } }
        }
        interface.property("State", "s") { [self] in $0.append(self.status.state.rawValue) }
        interface.property("LastError", "s") { [self] in $0.append(self.status.lastError) }
        slot = try bus.export(interface, at: path)
        bus.announceObject(at: path)
    }

    private func announceChanges(since old: SensorStatus) {
        var changed: [String] = []
        if status.name != old.name { changed.append("Name") }
        if status.sysfsPath != old.sysfsPath { changed.append("SysfsPath") }
        if status.location != old.location { changed.append("Location") }
        if status.mode != old.mode { changed.append("Mode") }
        if status.sampleRate != old.sampleRate { changed.append("SampleRate") }
        if status.mountMatrix != old.mountMatrix { changed.append("MountMatrix") }
        if status.state != old.state { changed.append("State") }
        if status.lastError != old.lastError { changed.append("LastError") }
        bus.announce(changed, of: Names.sensor, at: path)
    }
}
