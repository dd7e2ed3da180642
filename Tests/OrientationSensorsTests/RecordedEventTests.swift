// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import SplitMix
import Testing

@testable import OrientationSensors

@Suite struct RecordedEventTests {
    /// Texts that clients may send: every byte that the format gives a meaning, and others.
    private static let texts = ["org.example.Player", "a,b=c%2C", "\u{1B}[31m\n\r\t ", "größer – 大", "=", "%", ":1.42"]

    static let events: [RecordedEvent] = {
        let view = RotationRequest(appID: "org.example.App", supported: .landscape)
        var full = RotationRequest(
            appID: "a,b",
            supported: .all,
            preferred: .landscapeLeft,
            shouldAutorotate: false,
            presentation: .push,
            parent: 3,
            forwardsTo: 4_294_967_295,
            isActive: false,
            reason: "why, 100 % = all"
        )
        var configuration = MachineConfiguration()
        configuration.idiom = .convertible
        configuration.naturalOrientation = .landscapeLeft
        configuration.supportedOrientations = .allButUpsideDown
        configuration.autorotate = .tabletMode
        configuration.laptopOrientation = .landscapeRight
        configuration.laptopEdge = .landscapeLeft
        configuration.reportsFace = true
        configuration.virtualTabletSwitch = true
        configuration.classifier = .base
        configuration.power = .responsive
        let saved = SavedState(
            lock: .orientation(.portrait),
            held: .portrait,
            autorotate: .never,
            shown: .landscapeLeft
        )
        let base = AccelerometerSample(time: 0.5, acceleration: Vector3(0.1, -9.80665, 1e-17))
        var events: [RecordedEvent] = [
            .start(MachineConfiguration(), nil), .start(configuration, saved),
            .start(configuration, SavedState(lock: .off, held: .portrait, autorotate: nil, shown: .portrait)),
            .application("org.example.App", .portrait), .event(.sample(.base, base)),
            .level(.base, .watch), .level(.display, .doze),
        ]
        let plain: [Event] = [
            .samplingBegan(.display, Sampling(rate: 14.999, mayFallSilent: true, faceUp: .negativeZ)),
            .samplingBegan(
                .base,
                Sampling(rate: 15, mayFallSilent: false, faceUp: .negativeZ)
            ),
            .sensorChanged(.base, SensorReport(state: .lost, isPresent: true, mayDeliver: false)),
            .sensorsFound, .switchesFound, .chassisFound(nil), .chassisFound(.handset), .lid(isClosed: true),
            .displayFound(natural: nil, laptopEdge: .portrait),
            .displayFound(natural: .landscapeLeft, laptopEdge: .landscapeRight),
            .tabletSwitch(.tablet), .hingeSensor(SensorReport(state: .lost, isPresent: true, mayDeliver: false)),
            .hingeAngle(123.5), .tabletModeClaims(2), .setTabletMode(.laptop), .sleep, .wake, .claims(4096),
            .proxyClaims([]), .proxyClaims([":1.42", ":1.7"]),
            .setRotationLock(.off),
            .setRotationLock(.orientation(.portraitUpsideDown)), .rotate(.landscapeRight), .alignToDevice,
            .setAutorotate(.tabletMode), .setAutorotate(nil), .setApplicationMask(nil, appID: "a", client: ":1.1"),
            .setApplicationMask(.portrait, appID: "a", client: ":1.1"), .present(view, client: ":1.1"),
            .present(full, client: ":1.1"), .update(7, to: full, client: ":1.1"), .setNeedsUpdate(7, client: ":1.1"),
            .release(7, client: ":1.1"), .vanished(client: ":1.1"), .deadlinePassed(.silence), .saveFailed, .shutdown,
        ]
        events += plain.map { .event($0) }
        var device = FoundDevice()
        (device.number, device.kind, device.location, device.rate) = (7, .ambientLight, .unknown, 0.1)
        (device.name, device.path) = ("a, b = 100 %", "/sys/devices/größer")
        var ofSensors: [Event] = [.deviceFound(device)]
        (device.isSubstitute, device.canBuffer, device.canPoll) = (true, true, true)
        ofSensors += [.deviceFound(device), .deviceRemoved(7, "the device was removed"), .deviceAnnounced]
        ofSensors += RescanReason.allCases.map { .scanned(mayReturn: $0, retries: $0 == .arrivals) }
        device.isDescribed = false
        ofSensors += [.deviceFound(device), .device(7, .undescribed("/sys/größer/scale does not answer"))]
        (device.kind, device.faceUp, device.faceUpReason) = (.accelerometer, .negativeZ, .matrix)
        for location in SensorLocation.allCases {
            device.location = location
            ofSensors.append(.deviceFound(device))
        }
        ofSensors += SensorKind.allCases.map { .needed($0, true) }
        ofSensors += [.sourceFound("größer, a.csv"), .sourceEnded(nil), .sourceEnded("line 3: no number")]
        var opening = DeviceOpening()
        let polled = opening
        (opening.isBuffered, opening.rate, opening.hasSensitivity) = (true, 14.999, true)
        let ofDevice: [DeviceEvent] = [
            .finished(.done(warnings: [])), .finished(.opened(polled)), .finished(.opened(opening)),
            .finished(.sensitivity(0.3)), .finished(.failed("cannot open, \n")), .reading(showsMotion: true),
            .readFailed(.noDevice, ""), .unreadable("why"), .deadlinePassed, .rescaled(nil), .rescaled(.negativeZ),
        ]
        ofSensors += ofDevice.map { .device(42, $0) }
        events += ofSensors.map { .event($0) }
        for text in texts {
            full.reason = text
            full.appID = text
            events += [.event(.present(full, client: text)), .application(text, .all)]
        }
        return events
    }()

