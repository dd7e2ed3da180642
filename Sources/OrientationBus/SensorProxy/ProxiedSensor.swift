// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import SystemdBus

/// One sensor of `net.hadess.SensorProxy`: its properties and its claims.
///
/// A connection holds one claim at most: claims are not counted. Values are sent to claimants only.
final class ProxiedSensor {
    /// The members of a sensor's interface.
    struct Members {
        let kind: SensorKind
        let claim: StaticString
        let release: StaticString
        /// Whether there is a sensor; announced to everybody.
        let presence: Property<SensorProxyStatus>
        /// The properties that are announced to claimants, those of one signal together.
        let signals: [[Property<SensorProxyStatus>]]
    }

    private let members: Members
    private let interface: BusInterface
    private let path: String
    private let bus: Bus
    private let authority: PolkitAuthority
    private let properties: PublishedProperties<SensorProxyStatus>
    private let claims: Holdings
    private let waiting: WaitingClaims

    /// Adds the members to `interface`.
    init(
        _ members: Members,
        of interface: BusInterface,
        at path: String,
        _ bus: Bus,
        _ loop: EventLoop,
        _ authority: PolkitAuthority,
        _ delegate: any SensorProxyDelegate
    ) throws(SystemError) {
        let sensor = members.kind
        self.members = members
        self.interface = interface
        self.path = path
        self.bus = bus
        self.authority = authority
        properties = PublishedProperties(SensorProxyStatus(), [members.presence] + members.signals.flatMap { $0 })
        waiting = try WaitingClaims(loop: loop) { delegate.hasFirstReading(of: sensor) }
        claims = Holdings(
            of: "claims",
            bus: bus,
            onChange: { delegate.claimsChanged(of: sensor, clients: $0.connections) }
        )
        properties.add(to: interface)
        interface.method(members.claim) { [self] in claim($0) }
        interface.method(members.release) { [self] in release($0) }
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

    /// Answers the waiting claims if there is a reading.
    func answerIfKnown() {
        waiting.answerIfKnown()
    }

    /// Answers the waiting claims.
    func answer() {
        waiting.answer()
    }

    // MARK: - Values

    /// Sends changed values to the claimants, and the coming or going of the sensor to everybody.
    ///
    /// iio-sensor-proxy sends the latter to claimants only, so that clients that wait for a sensor have to poll.
    func publish(_ status: SensorProxyStatus) {
        let changed = properties.update(to: status).map { $0.name }
        for signal in members.signals where signal.contains(where: { changed.contains($0.name) }) {
            for claimant in claims.connections { send(signal, of: status, to: claimant) }
        }
        let presence = members.presence.name
        if changed.contains(presence) { bus.announce([presence], of: interface.name, at: path) }
    }

    private func send(_ signal: [Property<SensorProxyStatus>], of status: SensorProxyStatus, to claimant: String) {
        bus.emit("PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: path, to: claimant) { message in
            message.append(interface.name)
            message.appendArray("{sv}") {
                for property in signal { message.appendNamedVariant(property.name, property.value(of: status)) }
            }
            message.appendArray("s") {}
        }
    }
}
