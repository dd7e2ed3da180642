// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import SystemdBus
import Testing

@testable import OrientationSensors

/// The search for the sensors of the sensor core, with a service that says what each test wants.
@Suite
struct `Search in the sensor core` {
    private static let node: UInt32 = 1
    private static let list = QRTRAddress(node: node, port: QRTRAddress.listPort)
    private static let service = QRTRAddress(node: 5, port: 9)
    private static let accelerometer = SUID(low: 2, high: 3)

    private var directory = SSCDirectory(["accel"], node: node, usesOwnNode: false)
    private var time = 0.0

    init() {
        directory.list(at: 0)
        end()
    }

    // MARK: - What is sent

    private static func packet(_ command: UInt32, _ address: QRTRAddress?) -> [UInt8] {
        var packet: [UInt8] = []
        let service: UInt32 = address == nil ? 0 : 400
        for word in [command, service, 0x100, address?.node ?? 0, address?.port ?? 0] { packet.addInteger(word) }
        return packet
    }

    private mutating func add(_ address: QRTRAddress = service) {
        directory.receive(Self.packet(4, address)[...], from: Self.list, at: time)
    }

    /// Ends the list.
    private mutating func end() { directory.receive(Self.packet(4, nil)[...], from: Self.list, at: time) }

    private mutating func remove(_ address: QRTRAddress = service) {
        directory.receive(Self.packet(5, address)[...], from: Self.list, at: time)
    }

    private static func datagram(_ sensor: SUID, _ number: UInt32, _ payload: [UInt8]) -> [UInt8] {
        let event: [UInt8] = .field(1, fixed: number) + .field(3, payload)
        let message: [UInt8] = .field(1, sensor.message) + .field(2, event)
        var datagram: [UInt8] = [4, 0, 0, 0x22, 0, 0, 0, 2]
        datagram.addInteger(UInt16(message.count + 2))
        datagram.addInteger(UInt16(message.count))
        return datagram + message
    }

    private mutating func answer(_ type: String, _ found: [SUID], from sender: QRTRAddress = service) {
        let payload = found.reduce([UInt8].field(1, Array(type.utf8))) { $0 + .field(2, $1.message) }
        directory.receive(Self.datagram(.lookup, 768, payload)[...], from: sender, at: time)
    }

    private mutating func describe(_ sensor: SUID = accelerometer, isAvailable: Bool = true) {
        let values: [UInt8] = .field(1, [5 << 3, isAvailable ? 1 : 0])
        let payload: [UInt8] = .field(1, [1 << 3, 3] + .field(2, values))
        directory.receive(Self.datagram(sensor, 128, payload)[...], from: Self.service, at: time)
    }

    // MARK: - What follows

    private var found: [SUID] { directory.sensors.compactMap { $0.attributes == nil ? nil : $0.suid } }

    /// What has been sent since the last call.
    private mutating func requests() -> [[UInt8]] {
        defer { directory.outbox = [] }
        return directory.outbox.map { $0.datagram }
    }

    private func request(_ request: SSCRequest, to sensor: SUID = .lookup) -> [UInt8] {
        QMIMessage.request(request.message(to: sensor))
    }

    /// Lets the time of the next request come; returns the seconds until then.
    private mutating func wait() -> Double {
        guard let deadline = directory.deadline else { return .infinity }
        defer { time = deadline }
        directory.ask(at: deadline)
        return deadline - time
    }

    private mutating func findAll() {
        add()
        answer("registry", [SUID(low: 1, high: 1)])
        answer("accel", [Self.accelerometer])
        describe()
        _ = requests()
    }

    // MARK: - Tests

    @Test mutating func `sensors are asked for once there is a registry`() {
        #expect(requests() == SSCDirectory.listRequests)
        add()
        #expect(requests() == [request(.sensors(type: "registry"))])
        answer("registry", [SUID(low: 1, high: 1)])
        #expect(requests() == [request(.sensors(type: "accel"))])
        answer("accel", [Self.accelerometer])
        #expect(requests() == [request(.attributes, to: Self.accelerometer)])
        describe()
        #expect(found == [Self.accelerometer])
        #expect(wait() < .infinity)
        #expect(directory.deadline == nil)
    }

    @Test mutating func `a late registry is asked for ever more rarely, and for ever`() {
        add()
        let pauses = (0..<10).map { _ in
            answer("registry", [])
            return wait()
        }
        #expect(pauses == [0.5, 1, 2, 4, 8, 16, 30, 30, 30, 30])
        // It may also come by itself.
        answer("registry", [SUID(low: 1, high: 1)])
        #expect(!directory.sensors.isEmpty)
        #expect(wait() == 0.5)
    }

