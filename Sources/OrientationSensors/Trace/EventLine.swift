// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

/// A line of a recording that is no sample of the display's accelerometer; orientd-trace(5) lists them.
package enum RecordedEvent: Hashable, Sendable {
    /// The machine was created: the first line of a recording.
    case start(MachineConfiguration, SavedState?)
    /// An application mask of the configuration; these precede `start`.
    case application(String, InterfaceOrientationMask)
    /// Warnings are left out; a reading is two lines.
    case event(Event)
    /// An accelerometer is read more or less closely, as the machine decided.
    case level(AccelerometerRole, SensingLevel)

    /// One event of each kind that has a name; what they hold does not matter.
    private static let kinds: [(name: String, event: RecordedEvent)] = {
        let request = RotationRequest(appID: "", supported: .all)
        let events: [Event] = [
            .deviceFound(FoundDevice()), .deviceRemoved(0, ""), .deviceAnnounced,
            .scanned(mayReturn: .none, retries: false), .needed(.compass, false), .sourceFound(""), .sourceEnded(nil),
            .samplingBegan(.display, Sampling(rate: 0, mayFallSilent: false, faceUp: .positiveZ)),
            .sensorChanged(.display, SensorReport()), .sensorsFound, .switchesFound, .chassisFound(nil),
            .displayFound(natural: nil, laptopEdge: .portrait),
            .lid(isClosed: false), .tabletSwitch(.unknown), .hingeSensor(SensorReport()), .hingeAngle(0), .sleep, .wake,
            .claims(0), .tabletModeClaims(0), .proxyClaims([]), .setTabletMode(.unknown),
            .setRotationLock(.off), .rotate(.portrait), .alignToDevice, .setAutorotate(.always),
            .setApplicationMask(nil, appID: "", client: ""), .present(request, client: ""),
            .update(0, to: request, client: ""), .setNeedsUpdate(0, client: ""), .release(0, client: ""),
            .vanished(client: ""), .deadlinePassed(.ready), .saveFailed, .shutdown,
        ]
        let kinds =
            (events + deviceEvents.map { .device(0, $0) }).map { RecordedEvent.event($0) }
            + [.start(MachineConfiguration(), nil), .application("", .all), .level(.display, .stream)]
        return kinds.map { ($0.written.name, $0) }
    }()

    private static let deviceEvents: [DeviceEvent] = [
        .finished(.done(warnings: [])), .finished(.opened(DeviceOpening())), .finished(.sensitivity(0)),
        .finished(.failed("")), .reading(showsMotion: false), .readFailed(.error, ""), .unreadable(""),
        .deadlinePassed, .rescaled(nil), .undescribed(""),
    ]

    /// Reads the fields of a line behind its time.
    init(_ fields: [Substring.UTF8View]) throws(TraceError.Fault) {
        let name = fields.first.map { String(Substring($0)) } ?? ""
        var arguments = try Arguments(reading: fields.dropFirst())
        guard let kind = Self.kinds.first(where: { $0.name == name }) else { throw .unknownEvent(name) }
        self = try arguments.exchange(kind.event).event
    }

    /// The line behind its time, without the comma.
    var text: String {
        if case .event(.sample(let role, let sample)) = self {
            return (role == .base ? "base," : "") + TraceFormat.text(sample.acceleration)
        }
        let (name, arguments) = written
        return name + arguments
    }

    private var written: (name: String, arguments: String) {
        var arguments = Arguments()
        do throws(TraceError.Fault) {
            return (try arguments.exchange(self).name, arguments.text)
        } catch {
            preconditionFailure("an event could not be written")
        }
    }
}

/// The arguments of a line: `,key=value` for each, with the value percent-encoded.
///
/// Each event is described once for both directions: while writing, a method writes the value that it is given and
/// returns it; while reading, it ignores that value and returns the one that was read.
private struct Arguments {
    typealias Fault = TraceError.Fault

    /// What was written.
    private(set) var text = ""

    /// What is read; nil while writing.
    private let values: [(key: String, value: String)]?

    init() { values = nil }

    init(reading fields: ArraySlice<Substring.UTF8View>) throws(Fault) {
        var values: [(key: String, value: String)] = []
        for field in fields {
            guard let equals = field.firstIndex(of: UInt8(ascii: "=")),
                let value = PercentEncoding.decoded(field[field.index(after: equals)...])
            else { throw .malformedArgument(String(Substring(field))) }
            values.append((String(Substring(field[..<equals])), value))
        }
        self.values = values
    }

