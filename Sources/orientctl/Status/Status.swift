// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import JSON
import OrientationBus
import OrientationConfiguration
import OrientationCore
import POSIX
import SystemdBus

/// What `orientctl status` shows: the device's and the interface's orientation, with a picture on a terminal.
struct Status {
    static let command = Command(
        name: "status",
        summary: "show the orientation and the sensors (the default)",
        description: "Shows how the device is held, how the interface is shown and why, the lock, the requests of "
            + "applications and the sensors.",
        options: [.init("watch", "w", help: "keep showing it, as it changes, until Ctrl-C")]
    ) { invocation throws(CommandError) in
        if invocation.has("watch") { return try LiveStatus(invocation).run() }
        let bus = try invocation.connect()
        let (snapshot, unknown) = try busCall(current(bus))
        var sensors = try busCall(bus.readSensors())
        if snapshot.status.sensorState == .idle {
            // They were read for this command only.
            for index in sensors.indices where sensors[index].status.state == .sampling {
                sensors[index].status.state = .idle
            }
        }
        var status = Status(
            snapshot: snapshot,
            requests: try busCall(bus.readRequests()),
            sensors: sensors,
            unknown: unknown
        )
        status.clients = clients(of: snapshot.status, on: bus)
        for value in unknown + status.sensors.flatMap({ $0.unknown }) { complain(value.ofLaterVersion) }
        var findings = displayFindings(status.snapshot.status, on: bus)
        if !status.snapshot.status.hasAccelerometer {
            findings.insert(SensorHubs.ofThisMachine.finding ?? .warn(SensorHubs.missing, remedy: .doctor), at: 0)
        }
        status.problems = findings.filter { $0.verdict != .ok }.map { $0.advice(on: bus.address) }
        try emit(invocation.isJSON ? [status.json.pretty] : status.text)
    }

    let snapshot: ManagerSnapshot
    let requests: [ListedRequest]
    let sensors: [ListedSensor]
    /// The manager's values that this version does not know.
    var unknown: [PropertyChange] = []
    var agents = AgentLock.holders
    /// The programs that claim the accelerometer over net.hadess.SensorProxy; nil if only their names on the bus are known.
    var clients: [String]?
    /// Why there is no accelerometer, or why the desktop does not rotate the display.
    var problems: [String] = []

    /// All properties of the manager, once orientd has started, if it is starting without an accelerometer so far.
    static func started(_ bus: Bus) throws(BusError) -> ReadManager {
        let read = try bus.readKnownOfManager()
        guard !read.snapshot.status.hasAccelerometer else { return read }
        // It may also have ended its start since then.
        ServiceChecks.awaitStart(bus)
        return try bus.readKnownOfManager()
    }

    /// All properties of the manager; a sensor that nobody claims is claimed for a moment to update the orientation.
    ///
    /// Says so where that is refused.
    static func current(_ bus: Bus) throws(BusError) -> ReadManager {
        let before = try started(bus)
        let status = before.snapshot.status
        // It may be read for the hinge only, which tells no orientation.
        let isRead = status.sensorState == .sampling
        let isClaimed = status.claims > 0 || !status.sensorProxyClients.isEmpty
        guard status.sensorState == .idle || isRead && !isClaimed else { return before }
        do throws(BusError) {
            try bus.callDaemon("Claim")
        } catch {
            let doubt = status.deviceOrientation == .unknown ? "is unknown" : "may be old"
            let text = "the device's orientation \(doubt): the claim of the sensor failed (\(error.message))"
            let remedy = error.isRefusal ? ServiceChecks.claimRemedy(bus) : .none
            complain(Finding.warn(text, remedy: remedy).advice(on: bus.address))
            return before
        }
        var now = try bus.readKnownOfManager()
        // The angle of the hinge is measured meanwhile, twice a second, but for a closed lid.
        if status.autorotate == .tabletMode, status.tabletModeSource != .none, status.interfaceRule != .paused {
            for _ in 0..<50 where now.snapshot.status.tabletMode == .unknown && now.snapshot.status.hingeAngle < 0 {
                poll(nil, 0, 20)
                now = try bus.readKnownOfManager()
            }
        }
        try bus.callDaemon("Release")
        now.snapshot.status.sensorState = status.sensorState
        now.snapshot.status.claims = status.claims
        return now
    }

    /// The programs that claim the accelerometer over net.hadess.SensorProxy, or the unique names of those that are gone
    /// or unknown.
    static func clients(of status: ManagerStatus, on bus: Bus) -> [String] {
        status.sensorProxyClients.map { name in
            bus.owner(of: name).flatMap { $0.process == 0 ? nil : "\($0)" } ?? name
        }
    }