    @Test mutating func `a sensor that does not answer is asked again`() {
        add()
        answer("registry", [SUID(low: 1, high: 1)])
        answer("accel", [])
        _ = requests()
        #expect(wait() == 0.5)
        #expect(requests() == [request(.sensors(type: "accel"))])
        answer("accel", [Self.accelerometer])
        _ = requests()
        #expect(wait() == 1)
        #expect(requests() == [request(.attributes, to: Self.accelerometer)])
        describe(isAvailable: false)
        #expect(found.isEmpty)
        #expect(wait() == 2)
        describe()
        #expect(found.count == 1)
    }

    @Test mutating func `a sensor with another name is asked again, the others are not`() {
        directory = SSCDirectory(["accel", "rotv"], node: Self.node, usesOwnNode: false)
        add()
        answer("registry", [SUID(low: 1, high: 1)])
        let (compass, other) = (SUID(low: 4, high: 3), SUID(low: 5, high: 3))
        answer("accel", [Self.accelerometer])
        answer("rotv", [compass])
        describe()
        describe(compass)
        _ = requests()
        answer("rotv", [other])
        #expect(requests() == [request(.attributes, to: other)])
        #expect(found == [Self.accelerometer])
        describe(other)
        #expect(found == [Self.accelerometer, other])
        // Those of a type may become more.
        answer("accel", [other, Self.accelerometer])
        #expect(requests().isEmpty)
        #expect(found == [Self.accelerometer, other])
    }

    @Test mutating func `after a restart all is searched anew`() {
        findAll()
        remove()
        #expect(directory.service == nil && !directory.isImitated)
        #expect(found.isEmpty)
        // There may be another one.
        #expect(requests() == SSCDirectory.listRequests)
        end()
        add()
        #expect(requests() == [request(.sensors(type: "registry"))])
    }

    @Test mutating func `a restart whose end was lost has another port`() {
        findAll()
        add(QRTRAddress(node: 5, port: 10))
        #expect(found.isEmpty)
        #expect(directory.service?.port == 10)
        // The end of the former service comes late.
        remove()
        #expect(directory.service?.port == 10)
    }

    @Test mutating func `a service whose end was lost is noticed when the list is asked for`() {
        findAll()
        directory.list(at: time)
        add()
        end()
        #expect(found.count == 1)
        directory.list(at: time)
        end()
        #expect(directory.service == nil)
    }

    @Test mutating func `a restart with the same port is a restart`() {
        findAll()
        add()
        #expect(found.isEmpty)
        #expect(requests() == [request(.sensors(type: "registry"))])
    }

    @Test mutating func `of two services of a node, one stays in use`() {
        findAll()
        let other = QRTRAddress(node: 5, port: 10)
        for services in [[other, Self.service], [Self.service, other], [other, Self.service]] {
            directory.list(at: time)
            for service in services { add(service) }
            end()
            #expect(directory.service == Self.service && found.count == 1)
        }
        directory.list(at: time)
        add(other)
        end()
        #expect(directory.service == other)
    }

    @Test mutating func `a list is not asked for while one is under way, but again when its end was lost`() {
        findAll()
        directory.list(at: time)
        _ = requests()
        directory.list(at: time + 0.5)
        #expect(requests().isEmpty)
        directory.list(at: time + 1)
        #expect(requests() == SSCDirectory.listRequests)
    }

    @Test mutating func `without a service, the list is asked for ever more rarely, and for ever`() {
        _ = requests()
        directory.ask(at: time)
        var pauses: [Double] = []
        for _ in 0..<14 {
            #expect(requests() == SSCDirectory.listRequests)
            end()
            pauses.append(wait())
        }
        #expect(pauses == [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300])
    }

    @Test mutating func `services of this processor are refused`() {
        add(QRTRAddress(node: 1, port: 4))
        #expect(directory.service == nil && directory.isImitated)
        add()
        #expect(directory.service == Self.service)
        directory.list(at: time)
        add()
        #expect(directory.isImitated)
        end()
        #expect(!directory.isImitated)
    }

    @Test mutating func `only the service and the list count`() {
        add()
        answer("registry", [SUID(low: 1, high: 1)], from: QRTRAddress(node: 5, port: 8))
        answer("registry", [SUID(low: 1, high: 1)], from: QRTRAddress(node: 1, port: 9))
        #expect(directory.service == Self.service && directory.sensors.isEmpty)
        directory.receive(Self.packet(5, Self.service)[...], from: QRTRAddress(node: 1, port: 7), at: time)
        directory.receive(
            Self.packet(5, Self.service)[...],
            from: QRTRAddress(node: 5, port: QRTRAddress.listPort),
            at: time
        )
        #expect(directory.service == Self.service)
        for end in 0..<20 { directory.receive(Self.packet(5, Self.service)[..<end], from: Self.list, at: time) }
        #expect(directory.service == Self.service)
    }

    // MARK: - The cover

    private mutating func cover(_ state: UInt8, status: UInt8 = 3, of sensor: SUID = SUID(low: 7, high: 7)) {
        directory.receive(
            Self.datagram(sensor, 770, [1 << 3, state, 2 << 3, status])[...],
            from: Self.service,
            at: time
        )
    }

