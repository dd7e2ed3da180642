// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SystemdBus
import Testing

@testable import OrientationSensors

@Suite struct DeviceReplayTests {
    private var replay = DeviceReplay()
    private var device = RecordedDevice()

    init() {
        (device.number, device.name, device.path, device.canPoll, device.rate) = (1, "accel", "/sys/a", true, 15)
    }

    /// What is known of a sensor after all changes.
    private func values(_ name: String, of number: Int = 1) -> String? {
        let changes = replay.changes.filter { $0.number == number }
        return changes.flatMap { $0.values }.last { $0.name == name }?.value.text
    }

    private mutating func handle(_ event: RecordedEvent, at time: Double = 0) {
        #expect(replay.handle(event, at: time) == nil)
    }

    /// Finds the device, and opens it as a claim does.
    private mutating func open() {
        handle(.deviceFound(device))
        handle(.scanned)
        handle(.device(1, .finished(.done(warnings: []))))
        var effects = Effects()
        effects.reads.display = true
        replay.handle(.claims(1), effects, at: 1)
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
        var effects = Effects()
        effects.reads.display = true
        effects.step = .suspend
        replay.handle(.sleep, effects, at: 3)
        handle(.device(1, .finished(.done(warnings: []))), at: 4)
        #expect(values("Activity") == "closed" && values("State") == "idle")
        effects.step = .resume
        replay.handle(.wake, effects, at: 5)
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
        handle(.scanned, at: 4)
        #expect(replay.changes.last?.number == 1 && values("SysfsPath") == "/sys/c" && values("State") == "idle")
    }

    // Readings of an accelerometer have lines of their own, those of a light sensor have none.
    @Test mutating func `a light sensor that was lost works again with its first reading`() {
        device.kind = .ambientLight
        handle(.deviceFound(device))
        handle(.scanned)
        handle(.device(1, .finished(.done(warnings: []))))
        handle(.needed(.ambientLight, true), at: 1)
        handle(.device(1, .finished(.failed("broken"))), at: 2)
        #expect(values("State") == "lost" && values("LastError") == "broken")
        handle(.device(1, .finished(.done(warnings: []))), at: 3)
        handle(.deviceFound(device), at: 4)
        handle(.device(1, .finished(.done(warnings: []))), at: 5)
        handle(.scanned, at: 6)
        handle(.device(1, .finished(.opened(DeviceOpening()))), at: 7)
        #expect(values("Activity") == "polled" && values("State") == "lost")
        handle(.device(1, .reading(showsMotion: true)), at: 8)
        #expect(values("State") == "sampling" && values("LastError")?.isEmpty == true)
    }

    @Test mutating func `events of unknown devices are reported`() {
        #expect(replay.handle(.device(1, .rescaled), at: 0) == .malformedArgument("device"))
        #expect(replay.handle(.deviceRemoved(1, ""), at: 0) == .malformedArgument("device"))
        open()
        device.kind = .compass
        #expect(replay.handle(.deviceFound(device), at: 0) == .malformedArgument("device"))
        device.role = .base
        #expect(replay.handle(.deviceFound(device), at: 0) == .malformedArgument("role"))
    }

    // The seconds without an answer trapped as an integer.
    @Test mutating func `a device does not answer for longer than there are seconds`() {
        open()
        handle(.device(1, .deadlinePassed), at: 1e300)
        #expect(values("State") == "lost" && values("LastError") == "no answer for 1000000000 s")
    }
}
