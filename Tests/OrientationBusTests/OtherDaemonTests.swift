// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import PrivateBus
import SystemdBus
import Testing

/// A daemon of another version, whose properties a test makes up.
@Suite struct OtherDaemonTests {
    private let privateBus: PrivateBus
    private let loop: EventLoop
    private let daemon: Bus
    private let client: Bus

    init() throws {
        privateBus = try PrivateBus()
        loop = try EventLoop()
        daemon = try privateBus.connect(loop)
        client = try privateBus.connect()
    }

    private func snapshot(of manager: BusInterface) throws -> ManagerSnapshot {
        let slot = try daemon.export(manager, at: Names.path)
        try daemon.own(Names.service, replacing: false)
        defer { withExtendedLifetime(slot) {} }
        return try loop.serve { [client] in try client.readManager() }
    }

    @Test func `properties that this client does not know are skipped`() throws {
        let manager = BusInterface(Names.manager)
        manager.property("Angles", "a(dd)") { message in
            message.appendArray("(dd)") {
                message.appendStruct("dd") {
                    message.append(1.5)
                    message.append(2.5)
                }
            }
        }
        manager.property("DeviceOrientation", "s") { $0.append("landscape-right") }
        manager.property("Zoom", "s") { $0.append("wide") }
        let snapshot = try snapshot(of: manager)
        var expected = ManagerStatus(naturalOrientation: .portrait)
        expected.deviceOrientation = .landscapeRight
        #expect(snapshot.status == expected)
        #expect(snapshot.version == "")
    }

    static let names: [(StaticString, String)] = [
        ("SensorState", "dreaming"), ("DeviceOrientation", "diagonal"), ("FaceOrientation", "face-away"),
        ("OutputTransform", "45"), ("NaturalOrientation", ""), ("DeviceOrientation", "Portrait"),
    ]

    @Test(arguments: names.indices)
    func `a name that this client does not know is an error that contains it`(index: Int) {
        let (property, value) = Self.names[index]
        let manager = BusInterface(Names.manager)
        manager.property(property, "s") { $0.append(value) }
        let error = #expect(throws: BusError.self) { _ = try snapshot(of: manager) }
        #expect(error?.message == "\(property) reads \(value), which this client does not know")
    }

    static let requests: [(path: String, presentation: String, message: String)] = [
        ("/org/orientd1/sensor/1", "modal", "ListRequests: /org/orientd1/sensor/1 is not the path of a request"),
        ("/org/orientd1/request/1", "sheet", "ListRequests: 'sheet' is none of modal, push"),
    ]

    @Test(arguments: requests.indices)
    func `a malformed request in the list is an error that says why`(index: Int) throws {
        let (path, presentation, message) = Self.requests[index]
        let manager = BusInterface(Names.manager)
        manager.method("ListRequests", returns: "a(ososus)") { call in
            call.reply { reply in
                reply.appendArray("(ososus)") {
                    reply.appendStruct("ososus") {
                        reply.append(objectPath: path)
                        reply.append("org.example.Player")
                        reply.append(objectPath: "/")
                        reply.append(presentation)
                        reply.append(UInt32(2))
                        reply.append("")
                    }
                }
            }
        }
        let slot = try daemon.export(manager, at: Names.path)
        try daemon.own(Names.service, replacing: false)
        let error = #expect(throws: BusError.self) { try loop.serve { [client] in try client.readRequests() } }
        #expect(error?.message == message)
        withExtendedLifetime(slot) {}
    }

    @Test func `a property of another type than expected is an error`() {
        let manager = BusInterface(Names.manager)
        manager.property("HasAccelerometer", "u") { $0.append(UInt32(1)) }
        let error = #expect(throws: BusError.self) { _ = try snapshot(of: manager) }
        #expect(error?.name == "org.freedesktop.DBus.Error.InvalidArgs")
    }

    @Test func `without a daemon every call says that nobody is there`() {
        let calls: [() throws -> Void] = [
            { _ = try client.readManager() }, { _ = try client.readSensors() }, { _ = try client.readRequests() },
            { try client.callDaemon("Claim") },
        ]
        for call in calls {
            let error = #expect(throws: BusError.self) { try call() }
            #expect(error?.isServiceMissing == true)
        }
    }

    @Test func `changes of unknown properties are told with what text they have`() throws {
        let manager = BusInterface(Names.manager)
        manager.property("Zoom", "d") { $0.append(2.5) }
        manager.property("Tilt", "(dd)") { message in
            message.appendStruct("dd") {
                message.append(1.0)
                message.append(2.0)
            }
        }
        manager.property("Claims", "u") { $0.append(UInt32(4_000_000_000)) }
        let exported = try daemon.export(manager, at: Names.path)
        try daemon.own(Names.service, replacing: false)

        let listener = try privateBus.connect(loop)
        var changes: [[PropertyChange]] = []
        let slots = [
            try listener.onChange(of: Names.manager) { changes.append($0) },
            try listener.onChange(of: Names.sensor) { _ in Issue.record("no sensor has changed") },
        ]
        daemon.announce(["Zoom", "Tilt", "Claims"], of: Names.manager, at: Names.path)
        try loop.run { !changes.isEmpty }
        #expect(
            changes.map { $0.sorted { $0.name < $1.name } } == [
                [
                    PropertyChange(name: "Claims", value: .number(4_000_000_000)),
                    PropertyChange(name: "Tilt", value: ""),
                    PropertyChange(name: "Zoom", value: .decimal(2.5)),
                ]
            ]
        )
        withExtendedLifetime((exported, slots)) {}
    }
}
