// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import POSIX
import PrivateBus
import SystemdBus
import Testing

@Suite struct ClaimTests {
    private let service: Service

    init() throws {
        service = try Service()
    }

    @Test func `a claim is answered at once when there is an answer`() throws {
        try service.loop.serve { [client = service.client] in try client.callDaemon("Claim") }
        #expect(service.changes == [true])
        #expect(try service.snapshot().status.claims == 1)
    }

    @Test func `a claim that was counted is not answered before there is an answer`() throws {
        service.hasFirstAnswer = false
        let client = try service.privateBus.connect(service.loop)
        var answers: [BusError?] = []
        service.call("Claim", from: client) { answers.append($0) }
        service.call("Claim", from: client) { answers.append($0) }
        try service.loop.run { service.changes.count == 2 }
        service.answerIfKnown()
        #expect(try service.snapshot().status.claims == 2)
        // An answer would have been sent before the snapshot was.
        try service.loop.runWhatIsDue()
        #expect(answers.isEmpty)
        service.hasFirstAnswer = true
        service.answerIfKnown()
        try service.loop.run { answers.count == 2 }
        #expect(answers == [nil, nil])
        service.answerIfKnown()
        try service.loop.runWhatIsDue()
        #expect(answers.count == 2)
    }

    @Test func `a claim is answered in the end although nothing is known`() throws {
        service.hasFirstAnswer = false
        let client = try service.privateBus.connect(service.loop)
        var answers: [BusError?] = []
        service.call("Claim", from: client) { answers.append($0) }
        try service.loop.run { !answers.isEmpty }
        #expect(answers == [nil])
        #expect(!service.hasFirstAnswer)
    }

    @Test func `claims are counted, and the sensor is needed until the last is released`() throws {
        try service.loop.serve { [client = service.client] in
            try client.callDaemon("Claim")
            try client.callDaemon("Claim")
            try client.callDaemon("Release")
            try client.callDaemon("Release")
        }
        #expect(service.changes == [true, true, true, false])
        #expect(try service.snapshot().status.claims == 0)
    }

    @Test func `a release without a claim succeeds and changes nothing`() throws {
        try service.loop.serve { [client = service.client] in try client.callDaemon("Release") }
        #expect(service.changes == [])
    }

    @Test func `a connection that ends gives back its own claims, also one that waits`() throws {
        service.hasFirstAnswer = false
        var other: Bus? = try service.privateBus.connect()
        let kept = try service.privateBus.connect(service.loop)
        for _ in 0..<3 { other.map { service.call("Claim", from: $0) { _ in } } }
        service.call("Claim", from: kept) { _ in }
        try service.loop.run { service.changes.count == 4 }
        #expect(try service.snapshot().status.claims == 4)
        other = nil
        try service.loop.run { service.changes.count == 5 }
        #expect(try service.snapshot().status.claims == 1)
        #expect(service.changes.last == true)
        #expect(other == nil)

        // The answer to one that has gone does no harm.
        service.hasFirstAnswer = true
        service.answerIfKnown()
        try service.loop.runWhatIsDue()
    }

    @Test func `a connection may hold 64 claims, and one more is LimitExceeded`() throws {
        let error = try service.loop.serve { [client = service.client] in
            for _ in 0..<64 { try client.callDaemon("Claim") }
            return #expect(throws: BusError.self) { try client.callDaemon("Claim") }
        }
        #expect(error?.name == "org.orientd1.Error.LimitExceeded")
        #expect(service.changes.count == 64)
        try service.loop.serve { [client = service.client] in
            try client.callDaemon("Release")
            try client.callDaemon("Claim")
        }
        #expect(try service.snapshot().status.claims == 64)
    }
}

@Suite struct ManagerObjectTests {
    private let service: Service

    init() throws {
        service = try Service(naturalOrientation: .landscapeLeft)
    }

    @Test func `a client reads what the manager publishes`() throws {
        var snapshot = try service.snapshot()
        #expect(snapshot.version == "1.2.3")
        #expect(snapshot.status == ManagerStatus(service.policy))
        #expect(snapshot.gravity == .zero && snapshot.status.claims == 0)

        var status = ManagerStatus(naturalOrientation: .portraitUpsideDown)
        status.hasAccelerometer = true
        status.sensorState = .lost
        status.deviceOrientation = .landscapeRight
        status.faceOrientation = .faceDown
        status.outputTransform = .rotated270
        service.publish(status, gravity: Vector3(0.25, -0.5, 1e-9))
        snapshot = try service.snapshot()
        #expect(snapshot.status == status)
        #expect(snapshot.gravity == Vector3(0.25, -0.5, 1e-9))
    }

