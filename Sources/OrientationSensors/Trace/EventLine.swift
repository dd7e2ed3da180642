// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

/// A line of a recording that is no sample of the display's accelerometer; orientctl(1) lists them.
package enum RecordedEvent: Hashable, Sendable {
    /// The machine was created: the first line of a recording.
    case start(MachineConfiguration, SavedState?)
    /// An application mask of the configuration; these precede `start`.
    case application(String, InterfaceOrientationMask)
    case event(Event)
}

/// A line behind its time: `name,key=value,key=value`, with values percent-encoded.
private struct EventLine {
    private(set) var text: String
    private var values: [(key: String, value: String)] = []

    /// Writes a line; an argument without a value is left out.
    init(_ name: String, _ arguments: (key: String, value: String?)...) {
        text = name
        for case (let key, let value?) in arguments { text += ",\(key)=\(PercentEncoding.encoded(value))" }
    }

    /// Reads the arguments of a line.
    init(fields: [Substring.UTF8View]) throws(TraceError.Fault) {
        text = ""
        for field in fields {
            guard let equals = field.firstIndex(of: UInt8(ascii: "=")),
                let value = PercentEncoding.decoded(field[field.index(after: equals)...])
            else { throw .malformedArgument(String(Substring(field))) }
            values.append((String(Substring(field[..<equals])), value))
        }
    }

    func optional(_ key: String) -> String? { values.first { $0.key == key }?.value }

    func string(_ key: String) throws(TraceError.Fault) -> String {
        guard let value = optional(key) else { throw .missingArgument(key) }
        return value
    }

    func bool(_ key: String) throws(TraceError.Fault) -> Bool {
        switch try string(key) {
        case "yes": true
        case "no": false
        default: throw .malformedArgument(key)
        }
    }

    func number(_ key: String) throws(TraceError.Fault) -> UInt32 {
        guard let value = UInt32(try string(key)) else { throw .malformedArgument(key) }
        return value
    }

    func named<Value: NamedValue>(_ key: String) throws(TraceError.Fault) -> Value {
        guard let value: Value = try optionallyNamed(key) else { throw .missingArgument(key) }
        return value
    }

    func optionallyNamed<Value: NamedValue>(_ key: String) throws(TraceError.Fault) -> Value? {
        guard let name = optional(key) else { return nil }
        guard let value = Value(name: name) else { throw .malformedArgument(key) }
        return value
    }

    func mask(_ key: String) throws(TraceError.Fault) -> InterfaceOrientationMask {
        InterfaceOrientationMask(rawValue: try number(key))
    }
}

// MARK: - Writing

extension RecordedEvent {
    /// The line behind its time, without the comma.
    var text: String {
        switch self {
        case .start(let configuration, let saved): Self.line(configuration, saved).text
        case .application(let id, let mask):
            EventLine("application", ("app", id), ("supported", "\(mask.rawValue)")).text
        case .event(.sample(let role, let sample)):
            (role == .base ? "base," : "") + TraceFormat.text(sample.acceleration)
        case .event(let event): Self.line(event).text
        }
    }

    private static func line(_ configuration: MachineConfiguration, _ saved: SavedState?) -> EventLine {
        EventLine(
            "start",
            ("idiom", configuration.idiom?.name),
            ("natural", configuration.naturalOrientation?.name),
            ("supported", configuration.supportedOrientations.map { "\($0.rawValue)" }),
            ("autorotate", configuration.autorotate?.name),
            ("laptop", configuration.laptopOrientation?.name),
            ("report-face", word(configuration.reportsFace)),
            ("classifier", configuration.classifier.name),
            ("saved-lock", saved?.lock.name),
            ("saved-held", saved?.held.name),
            ("saved-autorotate", saved?.autorotate?.name),
            ("saved-shown", saved?.shown.name)
        )
    }

