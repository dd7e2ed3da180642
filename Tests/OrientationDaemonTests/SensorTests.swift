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
    var starts = 0
    var stops = 0

    func start() {
        starts += 1
    }

    func stop(completion: @escaping () -> Void) {
        stops += 1
        completion()
    }
}

@Suite struct SensorTests {
    private let sensor = Sensor(status, identity)
    private let source = Source()

    private static let identity = Sensor.Identity(sysfsPath: "/sys/devices/a", name: "accel", location: .display)

    private static let status = SensorStatus(
        name: "accel",
        sysfsPath: "/sys/devices/a",
        location: .display,
        mode: .buffer,
        sampleRate: 15,
        mountMatrix: []
    )

    /// Plugs the sensor in, or in again.
    private func attach(_ source: Source, _ identity: Sensor.Identity = identity, isNeeded: Bool = true) {
        sensor.attach(source, identity, Self.status, isNeeded: isNeeded)
    }

    @Test func `a sensor without a device does not work, and cannot begin`() {
        #expect(!sensor.works && !sensor.hasFailed && sensor.state == .idle && sensor.name == "accel")
        sensor.began()
        #expect(sensor.state == .idle)
        sensor.rest()
        sensor.detach()
        #expect(sensor.state == .idle)
    }

    @Test func `it samples when its source has begun, in the way that the source then has`() {
        attach(source)
        #expect(sensor.works && sensor.state == .idle && source.starts == 0)
        source.mode = .poll
        source.sampleRate = 12.5
        sensor.began()
        #expect(sensor.state == .sampling)
        #expect(sensor.status.mode == .poll && sensor.status.sampleRate == 12.5)
        sensor.rest()
        #expect(sensor.state == .idle && source.stops == 1 && sensor.works)
    }

    @Test func `it is lost when its source fails, with the reason until samples come again`() {
        attach(source)
        sensor.began()
        sensor.failed("no more")
        #expect(sensor.state == .lost && sensor.status.lastError == "no more")
        #expect(!sensor.works && sensor.hasFailed && sensor.source === source)
        sensor.rest()
        #expect(sensor.state == .lost, "rest does not find what was lost")

        let next = Source()
        let moved = Sensor.Identity(sysfsPath: "/sys/devices/b", name: "accel", location: .display)
        attach(next, moved)
        #expect(sensor.works && sensor.state == .lost && sensor.identity == moved)
        next.mode = .poll
        sensor.began()
        #expect(sensor.state == .lost && sensor.status.lastError == "no more", "no sample has come yet")
        #expect(sensor.status.mode == .poll)
        sensor.recovered()
        #expect(sensor.state == .sampling && sensor.status.lastError == "")
    }

    @Test func `one that comes back while nobody needs it is not lost any more`() {
        attach(source)
        sensor.failed("gone")
        attach(Source(), isNeeded: false)
        #expect(sensor.state == .idle && sensor.status.lastError == "")
    }

    @Test func `a sample changes nothing for a sensor that is not lost`() {
        attach(source)
        sensor.recovered()
        #expect(sensor.state == .idle)
    }

    @Test func `a source that is replaced or let go is stopped and not listened to`() {
        source.onEvent = { _ in }
        attach(source)
        let next = Source()
        next.onEvent = { _ in }
        attach(next)
        #expect(source.stops == 1 && source.onEvent == nil)
        #expect(sensor.source === next && next.stops == 0 && next.onEvent != nil)
        sensor.detach()
        #expect(next.stops == 1 && next.onEvent == nil)
        #expect(sensor.source == nil && !sensor.works)
    }

    @Test func `a warning is new once`() {
        #expect(sensor.isNew("a"))
        #expect(sensor.isNew("b"))
        #expect(!sensor.isNew("a"))
    }

    @Test func `a failure is news once, until it has been read for a while or the reason is another`() {
        attach(source)
        #expect(sensor.failed("no more"))
        #expect(!sensor.failed("no more"))
        #expect(sensor.failed("gone"))
        sensor.recovered()
        #expect(!sensor.failed("gone"), "one reading proves nothing")
        sensor.settled()
        #expect(sensor.failed("gone"))
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
        let other = Sensor.Identity(sysfsPath: path, name: name, location: location)
        #expect(Self.identity.isSameSensor(as: other) == isSame)
    }

    @Test(arguments: [SensorLocation.display, .unknown, .base], [false, true])
    func `all count but the input device in a base, which watches over a disk`(
        location: SensorLocation,
        isSubstitute: Bool
    ) {
        let identity = Sensor.Identity(sysfsPath: "", name: "accel", location: location)
        let sensor = Sensor(Self.status, identity, isSubstitute: isSubstitute)
        #expect(sensor.counts == !(location == .base && isSubstitute))
    }
}