    @Test func `only what has changed is announced, and all of it at once`() throws {
        let listener = try service.privateBus.connect(service.loop)
        var signals: [[PropertyChange]] = []
        let slot = try listener.onChange(of: Names.manager) { signals.append($0) }

        try service.loop.serve { [client = service.client] in try client.callDaemon("Claim") }
        var status = service.machine.status
        service.publish(status)
        status.hasAccelerometer = true
        status.sensorState = .sampling
        service.publish(status)
        status.deviceOrientation = .portrait
        status.faceOrientation = .faceUp
        status.outputTransform = .rotated90
        status.naturalOrientation = .landscapeRight
        service.publish(status)
        try service.loop.run { signals.count >= 3 }
        #expect(
            signals.map { $0.sorted { $0.name < $1.name } } == [
                [PropertyChange(name: "Claims", value: .number(1))],
                [
                    PropertyChange(name: "HasAccelerometer", value: .flag(true)),
                    PropertyChange(name: "SensorState", value: "sampling"),
                ],
                [
                    PropertyChange(name: "DeviceOrientation", value: "portrait"),
                    PropertyChange(name: "FaceOrientation", value: "face-up"),
                    PropertyChange(name: "NaturalOrientation", value: "landscape-right"),
                    PropertyChange(name: "OutputTransform", value: "90"),
                ],
            ]
        )
        withExtendedLifetime(slot) {}
    }
}

@Suite struct SensorObjectTests {
    private let service: Service

    init() throws {
        service = try Service()
    }

    private func sensors() throws -> [ListedSensor] {
        try service.loop.serve { [client = service.client] in try client.readSensors() }
    }

    @Test func `a client reads every sensor, in the order of their paths`() throws {
        #expect(try sensors().isEmpty)
        var lost = SensorStatus.example
        lost.name = "änother"
        lost.state = .lost
        lost.lastError = "the device was removed"
        lost.mountMatrix = []
        let second = try SensorObject(bus: service.bus, number: 1, status: lost)
        let first = try SensorObject(bus: service.bus, number: 0, status: .example)
        let sensors = try sensors()
        #expect(sensors.map(\.path) == ["/org/orientd1/sensor/0", "/org/orientd1/sensor/1"])
        #expect(sensors.map(\.status) == [.example, lost])
        withExtendedLifetime((first, second)) {}
    }

    static let changes: [(String, PropertyValue, @Sendable (inout SensorStatus) -> Void)] = [
        ("Name", "x", { $0.name = "x" }), ("SysfsPath", "/y", { $0.sysfsPath = "/y" }),
        ("Location", "base", { $0.location = .base }), ("Mode", "poll", { $0.mode = .poll }),
        ("SampleRate", .decimal(12.5), { $0.sampleRate = 12.5 }),
        ("MountMatrix", .decimals([1, 0, 0, 0, -1, 0, 0, 0, 1]), { $0.mountMatrix[8] = 1 }),
        ("FaceUp", "-z", { $0.faceUp = .negativeZ }), ("FaceUpReason", "matrix", { $0.faceUpReason = .matrix }),
        ("State", "sampling", { $0.state = .sampling }), ("LastError", "broken", { $0.lastError = "broken" }),
    ]

    @Test(arguments: changes.indices)
    func `a new value is announced alone, and is what is read`(index: Int) throws {
        let (name, value, change) = Self.changes[index]
        let sensor = try SensorObject(bus: service.bus, number: 0, status: .example)
        let listener = try service.privateBus.connect(service.loop)
        var signals: [[PropertyChange]] = []
        let slot = try listener.onChange(of: Names.sensor) { signals.append($0) }
        var status = SensorStatus.example
        sensor.status = status
        change(&status)
        sensor.status = status
        try service.loop.run { !signals.isEmpty }
        try service.loop.runWhatIsDue()
        #expect(signals == [[PropertyChange(name: name, value: value)]])
        #expect(try sensors().map(\.status) == [status])
        withExtendedLifetime(slot) {}
    }

    @Test func `two sensors cannot have one number`() throws {
        let sensor = try SensorObject(bus: service.bus, number: 0, status: .example)
        #expect(throws: SystemError.self) { _ = try SensorObject(bus: service.bus, number: 0, status: .example) }
        withExtendedLifetime(sensor) {}
    }
}
