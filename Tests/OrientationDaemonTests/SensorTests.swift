// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import OrientationSensors
import Testing

@testable import OrientationDaemon

/// A source that only notes what is asked of it.
private final class Source: SensorSource {
    var onEvent: ((SourceEvent) -> Void)?
    var mode = SensorMode.buffer
    var sampleRate = 15.0
    var stops = 0
    var removals = 0

    func start() {}

    let isClosed = true

    func stop() { stops += 1 }

    func removeDevice() {
        removals += 1
    }
}

@Suite struct SensorTests {
    private let source = Source()
    private let sensor: Sensor

    init() {
        sensor = Sensor(source, Self.status)
    }

    private static let status = SensorStatus(
        name: "accel",
        sysfsPath: "/sys/devices/a",
        location: .display,
        mode: .buffer,
        sampleRate: 15,
        mountMatrix: []
    )

    private func restore(_ source: Source? = nil, _ status: SensorStatus = status, isAwaited: Bool = true) {
        sensor.restore(status, with: source, isAwaited: isAwaited)
    }

    @Test func `it samples when its source has begun, in the mode that the source then has`() {
        #expect(sensor.works && sensor.isPresent && sensor.state == .idle && sensor.name == "accel")
        source.mode = .poll
        source.sampleRate = 12.5
        sensor.begin()
        #expect(sensor.state == .sampling)
        #expect(sensor.status.mode == .poll && sensor.status.sampleRate == 12.5)
        sensor.rest()
        #expect(sensor.state == .idle && source.stops == 1 && sensor.works)
    }

    @Test func `it is lost when its source fails, with the reason until samples come again`() {
        sensor.begin()
        sensor.fail("no more")
        #expect(sensor.state == .lost && sensor.status.lastError == "no more")
        #expect(!sensor.works && sensor.isPresent && sensor.source === source)
        sensor.rest()
        #expect(sensor.state == .lost, "rest does not find what was lost")

        let next = Source()
        let moved = SensorStatus(name: "accel", sysfsPath: "/sys/devices/b", location: .display)
        restore(next, moved)
        #expect(sensor.works && sensor.state == .lost && sensor.status.isSameDevice(as: moved))
        next.mode = .poll
        sensor.begin()
        #expect(sensor.state == .lost && sensor.status.lastError == "no more", "no sample has come yet")
        #expect(sensor.status.mode == .poll)
        sensor.recover()
        #expect(sensor.state == .sampling && sensor.status.lastError == "")
    }

    @Test func `one that hangs is lost, but works still`() {
        sensor.begin()
        sensor.fail("no answer for 6 s", .stalled)
        #expect(sensor.state == .lost && sensor.status.lastError == "no answer for 6 s" && sensor.works)
        sensor.recover()
        #expect(sensor.state == .sampling && sensor.status.lastError == "" && sensor.condition == .working)
    }

    @Test func `one that comes back while nobody needs it is not lost any more`() {
        sensor.fail("gone", .unplugged)
        #expect(!sensor.isPresent)
        restore(isAwaited: false)
        #expect(sensor.state == .idle && sensor.status.lastError == "" && sensor.works)
    }

    @Test func `a sample changes nothing for a sensor that is not lost`() {
        sensor.recover()
        #expect(sensor.state == .idle)
    }

    @Test func `a source that is replaced is closed and not listened to`() {
        source.onEvent = { _ in }
        let next = Source()
        next.onEvent = { _ in }
        restore(next)
        #expect(source.removals == 1 && source.onEvent == nil)
        #expect(sensor.source === next && next.removals == 0 && next.onEvent != nil)
    }

    @Test func `a warning is new once`() {
        #expect(sensor.isNew("a"))
        #expect(sensor.isNew("b"))
        #expect(!sensor.isNew("a"))
    }

    @Test func `a failure is news once, until it has been read for a while or the reason is another`() {
        #expect(sensor.fail("no more"))
        #expect(!sensor.fail("no more"))
        #expect(sensor.fail("gone"))
        sensor.recover()
        #expect(!sensor.fail("gone"), "one reading proves nothing")
        sensor.settle()
        #expect(sensor.fail("gone"))
    }

    static let identities: [(String, String, SensorLocation, Bool)] = [
        ("/sys/devices/a", "accel", .display, true), ("/sys/devices/b", "accel", .display, true),
        ("/sys/devices/a", "other", .display, false), ("/sys/devices/a", "accel", .base, false),
        ("/sys/devices/a", "accel", .unknown, false),
    ]

    @Test(arguments: identities)
    func `a sensor that returns is known by its name and place, whatever its path`(
        path: String,
        name: String,
        location: SensorLocation,
        isSame: Bool
    ) {
        let other = SensorStatus(name: name, sysfsPath: path, location: location)
        #expect(Self.status.isSameSensor(as: other) == isSame)
        #expect(Self.status.isSameDevice(as: other) == (isSame && path == "/sys/devices/a"))
    }

    @Test(arguments: [SensorLocation.display, .unknown, .base], [false, true])
    func `all count but the input device in a base, which protects a disk`(
        location: SensorLocation,
        isSubstitute: Bool
    ) {
        let sensor = Sensor(source, SensorStatus(name: "accel", location: location), isSubstitute: isSubstitute)
        #expect(sensor.counts == !(location == .base && isSubstitute))
    }
}
