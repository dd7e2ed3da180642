// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@testable import OrientationBus
@testable import OrientationConfiguration
@testable import orientctl

@Suite struct StatusTests {
    private let player = ListedRequest(
        id: 7,
        appID: "org.example.Player",
        parent: 3,
        presentation: .modal,
        supported: .landscape,
        reason: "a film"
    )
    private let home = ListedRequest(id: 3, appID: "org.example.Home", presentation: .push, supported: .portrait)

    private func values(
        _ requests: [ListedRequest] = [],
        _ change: (inout ManagerStatus) -> Void
    ) -> [String: [String]] {
        var snapshot = ManagerSnapshot()
        change(&snapshot.status)
        var values: [String: [String]] = [:]
        var last = ""
        for (label, value) in Status(snapshot: snapshot, requests: requests, sensors: []).values {
            if !label.isEmpty { last = label }
            values[last, default: []].append(value)
        }
        return values
    }

    @Test func `device and interface orientation are separate values`() {
        let values = values {
            $0.deviceOrientation = .landscapeLeft
            $0.interfaceOrientation = .portrait
            $0.interfaceRule = .lock
            $0.rotationLock = .current
        }
        #expect(values["Device"] == ["landscape-left (right edge up)"])
        #expect(values["Interface"] == ["portrait, held by the lock"])
        #expect(values["Lock"] == ["on (portrait)"])
        #expect(values["Supported"] == ["all"])
        #expect(values["Requests"] == ["none"])
    }

    @Test(arguments: [
        (RotationLock.off, RotationRule.device, "off"), (.current, .lock, "on (landscape-left)"),
        (.current, .mask, "on"), (.current, .laptop, "on"), (.orientation(.portrait), .lock, "on (portrait)"),
        (.orientation(.portrait), .mask, "on (portrait)"),
    ])
    func `the lock is shown with what it holds, where known`(lock: RotationLock, rule: RotationRule, text: String) {
        let values = values {
            $0.rotationLock = lock
            $0.interfaceRule = rule
            $0.interfaceOrientation = .landscapeLeft
        }
        #expect(values["Lock"] == [text])
    }

    @Test(arguments: [
        (DeviceOrientation.portrait, DeviceOrientation.portrait, "portrait (top edge up)"),
        (.landscapeRight, .portrait, "landscape-right (left edge up)"),
        (.portrait, .landscapeLeft, "portrait (left edge up)"),
        (.landscapeLeft, .landscapeLeft, "landscape-left (top edge up)"),
        (.portraitUpsideDown, .portrait, "portrait-upside-down (bottom edge up)"), (.unknown, .portrait, "unknown"),
        (.faceUp, .portrait, "face-up"),
    ])
    func `the device's edge is the display's`(device: DeviceOrientation, natural: DeviceOrientation, text: String) {
        let values = values {
            $0.deviceOrientation = device
            $0.naturalOrientation = natural
        }
        #expect(values["Device"] == [text])
    }

    @Test func `an interface that follows the device is upright`() {
        let values = values {
            $0.deviceOrientation = .landscapeLeft
            $0.interfaceOrientation = .landscapeRight
            $0.interfaceRule = .device
        }
        #expect(values["Interface"] == ["landscape-right, following the device"])
    }

    @Test(arguments: [
        (AutorotateSource.override, "never, set by hand"), (.configuration, "never, by orientd.conf"),
        (.default, "never, by default"),
    ])
    func `what has set the mode of autorotation is named`(source: AutorotateSource, text: String) {
        let values = values { ($0.autorotate, $0.autorotateSource) = (.never, source) }
        #expect(values["Autorotate"] == [text])
    }

