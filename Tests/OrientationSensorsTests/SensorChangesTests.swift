// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SystemdBus
import Testing

@testable import OrientationSensors

@Suite struct SensorChangesTests {
    private var machine = OrientationMachine(MachineConfiguration(), saved: nil, at: 0)
    private var sensors = SensorChanges()
    private var changes: [(number: Int, name: String, values: SensorChanges.Values)] = []
    private var device = FoundDevice()

    init() {
        (device.number, device.name, device.path, device.canPoll, device.rate) = (1, "accel", "/sys/a", true, 15)
    }

    /// What is known of a sensor after all changes.
    private func values(_ name: String, of number: Int = 1) -> String? {
        let ofSensor = changes.filter { $0.number == number }
        return ofSensor.flatMap { $0.values }.last { $0.name == name }?.value.text
    }

    private mutating func handle(_ event: Event, at time: Double = 0) {
        #expect(machine.table.fault(of: event) == nil)
        let effects = machine.handle(event, at: time)
        changes += sensors.update(machine.table, effects)
    }

    private let scanned = Event.scanned(mayReturn: .failures, retries: false)

    /// Finds the device, and opens it as a claim does.
    private mutating func open() {
        handle(.deviceFound(device))
        handle(scanned)
        handle(.device(1, .finished(.done(warnings: []))))
        handle(.claims(1), at: 1)
    }

    @Test mutating func `a claim opens the device that was found`() {
        open()
        #expect(values("Activity") == "opening" && values("State") == "idle" && values("InUse") == "true")
        handle(.device(1, .finished(.opened(DeviceOpening()))), at: 2)
        #expect(values("Activity") == "polled" && values("State") == "sampling" && values("SampleRate") == "15.0")
    }

    @Test mutating func `the devices are closed when the machine sleeps, and opened again when it wakes`() {
        open()
        handle(.device(1, .finished(.opened(DeviceOpening()))), at: 2)
        handle(.sleep, at: 3)
        handle(.device(1, .finished(.done(warnings: []))), at: 4)
        #expect(values("Activity") == "closed" && values("State") == "idle")
        handle(.wake, at: 5)
        #expect(values("Activity") == "opening")
    }

    @Test mutating func `another sensor is read when the first is lost, and a sensor that moved keeps its number`() {
        open()
        (device.number, device.path) = (2, "/sys/b")
        handle(.deviceFound(device))
        handle(.device(2, .finished(.done(warnings: []))))
        handle(.deviceRemoved(1, "unplugged"), at: 2)
        #expect(values("InUse", of: 2) == "true" && values("Activity", of: 2) == "opening")
        #expect(values("InUse") == "false" && values("State") == "lost")
        (device.number, device.path) = (1, "/sys/c")
        handle(.deviceFound(device), at: 3)
        handle(scanned, at: 4)
        #expect(changes.last?.number == 1 && values("SysfsPath") == "/sys/c" && values("State") == "idle")
    }

    // Readings of an accelerometer have lines of their own, those of a light sensor have none.
    @Test mutating func `a light sensor that was lost works again with its first reading`() {
        device.kind = .ambientLight
        handle(.deviceFound(device))
        handle(scanned)
        handle(.device(1, .finished(.done(warnings: []))))
        handle(.needed(.ambientLight, true), at: 1)
        handle(.device(1, .finished(.failed("broken"))), at: 2)
        #expect(values("State") == "lost" && values("LastError") == "broken")
        handle(.device(1, .finished(.done(warnings: []))), at: 3)
        handle(.deviceFound(device), at: 4)
        handle(.device(1, .finished(.done(warnings: []))), at: 5)
        handle(scanned, at: 6)
        handle(.device(1, .finished(.opened(DeviceOpening()))), at: 7)
        #expect(values("Activity") == "polled" && values("State") == "lost")
        handle(.device(1, .reading(showsMotion: true)), at: 8)
        #expect(values("State") == "sampling" && values("LastError")?.isEmpty == true)
    }

    @Test mutating func `events of unknown devices are faults`() {
        #expect(machine.table.fault(of: .device(1, .rescaled(nil))) == .malformedArgument("device"))
        #expect(machine.table.fault(of: .deviceRemoved(1, "")) == .malformedArgument("device"))
        open()
        device.kind = .compass
        #expect(machine.table.fault(of: .deviceFound(device)) == .malformedArgument("device"))
    }

    // The seconds without an answer trapped as an integer.
    @Test mutating func `a device does not answer for longer than there are seconds`() {
        open()
        handle(.deadlinePassed(.sensors), at: 1e300)
        #expect(values("State") == "lost" && values("LastError") == "no answer for 1000000000 s")
    }
}