    /// Why the display of this session is not turned, as far as that is known.
    static func displayFindings(_ status: ManagerStatus, on bus: Bus) -> [Finding] {
        let missing =
            SessionChecks.isGraphical ? missingRotator(status, AgentLock.holders) ?? autorotationOff(status) : nil
        return Desktop.findings(status, on: bus, missing: missing)
    }

    /// Says that nothing turns the display of a session that has no desktop; nil while a program uses the sensor.
    static func missingRotator(_ status: ManagerStatus, _ agents: [AgentLock.Holder]) -> Finding? {
        // Each agent that can claims it, also one that finds no output.
        let own = agents.filter { $0.hindrance != .noClaim && $0.hindrance != .noService }.count
        guard agents.allSatisfy({ $0.hindrance != nil && $0.hindrance != .overruled }), status.claims <= UInt32(own),
            status.sensorProxyClients.isEmpty
        else { return nil }
        if let agent = agents.first { return .warn("orient-agent \(agent.activity)", remedy: .doctor) }
        return .warn("neither a desktop nor orient-agent turns the display of this session", remedy: .agent)
    }

    /// Says that the interface does not follow the device since nobody has chosen that.
    static func autorotationOff(_ status: ManagerStatus) -> Finding? {
        guard status.interfaceRule == .never, status.autorotateSource == .default else { return nil }
        return .warn("by default, the display of a laptop is not turned", remedy: .orientctl("tablet-mode tablet"))
    }

    // MARK: - Text

    /// Each value with its label, which is empty for more of the one before.
    var values: [(label: String, value: String)] {
        let status = snapshot.status
        let hasRecordingEnded = status.sensorState == .lost && sensors.contains { $0.status.hasRecordingEnded }
        let claims = (clients ?? status.sensorProxyClients).joined(separator: ", ")
        let gravity = [snapshot.gravity.x, snapshot.gravity.y, snapshot.gravity.z]
        let isMeasured = gravity.contains { $0 != 0 }
        let isOld = isMeasured && status.sensorState == .lost
        let age = isOld ? "; Device, Face and Gravity are from its last reading" : ""
        var values: [(label: String, value: String)] = [
            ("Device", Self.device(status)),
            ("Face", status.faceOrientation.name),
            ("Interface", Self.interface(status, deciding: requests.first { $0.id == status.askedRequest })),
            ("Lock", Self.lock(status)),
            ("Autorotate", Self.autorotate(status)),
        ]
        if status.tabletMode != .unknown || status.autorotate == .tabletMode {
            values.append(("Tablet mode", Self.tabletMode(status)))
        }
        if let hinge = Self.hinge(status) { values.append(("Hinge", hinge)) }
        values += [
            ("Supported", "\(status.supportedOrientations)"),
            ("Requests", requests.isEmpty ? "none" : "\(requests.count)"),
        ]
        for request in requests {
            values.append(("", Requests.summary(request, isDeciding: request.id == status.askedRequest)))
        }
        values += [
            ("Transform", "\(Self.transform(status)) (natural: \(status.naturalOrientation.name))"),
            ("Gravity", isMeasured ? gravity.map { decimal($0, places: 2) }.joined(separator: " ") + " g" : "unknown"),
            ("Claims", "\(status.claims)\(claims.isEmpty ? "" : ", and over \(SensorProxyObject.service): \(claims)")"),
            ("Sensor", hasRecordingEnded ? "recording has ended" : status.sensorState.name + age),
        ]
        for sensor in sensors { values.append(("", Sensors.summary(sensor.status))) }
        values.append(("orientd", snapshot.version))
        for agent in agents { values.append(("Agent", "process \(agent.process) \(agent.activity)")) }
        return values
    }

    /// The device's orientation, and the edge of the display that is up.
    static func device(_ status: ManagerStatus) -> String {
        let edge = status.deviceOrientation.upperEdge(natural: status.naturalOrientation)
        return status.deviceOrientation.name + (edge.map { " (\($0))" } ?? "")
    }

    /// The transform, with its direction where others count the other way.
    static func transform(_ status: ManagerStatus) -> String {
        let isQuarter = status.outputTransform == .rotated90 || status.outputTransform == .rotated270
        return status.outputTransform.name + (isQuarter ? " counter-clockwise" : "")
    }

    /// When the device turns the interface, and what has set that.
    static func autorotate(_ status: ManagerStatus) -> String {
        let source =
            switch status.autorotateSource {
            case .override: ", set by hand"
            case .configuration: ", by orientd.conf"
            case .default: ", by default"
            }
        return status.autorotate.name + source
    }