    @Test func `long values go on below, beside the picture`() {
        let rows = Status.rows(of: [("Lock", "off"), ("", "a film in landscape"), ("Sensor", "idle")], width: 25)
        #expect(
            rows.map { $0.label + $0.text } == [
                "Lock        off", "            a film in", "              landscape", "Sensor      idle",
            ]
        )
    }

    @Test func `a replayed recording is not lost but at its end`() {
        var sensor = SensorStatus()
        (sensor.name, sensor.mode, sensor.state) = ("turning.csv", .replay, .lost)
        sensor.lastError = "the recording has ended"
        var snapshot = ManagerSnapshot()
        snapshot.status.sensorState = .lost
        let sensors: [ListedSensor] = [("/org/orientd1/sensor/0", sensor, [])]
        let values = Status(snapshot: snapshot, requests: [], sensors: sensors).values
        #expect(values.contains { $0 == ("Sensor", "recording has ended") })
        #expect(values.contains { $0 == ("", "turning.csv (place unknown), replay, recording has ended") })
    }

    @Test func `the interface's rule names the deciding application`() {
        let values = values([home, player]) {
            $0.interfaceOrientation = .landscapeLeft
            $0.interfaceRule = .mask
            $0.supportedOrientations = .landscape
            $0.askedRequest = 7
        }
        #expect(values["Interface"] == ["landscape-left, org.example.Player allows landscape only"])
        #expect(values["Supported"] == ["landscape"])
        #expect(
            values["Requests"] == [
                "2", "org.example.Home supports portrait (push)",
                "org.example.Player supports landscape (modal, deciding): a film",
            ]
        )
    }

    @Test(
        arguments: [
            (.unknown, .tabletMode, ["unknown (counts as a tablet)"]), (.unknown, .always, nil),
            (.laptop, .tabletMode, ["laptop"]), (.tablet, .never, ["tablet"]),
        ] as [(TabletMode, AutorotateMode, [String]?)]
    )
    func `the tablet mode is shown if it is known or matters`(mode: TabletMode, use: AutorotateMode, line: [String]?) {
        let values = values { ($0.autorotate, $0.tabletMode) = (use, mode) }
        #expect(values["Autorotate"] == [use.name + ", by default"])
        #expect(values["Tablet mode"] == line)
    }

    @Test(arguments: [
        (TabletModeSource.override, "set by hand"), (.switch, "by the tablet switch or keyboard"),
        (.hinge, "by the angle of the hinge"), (.accelerometers, "by the angle of the hinge"),
    ])
    func `what tells the tablet mode is named`(source: TabletModeSource, words: String) {
        let values = values { ($0.autorotate, $0.tabletMode, $0.tabletModeSource) = (.tabletMode, .tablet, source) }
        #expect(values["Tablet mode"] == ["tablet, \(words)"])
    }

    // It printed names of D-Bus, such as "unknown (none)".
    @Test(arguments: [
        (TabletMode.unknown, TabletModeSource.none, -1.0, "unknown (counts as a tablet)"),
        (.laptop, .switch, -1, "laptop, by the tablet switch or keyboard"),
        (.tablet, .accelerometers, 200, "tablet, by the angle of the hinge; hinge: 200°"),
        (.laptop, .override, 95, "laptop, set by hand; hinge: 95°"),
    ])
    func `tablet-mode has the words of status`(
        mode: TabletMode,
        source: TabletModeSource,
        angle: Double,
        text: String
    ) {
        var status = ManagerStatus(naturalOrientation: .portrait)
        (status.tabletMode, status.tabletModeSource, status.hingeAngle) = (mode, source, angle)
        #expect(TabletModeCommand.text(status) == text)
    }

    @Test func `the angle of the hinge is shown while it is measured`() {
        #expect(values { _ in }["Hinge"] == nil)
        #expect(values { $0.hingeAngle = 110 }["Hinge"] == ["110°"])
        let contradiction = "the tablet switch contradicts it; orientctl doctor tells more"
        #expect(values { $0.isSwitchContradicted = true }["Hinge"] == [contradiction])
        let values = values { ($0.hingeAngle, $0.isSwitchContradicted) = (95, true) }
        #expect(values["Hinge"] == ["95°, \(contradiction)"])
    }

    @Test func `the clients of net.hadess.SensorProxy are listed beside the claims`() {
        #expect(values { $0.claims = 2 }["Claims"] == ["2"])
        let values = values { $0.sensorProxyClients = [":1.42", ":1.7"] }
        #expect(values["Claims"] == ["0, and over net.hadess.SensorProxy: :1.42, :1.7"])
    }

    @Test func `nothing turns a display while no agent runs and no program uses the sensor`() {
        func isMissing(_ agents: [AgentLock.Holder] = [], _ change: (inout ManagerStatus) -> Void) -> Bool {
            var status = ManagerSnapshot().status
            change(&status)
            return Status.missingRotator(status, agents) != nil
        }
        #expect(isMissing { _ in })
        #expect(!isMissing([AgentLock.Holder(process: 1, activity: "turns eDP-1")]) { _ in })
        let idle = AgentLock.Holder(process: 1, activity: AgentLock.Hindrance.noOutput.words)
        #expect(isMissing([idle]) { $0.claims = 1 })
        #expect(!isMissing([idle]) { $0.claims = 2 })
        #expect(!isMissing { $0.claims = 1 })
        let refused = AgentLock.Holder(process: 1, activity: AgentLock.Hindrance.noClaim.words + "not authorized")
        #expect(isMissing([refused]) { _ in })
        #expect(!isMissing([refused]) { $0.claims = 1 })
        let waiting = AgentLock.Holder(process: 1, activity: AgentLock.Hindrance.noService.words)
        #expect(isMissing([waiting]) { _ in })
        #expect(!isMissing([waiting]) { $0.claims = 1 })
        #expect(!isMissing { $0.sensorProxyClients = [":1.42"] })
    }

    @Test func `that a laptop does not follow the device by default is a problem`() {
        var status = ManagerSnapshot().status
        (status.autorotate, status.interfaceRule, status.autorotateSource) = (.never, .never, .default)
        #expect(Status.autorotationOff(status)?.remedy == .orientctl("tablet-mode tablet"))
        #expect(values { $0 = status }["Autorotate"] == ["never, by default"])
        for source in [AutorotateSource.override, .configuration] {
            status.autorotateSource = source
            #expect(Status.autorotationOff(status) == nil)
        }
    }

    @Test func `names of applications cannot control the terminal`() {
        let stranger = ListedRequest(
            id: 1,
            appID: "a\u{1B}[31m",
            presentation: .modal,
            supported: .landscape,
            reason: "x\ny"
        )
        let values = values([stranger]) {
            $0.interfaceRule = .fixed
            $0.askedRequest = 1
        }
        #expect(values["Interface"] == ["portrait, a\u{FFFD}[31m does not autorotate"])
        #expect(values["Requests"]?.last == "a\u{FFFD}[31m supports landscape (modal, deciding): x\u{FFFD}y")
    }

    // Only the sensor that is not used was listed, on a tablet whose sensor core has no accelerometer.
    @Test func `that there is no accelerometer is said beside a sensor that is not used`() {
        #expect(Sensors.text([], ["x is not used"]) == ["no accelerometer", "x is not used"])
        #expect(Sensors.text([("/1", SensorStatus(), [])], []).first?.contains("/1") == true)
    }

    @Test func `a request is listed with its path and its parent`() {
        #expect(
            Requests.lines(player, isDeciding: false) == [
                "/org/orientd1/request/7", "  org.example.Player supports landscape (modal): a film",
                "  child of /org/orientd1/request/3",
            ]
        )
        #expect(
            Requests.lines(home, isDeciding: true) == [
                "/org/orientd1/request/3", "  org.example.Home supports portrait (push, deciding)",
            ]
        )
    }
}