    private static func line(_ event: Event) -> EventLine {
        switch event {
        case .sample: EventLine("sample")
        case .samplingBegan(let role, let sampling):
            EventLine(
                "sampling",
                ("role", role.name),
                ("rate", "\(sampling.rate)"),
                ("may-fall-silent", word(sampling.mayFallSilent)),
                ("face-up", sampling.faceUp.name)
            )
        case .sensorChanged(let role, let report):
            EventLine(
                "sensor",
                ("role", role.name),
                ("state", report.state.name),
                ("present", word(report.isPresent)),
                ("may-deliver", word(report.mayDeliver))
            )
        case .sensorsFound: EventLine("sensors-found")
        case .switchesFound: EventLine("switches-found")
        case .chassisFound(let idiom): EventLine("chassis", ("idiom", idiom?.name))
        case .lid(let isClosed): EventLine("lid", ("closed", word(isClosed)))
        case .tabletSwitch(let mode): EventLine("tablet-switch", ("mode", mode.name))
        case .sleep: EventLine("sleep")
        case .wake: EventLine("wake")
        case .claims(let count): EventLine("claims", ("count", "\(count)"))
        case .proxyClaim(let isHeld): EventLine("proxy-claim", ("held", word(isHeld)))
        case .setRotationLock(let lock): EventLine("lock", ("lock", lock.name))
        case .rotate(let orientation): EventLine("rotate", ("orientation", orientation.name))
        case .alignToDevice: EventLine("align")
        case .setAutorotate(let mode): EventLine("autorotate", ("mode", mode.name))
        case .setApplicationMask(let mask, let appID, let client):
            EventLine(
                "application-mask",
                ("client", client),
                ("app", appID),
                ("supported", mask.map { "\($0.rawValue)" })
            )
        case .present(let request, let client): line("request", nil, request, client)
        case .update(let id, let request, let client): line("update", id, request, client)
        case .setNeedsUpdate(let id, let client): EventLine("needs-update", ("client", client), ("request", "\(id)"))
        case .release(let id, let client): EventLine("release", ("client", client), ("request", "\(id)"))
        case .vanished(let client): EventLine("vanished", ("client", client))
        case .deadlinePassed(let purpose): EventLine("deadline", ("purpose", purpose.name))
        case .saveFailed: EventLine("save-failed")
        case .shutdown: EventLine("shutdown")
        }
    }

    private static func line(
        _ name: String,
        _ id: RotationRequest.ID?,
        _ request: RotationRequest,
        _ client: String
    ) -> EventLine {
        EventLine(
            name,
            ("client", client),
            ("request", id.map { "\($0)" }),
            ("app", request.appID),
            ("supported", "\(request.supported.rawValue)"),
            ("preferred", request.preferred?.name),
            ("should-autorotate", word(request.shouldAutorotate)),
            ("presentation", request.presentation.name),
            ("parent", request.parent.map { "\($0)" }),
            ("forwards-to", request.forwardsTo.map { "\($0)" }),
            ("active", word(request.isActive)),
            ("reason", request.reason.isEmpty ? nil : request.reason)
        )
    }

    private static func word(_ value: Bool) -> String { value ? "yes" : "no" }
}

// MARK: - Reading

extension RecordedEvent {
    /// Reads the fields of a line behind its time.
    init(_ fields: [Substring.UTF8View]) throws(TraceError.Fault) {
        let name = fields.first.map { String(Substring($0)) } ?? ""
        let line = try EventLine(fields: Array(fields.dropFirst()))
        switch name {
        case "start": self = .start(try Self.configuration(in: line), try Self.savedState(in: line))
        case "application": self = .application(try line.string("app"), try line.mask("supported"))
        default: self = .event(try Self.event(name, line))
        }
    }

