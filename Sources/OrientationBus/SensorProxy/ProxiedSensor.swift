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
    private let interface: String
    private let path: String
    private let bus: Bus
    private let clients: Clients
    private let onClaims: (SensorKind, [String]) -> Void
    private var status = SensorProxyStatus()
    /// In the order of claiming.
    private var claimants: [String] = []
    private let waiting: WaitingClaims

    /// Adds the members to `interface`.
    init(
        _ members: Members,
        of interface: BusInterface,
        at path: String,
        _ bus: Bus,
        _ loop: EventLoop,
        _ clients: Clients,
        onClaims: @escaping (SensorKind, [String]) -> Void
    ) throws(SystemError) {
        self.members = members
        self.interface = interface.name
        self.path = path
        self.bus = bus
        self.clients = clients
        self.onClaims = onClaims
        waiting = try WaitingClaims(loop: loop)
        for property in [members.presence] + members.signals.flatMap({ $0 }) {
            interface.property(property.member, property.signature) { [self] reply in
                reply.append(property.value(of: status))
            }
        }
        interface.method(members.claim) { [self] message throws(BusError) in try claim(message) }
        interface.method(members.release) { [self] in release($0) }
        clients.onVanish { [self] in remove($0) }
    }

    // MARK: - Claims

    private func claim(_ message: BusMessage) throws(BusError) {
        try clients.authorizeUntilEnd(message, for: Names.Action.claimSensor) { [self] isAllowed in
            guard isAllowed else { return }
            if !claimants.contains(message.sender) {
                claimants.append(message.sender)
                onClaims(members.kind, claimants)
            }
            waiting.add(message)
        }
    }

    private func release(_ message: BusMessage) {
        clients.authorize(message, for: Names.Action.claimSensor) { [self] isAllowed in
            guard isAllowed else { return }
            remove(message.sender)
            message.reply()
        }
    }

    private func remove(_ client: String) {
        guard let index = claimants.firstIndex(of: client) else { return }
        claimants.remove(at: index)
        onClaims(members.kind, claimants)
    }

    /// Answers the waiting claims, whatever is known.
    func answerWaiting() { waiting.answer() }

    // MARK: - Values

    /// Sends changed values to the claimants, and the coming or going of the sensor to everybody.
    ///
    /// iio-sensor-proxy sends the latter to claimants only, so that clients that wait for a sensor have to poll.
    func publish(_ new: SensorProxyStatus) {
        let old = status
        status = new
        for signal in members.signals where !signal.changes(from: old, to: new).isEmpty {
            for claimant in claimants { send(signal, to: claimant) }
        }
        bus.announce([members.presence].changes(from: old, to: new).map { $0.name }, of: interface, at: path)
        waiting.hasFirstReading = new.read.contains(members.kind)
    }

    private func send(_ signal: [Property<SensorProxyStatus>], to claimant: String) {
        bus.emit("PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: path, to: claimant) { message in
            message.append(interface)
            message.appendArray("{sv}") {
                for property in signal { message.appendNamedVariant(property.name, property.value(of: status)) }
            }
            message.appendArray("s") {}
        }
    }
}