    /// What the machine is used as, and what tells that.
    static func tabletMode(_ status: ManagerStatus) -> String {
        guard status.tabletMode != .unknown else {
            return status.autorotate == .never ? "unknown" : "unknown (counts as a tablet)"
        }
        let source =
            switch status.tabletModeSource {
            case .none: ""
            case .switch: ", by the tablet switch or keyboard"
            case .hinge, .accelerometers: ", by the angle of the hinge"
            case .override: ", set by hand"
            }
        return status.tabletMode.name + source
    }

    /// The angle of the hinge, and whether the tablet switch contradicts it; nil where nothing is known.
    static func hinge(_ status: ManagerStatus) -> String? {
        let parts = [
            status.hingeAngle >= 0 ? "\(Int(status.hingeAngle))°" : nil,
            status.isSwitchContradicted ? "the tablet switch contradicts it; orientctl doctor tells more" : nil,
        ].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// The interface's orientation, and the rule that decided it; without `deciding`, it names no application.
    static func interface(_ status: ManagerStatus, deciding: ListedRequest? = nil) -> String {
        // The names of device and interface are opposite in landscape: say that they fit.
        if status.interfaceRule == .device { return "\(status.interfaceOrientation.name), following the device" }
        if status.interfaceRule == .unknown, !status.hasAccelerometer {
            return "\(status.interfaceOrientation.name), as there is no accelerometer"
        }
        let mask = status.supportedOrientations
        let unnamed = status.askedRequest.map { _ in (application: "an application", supported: mask) }
        let sentence = status.interfaceRule.sentence(
            deciding: deciding.map { ($0.appID, $0.supported) } ?? unnamed,
            mask: mask
        )
        return printable("\(status.interfaceOrientation.name), \(sentence)")
    }

    /// Whether the lock is on, and the orientation that it holds.
    static func lock(_ status: ManagerStatus) -> String {
        switch status.rotationLock {
        case .off: "off"
        case .orientation(let held): "on (\(held.name))"
        // Where another rule decides, only orientd knows what it holds.
        case .current: status.interfaceRule == .lock ? "on (\(status.interfaceOrientation.name))" : "on"
        }
    }

    /// One value a line, indented without a label.
    static func lines(of values: [(label: String, value: String)]) -> [String] {
        values.map { $0.label.isEmpty ? "  \($0.value)" : "\($0.label): \($0.value)" }
    }

    /// Everything as lines; on a terminal in columns, and beside a picture of the device if it is wide enough.
    var text: [String] {
        let columns = Terminal.isOutput ? Terminal.columns : 0
        // So many columns are needed for labels and words side by side, and for the picture beside them.
        guard columns >= 36 else { return Self.lines(of: values) + problemLines }
        let picture = columns >= 64 ? Pose.pictures(of: snapshot.status) : []
        let width = picture.isEmpty ? 0 : Pose.width + 2
        let rows = Self.rows(of: values, width: columns - width)
        let beside = (0..<max(rows.count, picture.count)).map { index in
            let drawn = index < picture.count ? picture[index] + "  " : String(repeating: " ", count: width)
            let left = Terminal.styled(drawn, .accent)
            guard index < rows.count else { return left }
            return left + Terminal.styled(rows[index].label, .faint) + rows[index].text
        }
        return beside + problemLines
    }

    /// A line each, of any length, so that their commands can be copied.
    private var problemLines: [String] { Self.lines(of: problems.map { ("Problem", $0) }) }

    /// The rows of `width` columns that the values take, with labels of equal length.
    static func rows(of values: [(label: String, value: String)], width: Int) -> [(label: String, text: String)] {
        let column = 12
        var rows: [(label: String, text: String)] = []
        for (label, value) in values {
            var label = label + String(repeating: " ", count: column - label.utf8.count)
            for text in OptionParser.wrapped(value, width: width - column - 2) {
                rows.append((label, text))
                label = String(repeating: " ", count: column + 2)
            }
        }
        return rows
    }

    private var json: JSONValue {
        let object = JSONValue()
        for property in ManagerSnapshot.properties { object.set(property.name, property.value(of: snapshot)) }
        for value in unknown { object.set(value.name, value.value) }
        object.set("Requests", requests.map { Requests.json($0, isDeciding: $0.id == snapshot.status.askedRequest) })
        object.set("Sensors", sensors.map { Sensors.json($0.path, $0.status) })
        object.set("Problems", .texts(problems))
        object.set(
            "Agents",
            agents.map { JSONValue(["process": .number(UInt32($0.process)), "activity": .text($0.activity)]) }
        )
        return object
    }
}