    private static func configuration(in line: EventLine) throws(TraceError.Fault) -> MachineConfiguration {
        var configuration = MachineConfiguration()
        configuration.idiom = try line.optionallyNamed("idiom")
        configuration.naturalOrientation = try line.optionallyNamed("natural")
        if line.optional("supported") != nil { configuration.supportedOrientations = try line.mask("supported") }
        configuration.autorotate = try line.optionallyNamed("autorotate")
        configuration.laptopOrientation = try line.optionallyNamed("laptop")
        configuration.reportsFace = try line.bool("report-face")
        configuration.classifier = try line.named("classifier")
        return configuration
    }

    private static func savedState(in line: EventLine) throws(TraceError.Fault) -> SavedState? {
        guard let lock: RotationLock = try line.optionallyNamed("saved-lock") else { return nil }
        return SavedState(
            lock: lock,
            held: try line.named("saved-held"),
            autorotate: try line.optionallyNamed("saved-autorotate"),
            shown: try line.named("saved-shown")
        )
    }

    private static func event(_ name: String, _ line: EventLine) throws(TraceError.Fault) -> Event {
        switch name {
        case "sampling":
            guard let rate = AttributeText.number(try line.string("rate")) else { throw .malformedArgument("rate") }
            let sampling = Sampling(
                rate: rate,
                mayFallSilent: try line.bool("may-fall-silent"),
                faceUp: try line.named("face-up")
            )
            return .samplingBegan(try line.named("role"), sampling)
        case "sensor":
            let report = SensorReport(
                state: try line.named("state"),
                isPresent: try line.bool("present"),
                mayDeliver: try line.bool("may-deliver")
            )
            return .sensorChanged(try line.named("role"), report)
        case "sensors-found": return .sensorsFound
        case "switches-found": return .switchesFound
        case "chassis": return .chassisFound(try line.optionallyNamed("idiom"))
        case "lid": return .lid(isClosed: try line.bool("closed"))
        case "tablet-switch": return .tabletSwitch(try line.named("mode"))
        case "sleep": return .sleep
        case "wake": return .wake
        case "claims": return .claims(try line.number("count"))
        case "proxy-claim": return .proxyClaim(isHeld: try line.bool("held"))
        case "lock": return .setRotationLock(try line.named("lock"))
        case "rotate": return .rotate(try line.named("orientation"))
        case "align": return .alignToDevice
        case "autorotate": return .setAutorotate(try line.named("mode"))
        case "application-mask":
            let mask = line.optional("supported") == nil ? nil : try line.mask("supported")
            return .setApplicationMask(mask, appID: try line.string("app"), client: try line.string("client"))
        case "request": return .present(try request(in: line), client: try line.string("client"))
        case "update":
            return .update(try line.number("request"), to: try request(in: line), client: try line.string("client"))
        case "needs-update": return .setNeedsUpdate(try line.number("request"), client: try line.string("client"))
        case "release": return .release(try line.number("request"), client: try line.string("client"))
        case "vanished": return .vanished(client: try line.string("client"))
        case "deadline": return .deadlinePassed(try line.named("purpose"))
        case "save-failed": return .saveFailed
        case "shutdown": return .shutdown
        default: throw .unknownEvent(name)
        }
    }

    private static func request(in line: EventLine) throws(TraceError.Fault) -> RotationRequest {
        RotationRequest(
            appID: try line.string("app"),
            supported: try line.mask("supported"),
            preferred: try line.optionallyNamed("preferred"),
            shouldAutorotate: try line.bool("should-autorotate"),
            presentation: try line.named("presentation"),
            parent: line.optional("parent") == nil ? nil : try line.number("parent"),
            forwardsTo: line.optional("forwards-to") == nil ? nil : try line.number("forwards-to"),
            isActive: try line.bool("active"),
            reason: line.optional("reason") ?? ""
        )
    }
}

/// Percent-encoding of everything but visible ASCII, and of the format's own signs.
private enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            let isPlain = (0x21...0x7e).contains(byte) && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "%")
            bytes += isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Nil for a percent sign without two hexadecimal digits.
    static func decoded(_ text: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