    /// An argument that is left out where there is no value.
    mutating func optional<Value: LosslessStringConvertible>(_ key: String, _ value: Value?) throws(Fault) -> Value? {
        guard let values else {
            if let value { text += ",\(key)=\(PercentEncoding.encoded(value.description))" }
            return value
        }
        guard let found = values.first(where: { $0.key == key }) else { return nil }
        guard let value = Value(found.value) else { throw .malformedArgument(key) }
        return value
    }

    mutating func required<Value: LosslessStringConvertible>(_ key: String, _ value: Value?) throws(Fault) -> Value {
        guard let value = try optional(key, value) else { throw .missingArgument(key) }
        return value
    }

    mutating func flag(_ key: String, _ value: Bool) throws(Fault) -> Bool {
        switch try required(key, value ? "yes" : "no") {
        case "yes": true
        case "no": false
        default: throw .malformedArgument(key)
        }
    }

    mutating func number(_ key: String, _ value: Double) throws(Fault) -> Double {
        guard let number = try number(key, value as Double?) else { throw .missingArgument(key) }
        return number
    }

    mutating func number(_ key: String, _ value: Double?) throws(Fault) -> Double? {
        guard let text = try optional(key, value.map { "\($0)" }) else { return nil }
        guard let number = AttributeText.number(text) else { throw .malformedArgument(key) }
        return number
    }

    /// Names on the bus, separated by semicolons, which they cannot contain; left out where there is none.
    mutating func names(_ key: String, _ value: [String]) throws(Fault) -> [String] {
        let text = try optional(key, value.isEmpty ? nil : value.joined(separator: ";")) ?? ""
        return text.utf8.split(separator: UInt8(ascii: ";")).map { String(Substring($0)) }
    }

    mutating func mask(_ key: String, _ value: InterfaceOrientationMask) throws(Fault) -> InterfaceOrientationMask {
        InterfaceOrientationMask(rawValue: try required(key, value.rawValue))
    }

    mutating func mask(_ key: String, _ value: InterfaceOrientationMask?) throws(Fault) -> InterfaceOrientationMask? {
        try optional(key, value?.rawValue).map { InterfaceOrientationMask(rawValue: $0) }
    }

    /// Checks a mask of the configuration; those of clients may be invalid, and are refused by the policy.
    private func valid(_ mask: InterfaceOrientationMask) throws(Fault) -> InterfaceOrientationMask {
        guard mask.isValid else { throw .malformedArgument("supported") }
        return mask
    }

    // MARK: - The arguments of each event

    /// Writes the arguments of an event, or reads those of another event of its kind; returns its name as well.
    mutating func exchange(_ event: RecordedEvent) throws(Fault) -> (name: String, event: RecordedEvent) {
        switch event {
        case .start(let configuration, let saved):
            return ("start", .start(try exchange(configuration), try exchange(saved)))
        case .application(let id, let supported):
            return ("application", .application(try required("app", id), try valid(try mask("supported", supported))))
        case .level(let role, let level):
            return ("level", .level(try required("role", role), try required("level", level)))
        case .event(let event):
            let (name, event) = try exchange(event)
            return (name, .event(event))
        }
    }

