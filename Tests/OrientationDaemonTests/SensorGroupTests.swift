// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus
import Testing

@testable import OrientationDaemon

/// A source that only notes what is asked of it.
private final class Source: SensorSource {
    var onEvent: ((SourceEvent) -> Void)?
    var mode = SensorMode.poll
    var sampleRate = 2.0
    var isRunning = false
    var starts = 0
    var isRemoved = false

    func start() {
        isRunning = true
        starts += 1
    }

    func removeDevice() {
        isRunning = false
        isRemoved = true
    }

    var isClosed: Bool { !isRunning }

    func stop() { isRunning = false }

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
        Issue.record("it is no accelerometer")
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
        group = try SensorGroup(.ambientLight, loop: loop, log: Log("orientd", isVerbose: false), delegate: delegate) {}
        group.rescanReason = .failures
    }

    /// Plugs a sensor in, for the first time or again.
    private func plug(
        _ source: Source,
        _ name: String,
        at path: String? = nil,
        isSubstitute: Bool = false
    ) throws {
        let path = path ?? "/sys/devices/" + name
        let status = SensorStatus(
            name: name,
            sysfsPath: path,
            location: .unknown,
            mode: .poll,
            sampleRate: 2,
            mountMatrix: []
        )
        if let sensor = group.sensor(status) {
            group.restore(sensor, status)
        } else {
            _ = try group.adopt(source, status) { Sensor(source, status, isSubstitute: isSubstitute) }
        }
        group.choose()
    }

    private func state(_ name: String) -> SensorState? {
        group.sensor(SensorStatus(name: name, sysfsPath: "/sys/devices/" + name))?.state
    }

    @Test func `there is none before one is found`() {
        #expect(!group.hasSensor && group.state == .none && !group.mayDeliverReadings && group.reading == nil)
        #expect(!group.read(true))
        #expect(!group.mayDeliverReadings)
    }

    @Test func `the first that was found is read, and only while it is needed`() throws {
        try plug(first, "a")
        try plug(second, "b")
        #expect(group.hasSensor && group.mayDeliverReadings && group.name == "a" && !first.isRunning)
        #expect(!group.read(true))
        #expect(first.isRunning && !second.isRunning)
        first.onEvent?(.report(.started(warnings: [])))
        #expect(group.state == .sampling && group.reading == nil)
        first.read(7)
        second.read(8)
        #expect(group.reading == .light(level: 7, .lux) && delegate.readings == [.light(level: 7, .lux)])
        #expect(!group.read(false))
        #expect(!first.isRunning && group.state == .idle && group.reading == nil)
    }

    @Test func `one that comes while it is needed is read at once`() throws {
        _ = group.read(true)
        try plug(first, "a")
        #expect(first.isRunning)
    }

    @Test func `a substitute gives way to a better one that comes later, and takes its place when it goes`() throws {
        _ = group.read(true)
        try plug(first, "a", isSubstitute: true)
        #expect(first.isRunning)
        try plug(second, "b")
        #expect(second.isRunning && !first.isRunning && group.name == "b")
        group.unplug(at: "/sys/devices/b")
        #expect(first.isRunning && group.name == "a" && group.hasSensor)
    }

    @Test func `another takes the place of one that fails`() throws {
        try plug(first, "a")
        try plug(second, "b")
        _ = group.read(true)
        first.onEvent?(.report(.failed("no more")))
        #expect(second.isRunning && group.name == "b")
        #expect(!group.canRetry)
    }

    @Test func `the only one stays when it fails, and another scan may bring it back`() throws {
        try plug(first, "a")
        _ = group.read(true)
        let changes = delegate.changes
        first.onEvent?(.report(.failed("no more")))
        #expect(group.hasSensor && group.state == .lost && group.canRetry && delegate.changes > changes)
        #expect(!group.read(false))
        #expect(group.read(true), "a scan may help")
    }

    @Test func `one that fails again and again is retried at once, then with exponential back-off, until it is sound`()
        throws
    {
        try plug(first, "a")
        _ = group.read(true)
        for delay in [0, 0.5, 1, 2, 4] {
            #expect(group.delay == delay)
            first.onEvent?(.report(.started(warnings: [])))
            for _ in 0..<99 { first.read(1) }
            first.onEvent?(.report(.failed("Input/output error")))
            try plug(first, "a")
        }
        first.onEvent?(.report(.started(warnings: [])))
        for _ in 0..<100 { first.read(1) }
        #expect(group.delay == 0)
    }

    @Test func `one that is plugged in again is read again, at another path too`() throws {
        try plug(first, "a")
        _ = group.read(true)
        group.unplug(at: "/sys/devices/a")
        #expect(!group.hasSensor && group.state == .lost && !group.canRetry, "udev announces its return")
        try plug(second, "a", at: "/sys/devices/other")
        #expect(group.hasSensor && second.isRunning && group.state == .lost)
        second.onEvent?(.report(.started(warnings: [])))
        second.read(3)
        #expect(group.state == .sampling && group.reading == .light(level: 3, .lux))
    }

    @Test func `where udev announces nothing, scans are repeated until a sensor works`() throws {
        group.rescanReason = .arrivals
        #expect(group.read(true))
        #expect(group.mayDeliverReadings)
        try plug(first, "a")
        #expect(!group.canRetry)
    }

    @Test func `a device belongs to its sensor until it is unplugged`() throws {
        #expect(group.sensor(at: "/sys/devices/a") == nil)
        try plug(first, "a")
        #expect(group.sensor(at: "/sys/devices/a")?.works == true)
        first.onEvent?(.report(.failed("no more")))
        #expect(group.sensor(at: "/sys/devices/a")?.works == false)
        group.unplug(at: "/sys/devices/a")
        #expect(group.sensor(at: "/sys/devices/a") == nil && first.isRemoved)
    }

    @Test func `a sensor releases its device when that is another one`() throws {
        try plug(first, "a")
        let sensor = try #require(group.sensor(at: "/sys/devices/a"))
        let base = SensorStatus(name: "a", sysfsPath: "/sys/devices/a", location: .base)
        group.release(sensor, to: base)
        #expect(!group.hasSensor && group.state == .lost && first.isRemoved)
    }

    // It was published as lost, though it waited for nothing but its turn.
    @Test func `a standby sensor that returns is idle`() throws {
        try plug(first, "a")
        try plug(second, "b")
        _ = group.read(true)
        first.onEvent?(.report(.started(warnings: [])))
        first.read(1)
        group.unplug(at: "/sys/devices/a")
        second.onEvent?(.report(.started(warnings: [])))
        second.read(2)
        try plug(first, "a")
        #expect(group.name == "b" && group.state == .sampling && state("a") == .idle)
    }

    @Test func `another takes the place of one that hangs, which may answer later`() throws {
        try plug(first, "a")
        _ = group.read(true)
        first.onEvent?(.report(.started(warnings: [])))
        first.onEvent?(.report(.stalled("no answer for 6 s")))
        #expect(group.state == .lost && first.isRunning && group.mayDeliverReadings)
        first.read(1)
        #expect(group.state == .sampling)
        first.onEvent?(.report(.stalled("no answer for 6 s")))
        try plug(second, "b")
        #expect(second.isRunning && !first.isRunning && group.name == "b")
    }

    // A claimant that left while another stayed started the sensors again, and their rate was never restored.
    @Test func `nothing is started once it ends`() throws {
        try plug(first, "a")
        _ = group.read(true)
        var hasEnded = false
        group.end { hasEnded = true }
        #expect(hasEnded && !first.isRunning)
        #expect(!group.read(false) && !group.read(true))
        group.choose()
        _ = group.resume()
        #expect(!first.isRunning && first.starts == 1)
    }

    // Each stayed on the bus for ever.
    @Test func `the last eight unplugged sensors are kept`() throws {
        for number in 0..<12 {
            try plug(Source(), "\(number)")
            group.unplug(at: "/sys/devices/\(number)")
        }
        // The last is the active one still.
        let kept = (0..<12).filter { state("\($0)") != nil }
        #expect(kept == Array(3..<12))
    }
}