    @Test func `every field by which the machine decides is recorded`() throws {
        let configurations = Self.events.compactMap { if case .start(let found, _) = $0 { found } else { nil } }
        let recorded = try #require(configurations.last)
        let fields = zip(Mirror(reflecting: recorded).children, Mirror(reflecting: MachineConfiguration()).children)
        let atDefault = fields.filter { "\($0.value)" == "\($1.value)" }.compactMap { $0.0.label }
        // The first does not change what is decided, and the masks have lines of their own.
        #expect(atDefault == ["proxiedOrientation", "applicationMasks"])
    }

    /// The records that a writer's file holds.
    private func written(_ body: (inout TraceWriter) throws -> Void) throws -> [TraceReader.Record] {
        let ends = try FileDescriptor.pipe()
        let reading = FileDescriptor(owning: ends.reading)
        do {
            var writer = try TraceWriter(OutputFile(FileDescriptor(owning: ends.writing), name: "a pipe"))
            try body(&writer)
            try writer.flush()
        }
        var reader = TraceReader(reading, name: "a pipe")
        var records: [TraceReader.Record] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    @Test(arguments: events)
    func `every event is read as it was written`(event: RecordedEvent) throws {
        let records = try written { try $0.write(event, at: 0.5) }
        #expect(records.count == 1)
        guard case .event(let found, let time)? = records.first else {
            Issue.record("\(event.text) is read as \(records)")
            return
        }
        #expect(found == event && time == 0.5)
    }

    @Test func `a sample of the display is a line as in every trace`() throws {
        let sample = AccelerometerSample(time: 0.25, acceleration: Vector3(0, 9.81, -0.5))
        let records = try written { try $0.write(.event(.sample(.display, sample)), at: sample.time) }
        guard case .sample(let found)? = records.first else {
            Issue.record("\(records)")
            return
        }
        #expect(found == sample)
    }

    // Recordings of before the clients were known say only whether there is one.
    @Test func `a claim of net.hadess.SensorProxy without its clients is read`() throws {
        let fields = "proxy-claim,held=yes".utf8.split(separator: UInt8(ascii: ",")).map { Substring($0).utf8 }
        #expect(try RecordedEvent(fields) == .event(.proxyClaims([])))
    }

    @Test func `a scan of an older recording does not say what another one may bring`() throws {
        let scanned = Event.scanned(mayReturn: .none, retries: false)
        #expect(try RecordedEvent(["scanned".utf8.dropFirst(0)]) == .event(scanned))
    }

    // Recordings of before there was a choice have every sample, so their replay must not expect silence.
    @Test func `a start without a power mode is one that reads everything`() throws {
        let fields = "start,report-face=no,classifier=base".utf8.split(separator: UInt8(ascii: ","))
        guard case .start(let configuration, nil) = try RecordedEvent(fields.map { Substring($0).utf8 }) else {
            Issue.record("it is no start")
            return
        }
        #expect(configuration.power == .responsive)
    }

    static let faults: [(String, TraceError.Fault)] = [
        ("lokc,lock=portrait", .unknownEvent("lokc")), ("lock,lock=sideways", .malformedArgument("lock")),
        ("lock,other=portrait", .missingArgument("lock")), ("lock,lock=%2", .malformedArgument("lock=%2")),
        ("claims,count=-1", .malformedArgument("count")), ("lid,closed=maybe", .malformedArgument("closed")),
        ("lock", .missingArgument("lock")), ("sleeep", .unknownEvent("sleeep")),
        ("base,1,2", .malformedArgument("1,2")), ("base,1,2,x", .malformedArgument("1,2,x")),
        ("lid,closed", .malformedArgument("closed")), ("vanished,client=%+f", .malformedArgument("client=%+f")),
        ("sampling,role=display,rate=fast,may-fall-silent=no,face-up=+z", .malformedArgument("rate")),
        ("lid,closed=yes,", .malformedArgument("")),
        // Without an orientation to show, the policy showed one that is not supported.
        ("start,supported=0,report-face=no,classifier=base", .malformedArgument("supported")),
        ("start,supported=1,report-face=no,classifier=base", .malformedArgument("supported")),
        ("application,app=org.example.App,supported=32", .malformedArgument("supported")),
        ("reading,device=1.5,motion=yes", .malformedArgument("device")),
        ("reading,device=1", .missingArgument("motion")),
        ("opened,device=1,buffered=yes,rate=nan,has-sensitivity=no", .malformedArgument("rate")),
        ("device-found,device=1,kind=thermometer,role=display", .malformedArgument("kind")),
        (
            "device-found,device=1,kind=compass,role=base,name=,path=,substitute=no,buffer=no,poll=no,rate=1",
            .malformedArgument("role")
        ),
        ("reading-failed,device=1,failure=unplugged,reason=", .malformedArgument("failure")),
    ]

    @Test(arguments: faults)
    func `a malformed event is reported with what is wrong`(text: String, fault: TraceError.Fault) throws {
        let ends = try FileDescriptor.pipe()
        let reading = FileDescriptor(owning: ends.reading)
        do {
            var file = OutputFile(FileDescriptor(owning: ends.writing), name: "a pipe")
            try file.write("\(TraceFormat.header)\n1,\(text)\n2,0,9.81,0\n")
            try file.flush()
        }
        var reader = TraceReader(reading, name: "a pipe")
        guard case .malformed(let error)? = try reader.next(), case .sample? = try reader.next() else {
            Issue.record("\(text) is no error")
            return
        }
        #expect(error == TraceError(line: 2, fault: fault))
    }
}