    private mutating func exchange(_ event: Event) throws(Fault) -> (name: String, event: Event) {
        switch event {
        case .sample: return ("sample", event)
        case .deviceFound(let device): return ("device-found", .deviceFound(try exchange(device)))
        case .deviceRemoved(let number, let reason):
            return ("device-removed", .deviceRemoved(try required("device", number), try required("reason", reason)))
        case .deviceAnnounced: return ("announced", event)
        case .scanned(let reason, let retries):
            // Older recordings do not say it.
            let reason = try optional("may-return", reason) ?? .none
            let retries = try optional("retries", retries ? "yes" : nil) == "yes"
            return ("scanned", .scanned(mayReturn: reason, retries: retries))
        case .device(let number, let event):
            let number = try required("device", number)
            let (name, event) = try exchange(event)
            return (name, .device(number, event))
        case .needed(let kind, let isNeeded):
            return ("needed", .needed(try required("kind", kind), try flag("needed", isNeeded)))
        case .sourceFound(let name): return ("source-found", .sourceFound(try required("name", name)))
        case .sourceEnded(let reason): return ("source-ended", .sourceEnded(try optional("reason", reason)))
        case .samplingBegan(let role, var sampling):
            let role = try required("role", role)
            sampling.rate = try number("rate", sampling.rate)
            sampling.mayFallSilent = try flag("may-fall-silent", sampling.mayFallSilent)
            sampling.faceUp = try required("face-up", sampling.faceUp)
            return ("sampling", .samplingBegan(role, sampling))
        case .sensorChanged(let role, let report):
            let role = try required("role", role)
            return ("sensor", .sensorChanged(role, try exchange(report)))
        case .hingeSensor(let report): return ("hinge-sensor", .hingeSensor(try exchange(report)))
        case .hingeAngle(let angle): return ("hinge", .hingeAngle(try number("angle", angle)))
        case .sensorsFound: return ("sensors-found", event)
        case .switchesFound: return ("switches-found", event)
        case .chassisFound(let idiom): return ("chassis", .chassisFound(try optional("idiom", idiom)))
        case .displayFound(let natural, let laptopEdge):
            let natural = try optional("natural", natural)
            return ("display", .displayFound(natural: natural, laptopEdge: try exchange(laptopEdge)))
        case .lid(let isClosed): return ("lid", .lid(isClosed: try flag("closed", isClosed)))
        case .tabletSwitch(let mode): return ("tablet-switch", .tabletSwitch(try required("mode", mode)))
        case .sleep: return ("sleep", event)
        case .wake: return ("wake", event)
        case .claims(let count): return ("claims", .claims(try required("count", count)))
        case .tabletModeClaims(let count):
            return ("tablet-mode-claims", .tabletModeClaims(try required("count", count)))
        case .proxyClaims(let clients): return ("proxy-claim", .proxyClaims(try names("clients", clients)))
        case .setRotationLock(let lock): return ("lock", .setRotationLock(try required("lock", lock)))
        case .rotate(let orientation): return ("rotate", .rotate(try required("orientation", orientation)))
        case .alignToDevice: return ("align", event)
        case .setAutorotate(let mode): return ("autorotate", .setAutorotate(try optional("mode", mode)))
        case .setTabletMode(let mode): return ("tablet-mode", .setTabletMode(try required("mode", mode)))
        case .setApplicationMask(var supported, var appID, let client):
            let client = try required("client", client)
            appID = try required("app", appID)
            supported = try mask("supported", supported)
            return ("application-mask", .setApplicationMask(supported, appID: appID, client: client))
        case .present(let request, let client):
            let client = try required("client", client)
            return ("request", .present(try exchange(request), client: client))
        case .update(let id, let request, let client):
            let client = try required("client", client)
            return ("update", .update(try required("request", id), to: try exchange(request), client: client))
        case .setNeedsUpdate(let id, let client):
            let client = try required("client", client)
            return ("needs-update", .setNeedsUpdate(try required("request", id), client: client))
        case .release(let id, let client):
            let client = try required("client", client)
            return ("release", .release(try required("request", id), client: client))
        case .vanished(let client): return ("vanished", .vanished(client: try required("client", client)))
        case .deadlinePassed(let purpose): return ("deadline", .deadlinePassed(try required("purpose", purpose)))
        case .saveFailed: return ("save-failed", event)
        case .shutdown: return ("shutdown", event)
        }
    }

    private mutating func exchange(_ event: DeviceEvent) throws(Fault) -> (name: String, event: DeviceEvent) {
        switch event {
        case .finished(.done): return ("job-done", .finished(.done(warnings: [])))
        case .finished(.opened(var opening)):
            opening.isBuffered = try flag("buffered", opening.isBuffered)
            opening.rate = try number("rate", opening.rate)
            opening.hasSensitivity = try flag("has-sensitivity", opening.hasSensitivity)
            opening.warnings = []
            return ("opened", .finished(.opened(opening)))
        case .finished(.sensitivity(let change)):
            return ("sensitivity", .finished(.sensitivity(try number("change", change))))
        case .finished(.failed(let reason)): return ("job-failed", .finished(.failed(try required("reason", reason))))
        case .reading(let showsMotion): return ("reading", .reading(showsMotion: try flag("motion", showsMotion)))
        case .readFailed(let failure, let reason):
            let failure = try required("failure", failure)
            return ("reading-failed", .readFailed(failure, try required("reason", reason)))
        case .unreadable(let reason): return ("unreadable", .unreadable(try required("reason", reason)))
        case .deadlinePassed: return ("device-deadline", event)
        case .rescaled(let faceUp): return ("rescaled", .rescaled(try optional("face-up", faceUp)))
        case .undescribed(let reason): return ("undescribed", .undescribed(try required("reason", reason)))
        case .found, .removed, .start, .stop, .sense: preconditionFailure("a replay derives these")
        }
    }