    @Test mutating func `a magnet tells whether the cover is closed`() {
        directory = SSCDirectory(["hall"], node: Self.node, usesOwnNode: false)
        add()
        answer("registry", [SUID(low: 1, high: 1)])
        let magnet = SUID(low: 7, high: 7)
        answer("hall", [magnet])
        _ = requests()
        describe(magnet)
        #expect(requests() == [request(.changes, to: magnet)])
        #expect(!directory.isCovered)
        cover(1)
        #expect(directory.isCovered)
        // Not while it is unreliable, nor for another sensor.
        cover(0, status: 0)
        cover(0, of: SUID(low: 8, high: 7))
        #expect(directory.isCovered)
        cover(0)
        #expect(!directory.isCovered)
        cover(1)
        remove()
        #expect(!directory.isCovered)
    }

    // MARK: - Readings

    @Test(arguments: [(0, 0.0), (90, 90), (180, 180), (270, 270)])
    func `the heading follows from the attitude`(angle: Double, heading: Double) throws {
        // Turned clockwise on a table.
        let half = -angle / 2 * .pi / 180
        let (sine, cosine) = (Float(sin(half)), Float(cos(half)))
        let value = try #require(SensorKind.compass.sscValue(.reading(SIMD4(0, 0, sine, cosine))))
        let scaling = SensorScaling.heading(offset: 0, scale: 1)
        guard case .heading(let degrees) = scaling.measurement(raw: value, time: 0) else { return }
        #expect(min(abs(degrees - heading), 360 - abs(degrees - heading)) < 1e-4)
    }

    @Test func `negative light is ignored`() {
        #expect(SensorKind.ambientLight.sscValue(.reading(SIMD4(-1, 0, 0, 0))) == nil)
        #expect(SensorKind.ambientLight.sscValue(.reading(SIMD4(3, 5, 0, 0))) == Vector3(3, 0, 0))
    }

    @Test(arguments: [
        (SSCEvent.state(1), 1.0), (.state(0), 0), (.reading(SIMD4(1, 0, 0, 0)), 1),
    ])
    func `proximity comes in either form`(event: SSCEvent, value: Double) {
        #expect(SensorKind.proximity.sscValue(event) == Vector3(value, 0, 0))
    }

    @Test func `readings of an accelerometer are in the device frame, whatever the configured one is`() throws {
        var attributes = SSCAttributes()
        attributes.rates = [5, 12.5, 100]
        let description = try Self.sensor("accel", attributes).description
        #expect(description.name == "accel")
        #expect(description.period == 0.08)
        for convention in [SensorFrame.Convention.desktop, .kernel] {
            let scaling = description.scaling(convention: convention)
            let sample = AccelerometerSample(time: 1, acceleration: Vector3(1, 9, 2))
            #expect(scaling.measurement(raw: Vector3(1, 9, 2), time: 1) == .acceleration(sample))
        }
    }

    private static func sensor(_ type: String, _ attributes: SSCAttributes) throws -> SSCSensor {
        let found = SSCDirectory.Sensor(type: type, suid: Self.accelerometer, attributes: attributes)
        let node = try Device(syspath: "/sys/devices/virtual/mem/null")
        return try #require(SSCSensor(found, of: Self.service, node))
    }

    @Test func `at rest a sensor is asked for no more readings than are read`() throws {
        var attributes = SSCAttributes()
        attributes.rates = [1, 5, 12.5, 100]
        let sensor = try Self.sensor("accel", attributes)
        var sensing = Sensing.stream
        #expect(sensor.request(sensing) == .stream(rate: 12.5))
        sensing.level = .watch
        #expect(sensor.request(sensing) == .stream(rate: 5))
        sensing.level = .doze
        #expect(sensor.request(sensing) == .stream(rate: 5))
        sensing.purpose = .angle
        #expect(sensor.request(sensing) == .stream(rate: 1))
        attributes.isStreaming = false
        #expect(try Self.sensor("ambient_light", attributes).request(.stream) == .changes)
        #expect(try Self.sensor("hinge_angle", attributes).request(.stream) == .angles)
    }

    @Test func `the placement is noted, and not applied`() throws {
        var attributes = SSCAttributes()
        attributes.placement = [0, 1, 0.5]
        let description = try Self.sensor("accel", attributes).description
        #expect(description.note == "the sensor core's placement is not applied: 0.0 1.0 0.5")
        #expect(description.mounting?.matrix == .identity)
    }

    @Test func `the angle of the hinge is in degrees`() throws {
        let value = try #require(SensorKind.hinge.sscValue(.reading(SIMD4(270, 0, 0, 0))))
        let scaling = try Self.sensor("hinge_angle", SSCAttributes()).description.scaling()
        #expect(scaling.measurement(raw: value, time: 1) == .angle(degrees: 270))
    }
}
