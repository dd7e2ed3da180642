// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import SystemdBus

/// One sensor of `net.hadess.SensorProxy`: its properties, and who has claimed it.
///
/// A connection has claimed it or has not: claims are not counted. Values are told to those who have.
final class ProxiedSensor {
    private let interface: BusInterface
    private let path: String
    private let bus: Bus
    private let authority: PolkitAuthority
    private let properties = PublishedProperties(SensorProxyStatus())

    /// What everybody is told of: whether there is a sensor.
    private var presence = ""

    /// The names of what claimants are told of, signal by signal.
    private var signals: [[String]] = []
    private let claims: Holdings
    private let waiting: WaitingClaims

    init(
        _ sensor: SensorKind,
        of interface: BusInterface,
        at path: String,
        bus: Bus,
        loop: EventLoop,
        authority: PolkitAuthority,
        delegate: any SensorProxyDelegate
    ) throws(SystemError) {
        self.interface = interface
        self.path = path
        self.bus = bus
        self.authority = authority
        waiting = try WaitingClaims(loop: loop) { delegate.hasFirstReading(of: sensor) }
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
            try claims.reserve(message.sender)
        } catch {
            return message.reply(error)
        }
        authority.authorize(message, for: Names.Action.claimSensor) { [self] isAllowed in
            do throws(BusError) {
                let isNew = !claims.isHeld(by: message.sender)
                _ = try claims.settle(message.sender, isAllowed: isAllowed && isNew)
                if isAllowed { waiting.add(message) }
            } catch {
                message.reply(error)
            }
        }
    }

    private func release(_ message: BusMessage) {
        authority.authorize(message, for: Names.Action.claimSensor) { [self] isAllowed in
            guard isAllowed else { return }
            claims.removeHeld(by: message.sender)
            message.reply()
        }
    }

    /// Answers the claims that wait, if there is something to answer now.
    func answerIfKnown() {
        waiting.answerIfKnown()
    }

    /// Answers the claims that wait, whatever is known.
    func answer() {
        waiting.answer()
    }

    // MARK: - Values

    /// Tells the claimants what is new, and everybody whether there is a sensor.
    ///
    /// iio-sensor-proxy tells nobody but claimants of that either; a client that waits for a sensor would poll for it.
    func publish(_ status: SensorProxyStatus) {
        let changed = properties.update(to: status)
        guard !changed.isEmpty else { return }
        for signal in signals where signal.contains(where: changed.contains) {
            for claimant in claims.connections { tell(claimant, signal) }
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