    private mutating func exchange(_ old: FoundDevice) throws(Fault) -> FoundDevice {
        var new = old
        new.number = try required("device", old.number)
        new.kind = try required("kind", old.kind)
        let role = try required("role", old.use.role)
        guard role == .display || new.kind == .accelerometer else { throw .malformedArgument("role") }
        let usual: SensorLocation = role == .base ? .base : .display
        new.location = try optional("location", old.location == usual ? nil : old.location) ?? usual
        new.name = try required("name", old.name)
        new.path = try required("path", old.path)
        new.isSubstitute = try flag("substitute", old.isSubstitute)
        new.canBuffer = try flag("buffer", old.canBuffer)
        new.canPoll = try flag("poll", old.canPoll)
        new.rate = try number("rate", old.rate)
        new.isDescribed = try optional("described", old.isDescribed ? nil : "no") != "no"
        new.faceUp = try optional("face-up", old.faceUp)
        new.faceUpReason = try optional("face-up-reason", old.faceUpReason)
        return new
    }

    private mutating func exchange(_ old: SensorReport) throws(Fault) -> SensorReport {
        var new = old
        new.state = try required("state", old.state)
        new.isPresent = try flag("present", old.isPresent)
        new.mayDeliver = try flag("may-deliver", old.mayDeliver)
        return new
    }

    private mutating func exchange(_ old: RotationRequest) throws(Fault) -> RotationRequest {
        var new = old
        new.appID = try required("app", old.appID)
        new.supported = try mask("supported", old.supported)
        new.preferred = try optional("preferred", old.preferred)
        new.shouldAutorotate = try flag("should-autorotate", old.shouldAutorotate)
        new.presentation = try required("presentation", old.presentation)
        new.parent = try optional("parent", old.parent)
        new.forwardsTo = try optional("forwards-to", old.forwardsTo)
        new.isActive = try flag("active", old.isActive)
        new.reason = try optional("reason", old.reason.isEmpty ? nil : old.reason) ?? ""
        return new
    }

    private mutating func exchange(_ old: MachineConfiguration) throws(Fault) -> MachineConfiguration {
        var new = old
        new.idiom = try optional("idiom", old.idiom)
        new.naturalOrientation = try optional("natural", old.naturalOrientation)
        if let supported = try mask("supported", old.supportedOrientations) {
            new.supportedOrientations = try valid(supported)
        }
        new.autorotate = try optional("autorotate", old.autorotate)
        new.laptopOrientation = try optional("laptop", old.laptopOrientation)
        new.laptopEdge = try exchange(old.laptopEdge)
        new.reportsFace = try flag("report-face", old.reportsFace)
        new.classifier = try required("classifier", old.classifier)
        new.virtualTabletSwitch = try optional("tablet-switch", old.virtualTabletSwitch ? "yes" : nil) == "yes"
        // Recordings of before there was a choice have all samples.
        new.power = try optional("power", old.power) ?? .responsive
        return new
    }

    /// The edge that is up in laptop mode; left out where it is the panel's own top.
    private mutating func exchange(_ laptopEdge: DeviceOrientation) throws(Fault) -> DeviceOrientation {
        try optional("laptop-edge", laptopEdge == .portrait ? nil : laptopEdge) ?? .portrait
    }

    private mutating func exchange(_ saved: SavedState?) throws(Fault) -> SavedState? {
        guard let lock = try optional("saved-lock", saved?.lock) else { return nil }
        return SavedState(
            lock: lock,
            held: try required("saved-held", saved?.held),
            autorotate: try optional("saved-autorotate", saved?.autorotate),
            shown: try required("saved-shown", saved?.shown)
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
        while var byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                // UInt8 accepts a sign.
                guard rest.count >= 2, rest.first != UInt8(ascii: "+"), rest.first != UInt8(ascii: "-"),
                    let code = UInt8(String(Substring(rest.prefix(2))), radix: 16)
                else { return nil }
                byte = code
                rest = rest.dropFirst(2)
            }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

#if hasFeature(Embedded) && !compiler(>=6.3)
// Swift 6.2 declares what this requires, but not the conformance.
extension Int: @retroactive LosslessStringConvertible {}
extension UInt32: @retroactive LosslessStringConvertible {}
#endif
