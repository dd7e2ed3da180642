// SPDX-License-Identifier: Apache-2.0

import SystemdBus

/// One sensor of `net.hadess.SensorProxy`: its properties, and who has claimed it.
///
/// A connection has claimed it or has not: claims are not counted. Values are told to those who have.
final class ProxiedSensor {
    /// What polkit is asked about, by the name that iio-sensor-proxy's own policy gives it.
    private static let action = "net.hadess.SensorProxy.claim-sensor"

    /// Seconds after which a claim is answered even though there is no reading.
    private static let patience = 1.0

    private let sensor: ProxySensor
    private let interface: BusInterface
    private let path: String
    private let bus: Bus
    private let authority: PolkitAuthority
    private let delegate: any SensorProxyDelegate
    private let properties = PublishedProperties(SensorProxyStatus())

    /// What everybody is told of: whether there is a sensor.
    private var presence = ""

    /// The names of what claimants are told of, signal by signal.
    private var signals: [[String]] = []
    private var claims: Holdings?

    /// Claims made, whose answers wait for the first reading.
    private var waiting: [BusMessage] = []
    private var timer: Timer?

    init(
        _ sensor: ProxySensor,
        of interface: BusInterface,
        at path: String,
        bus: Bus,
        loop: EventLoop,
        authority: PolkitAuthority,
        delegate: any SensorProxyDelegate
    ) throws(SystemError) {
        self.sensor = sensor
        self.interface = interface
        self.path = path
        self.bus = bus
        self.authority = authority
        self.delegate = delegate
        timer = try loop.timer { [self] in answer() }
        claims = Holdings(of: "claims", bus: bus, onChange: { delegate.claimsChanged(of: sensor, areHeld: $0 > 0) })
    }

    // MARK: - Members

    /// Adds the property that says whether there is a sensor.
    func addPresence(_ name: StaticString, _ value: @escaping (SensorProxyStatus) -> Bool) {
        presence = "\(name)"
        properties.add(name, to: interface, .announced, value)
    }

    /// Adds a property that is told in a signal of its own, or in that of the property before.
    func add<Value: BusValue>(
        _ name: StaticString,
        joined: Bool = false,
        _ value: @escaping (SensorProxyStatus) -> Value
    ) {
        properties.add(name, to: interface, .announced, value)
        if joined, let last = signals.indices.last {
            signals[last].append("\(name)")
        } else {
            signals.append(["\(name)"])
        }
    }

    func addMethods(claim: StaticString, release: StaticString) {
        interface.method(claim) { [self] in self.claim($0) }
        interface.method(release) { [self] in self.release($0) }
    }

    // MARK: - Claims

    private func claim(_ message: BusMessage) {
        do throws(BusError) {
            try claims?.reserve(message.sender)
        } catch {
            return message.reply(error)
        }
        authority.authorize(message, for: Self.action) { [self] isAllowed in
            do throws(BusError) {
                let isNew = claims?.connections.contains(message.sender) == false
                _ = try claims?.settle(message.sender, isAllowed: isAllowed && isNew)
                guard isAllowed else { return }
                waiting.append(message)
                if waiting.count == 1 { timer?.arm(after: Self.patience) }
                answerIfKnown()
            } catch {
                message.reply(error)
            }
        }
    }

    private func release(_ message: BusMessage) {
        authority.authorize(message, for: Self.action) { [self] isAllowed in
            guard isAllowed else { return }
            claims?.removeHeld(by: message.sender)
            message.reply()
        }
    }

    /// Answers the claims that wait, if there is something to answer now.
    func answerIfKnown() {
        if !waiting.isEmpty && delegate.hasFirstReading(of: sensor) { answer() }
    }

    /// Answers the claims that wait, whatever is known.
    func answer() {
        timer?.disarm()
        let answered = waiting
        waiting = []
        for message in answered { message.reply() }
    }

    // MARK: - Values

    /// Tells the claimants what is new, and everybody whether there is a sensor.
    ///
    /// iio-sensor-proxy tells nobody but claimants of that either; a client that waits for a sensor would poll for it.
    func publish(_ status: SensorProxyStatus) {
        let changed = properties.update(to: status)
        guard !changed.isEmpty else { return }
        for signal in signals where signal.contains(where: changed.contains) {
            for claimant in claims?.connections ?? [] { tell(claimant, signal) }
        }
        if changed.contains(presence) { bus.announce([presence], of: interface.name, at: path) }
    }

    private func tell(_ claimant: String, _ names: [String]) {
        bus.emit("PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: path, to: claimant) { message in
            message.append(interface.name)
            properties.append(names, to: message)
            message.appendArray("s") {}
        }
    }
}
