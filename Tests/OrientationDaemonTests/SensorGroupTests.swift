// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import OrientationSensors
import SystemdBus
import Testing

@testable import OrientationDaemon

/// A source that only notes whether it runs.
private final class Source: SensorSource {
    var onEvent: ((SourceEvent) -> Void)?
    var mode = SensorMode.poll
    var sampleRate = 2.0
    var isRunning = false

    func start() {
        isRunning = true
    }

    func stop(completion: @escaping () -> Void) {
        isRunning = false
        completion()
    }

    func read(_ level: Double) {
        onEvent?(.sample(.light(level: level, .lux)))
    }
}

private final class Delegate: SensorSupervisorDelegate {
    var readings: [Measurement] = []
    var changes = 0

    func samplingBegan(_ role: AccelerometerRole, rate: Double, mayFallSilent: Bool, faceUp: SensorFrame.FaceUp) {
        Issue.record("only accelerometers announce their rate")
    }

    func received(_ sample: AccelerometerSample, _ role: AccelerometerRole) {
        Issue.record("no accelerometer was read")
    }

    func received(_ measurement: Measurement) {
        readings.append(measurement)
    }

    func sensorChanged(_ kind: SensorKind, _ role: AccelerometerRole) {
        #expect(kind == .ambientLight)
        changes += 1
    }
}

@Suite
struct `The sensors of one kind` {
    private let delegate = Delegate()
    private let group: SensorGroup
    private let first = Source()
    private let second = Source()
    private let loop: EventLoop

    init() throws {
        loop = try EventLoop()
        group = try SensorGroup(.ambientLight, loop: loop, log: Log(isVerbose: false), delegate: delegate) {}
        group.prospect = .failures
    }

    /// Plugs a sensor in, or in again.
    private func plug(
        _ source: Source,
        _ name: String,
        at path: String? = nil,
        isSubstitute: Bool = false
    ) throws {
        let path = path ?? "/sys/devices/" + name
        let identity = Sensor.Identity(sysfsPath: path, name: name, location: .unknown)
        let status = SensorStatus(
            name: name,
            sysfsPath: path,
            location: .unknown,
            mode: .poll,
            sampleRate: 2,
            mountMatrix: []
        )
        _ = try group.adopt(source, identity, status) {
            Sensor(status, identity, isSubstitute: isSubstitute)
        }
        group.choose()
    }

    @Test func `there is none before one is found`() {
        #expect(!group.hasSensor && group.state == .none && !group.isHopeful && group.reading == nil)
        #expect(!group.need(true))
        #expect(!group.isHopeful)
    }

    @Test func `the first that was found is read, and only while it is needed`() throws {
        try plug(first, "a")
        try plug(second, "b")
        #expect(group.hasSensor && group.isHopeful && group.name == "a" && !first.isRunning)
        #expect(!group.need(true))
        #expect(first.isRunning && !second.isRunning)
        first.onEvent?(.started(warnings: []))
        #expect(group.state == .sampling && group.reading == nil)
        first.read(7)
        second.read(8)
        #expect(group.reading == .light(level: 7, .lux) && delegate.readings == [.light(level: 7, .lux)])
        #expect(!group.need(false))
        #expect(!first.isRunning && group.state == .idle && group.reading == nil)
    }

    @Test func `one that comes while it is needed is read at once`() throws {
        _ = group.need(true)
        try plug(first, "a")
        #expect(first.isRunning)
    }

    @Test func `a substitute gives way to a better one that comes later, and takes its place when it goes`() throws {
        _ = group.need(true)
        try plug(first, "a", isSubstitute: true)
        #expect(first.isRunning)
        try plug(second, "b")
        #expect(second.isRunning && !first.isRunning && group.name == "b")
        group.remove(at: "/sys/devices/b")
        #expect(first.isRunning && group.name == "a" && group.hasSensor)
    }

    @Test func `another takes the place of one that fails`() throws {
        try plug(first, "a")
        try plug(second, "b")
        _ = group.need(true)
        first.onEvent?(.failed("no more"))
        #expect(second.isRunning && group.name == "b")
        #expect(!group.canRetry)
    }

    @Test func `the only one stays when it fails, and looking again may bring it back`() throws {
        try plug(first, "a")
        _ = group.need(true)
        let changes = delegate.changes
        first.onEvent?(.failed("no more"))
        #expect(group.hasSensor && group.state == .lost && group.canRetry && delegate.changes > changes)
        #expect(!group.need(false))
        #expect(group.need(true), "what is needed is worth a look")
    }

    @Test func `one that fails every other time is tried ever more rarely, until it is sound again`() throws {
        try plug(first, "a")
        _ = group.need(true)
        for delay in [0.5, 1, 2, 4] {
            #expect(group.delay == delay)
            first.onEvent?(.started(warnings: []))
            for _ in 0..<99 { first.read(1) }
            first.onEvent?(.failed("Input/output error"))
            try plug(first, "a")
        }
        first.onEvent?(.started(warnings: []))
        for _ in 0..<100 { first.read(1) }
        #expect(group.delay == 0.5)
    }

    @Test func `one that is plugged in again goes on without being asked, at another path too`() throws {
        try plug(first, "a")
        _ = group.need(true)
        group.remove(at: "/sys/devices/a")
        #expect(!group.hasSensor && group.state == .lost && !group.canRetry, "udev will tell")
        try plug(second, "a", at: "/sys/devices/other")
        #expect(group.hasSensor && second.isRunning && group.state == .lost)
        second.onEvent?(.started(warnings: []))
        second.read(3)
        #expect(group.state == .sampling && group.reading == .light(level: 3, .lux))
    }

    @Test func `what nothing tells of is worth a look as long as none works`() throws {
        group.prospect = .arrivals
        #expect(group.need(true))
        #expect(group.isHopeful)
        try plug(first, "a")
        #expect(!group.canRetry)
    }

    @Test func `a device is in use while its sensor works`() throws {
        let identity = Sensor.Identity(sysfsPath: "/sys/devices/a", name: "a", location: .unknown)
        #expect(group.user(of: identity) == nil && !group.isInUse(at: identity.sysfsPath))
        try plug(first, "a")
        #expect(group.user(of: identity)?.name == "a" && group.isInUse(at: identity.sysfsPath))
        first.onEvent?(.failed("no more"))
        #expect(group.user(of: identity) == nil && !group.isInUse(at: identity.sysfsPath))
    }

    @Test func `a sensor goes when its device is another one, and only then`() throws {
        try plug(first, "a")
        var endings = 0
        func makeRoom(_ path: String, _ location: SensorLocation) -> Bool {
            let identity = Sensor.Identity(sysfsPath: path, name: "a", location: location)
            return group.makeRoom(for: identity) { endings += 1 }
        }
        #expect(!makeRoom("/sys/devices/a", .unknown) && !makeRoom("/sys/devices/b", .base) && !makeRoom("", .base))
        #expect(group.hasSensor && endings == 0)
        #expect(makeRoom("/sys/devices/a", .base))
        #expect(!group.hasSensor && group.state == .lost && endings == 1)
    }
}
