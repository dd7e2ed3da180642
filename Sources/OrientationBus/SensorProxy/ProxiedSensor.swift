// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import SystemdBus

/// One sensor of `net.hadess.SensorProxy`: its properties and its claims.
///
/// A connection holds one claim at most: claims are not counted. Values are sent to claimants only.
final class ProxiedSensor {
    /// The properties that one signal announces, with their values.
    typealias Signal = [(name: StaticString, value: PropertyValue)]

    /// Seconds after which a claim is answered with what is known; the first value follows as a signal.
    ///
    /// Desktops claim synchronously, and GNOME's extension screen-rotate waits 100 ms for the answer.
    private static let claimTimeout = 0.08

    let kind: SensorKind

    /// Whether there is such a sensor; a change is announced to everybody.
    ///
    /// iio-sensor-proxy announces it to claimants only, so that clients that wait for a sensor have to poll.
    var isPresent = false {
        didSet { if isPresent != oldValue { bus.announce(["\(kind.members.presence)"], of: interface, at: path) } }
    }

    private var signals: [Signal]
    /// The signals whose values have changed while nobody had a claim.
    private var unsent: Set<Int> = []
    /// For each connection that has released its claim: the signals that have changed since.
    private var missed: [String: Set<Int>] = [:]
    private let bus: Bus
    private let interface: String
    private let path: String
    private let clients: Clients
    private let onClaims: (SensorKind, [String]) -> Void
    /// In the order of claiming.
    private var claimants: [String] = []
    let waiting: WaitingClaims

    /// Adds the members to `interface`, at an object of that path.
    init(
        _ kind: SensorKind,
        of interface: BusInterface,
        at path: String,
        on bus: Bus,
        _ loop: EventLoop,
        _ clients: Clients,
        onClaims: @escaping (SensorKind, [String]) -> Void
    ) throws(SystemError) {
        let members = kind.members
        self.kind = kind
        self.signals = members.signals
        self.bus = bus
        self.path = path
        self.interface = interface.name
        self.clients = clients
        self.onClaims = onClaims
        waiting = try WaitingClaims(timeout: Self.claimTimeout, loop: loop)
        interface.property(members.presence, "b") { [self] in $0.append(isPresent) }
        for (row, signal) in signals.enumerated() {
            for (column, property) in signal.enumerated() {
                interface.property(property.name, property.value.signature) { [self] in
                    $0.append(self.signals[row][column].value)
                }
            }
        }
        interface.method(members.claim) { [self] in claim($0) }
        interface.method(members.release) { [self] in release($0) }
        clients.onEnd { [self] client in
            remove(client)
            missed[client] = nil
        }
    }

    /// Sends the values of the signals that have changed to the claimants.
    func publish(_ values: [[PropertyValue]]) {
        for (row, values) in values.enumerated() where values != signals[row].map({ $0.value }) {
            for (column, value) in values.enumerated() { signals[row][column].value = value }
            if claimants.isEmpty { unsent.insert(row) }
            for client in missed.keys { missed[client]?.insert(row) }
            for claimant in claimants { send(signals[row], to: claimant) }
        }
    }

    private func send(_ signal: Signal, to claimant: String) {
        bus.emit("PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: path, to: claimant) { message in
            message.append(interface)
            message.appendArray("{sv}") {
                for property in signal { message.appendNamedVariant("\(property.name)", property.value) }
            }
            message.appendArray("s") {}
        }
    }

    // MARK: - Claims

    private func claim(_ message: BusMessage) {
        clients.authorizeUntilEnd(message, for: Names.Action.claimSensor) { [self] isAllowed in
            guard isAllowed else { return }
            if !claimants.contains(message.sender) {
                claimants.append(message.sender)
                // A desktop that claims again would otherwise show the value that it received before.
                let missed = missed.removeValue(forKey: message.sender) ?? unsent
                for row in missed.sorted() { send(signals[row], to: message.sender) }
                unsent = []
                onClaims(kind, claimants)
            }
            waiting.add(message)
        }
    }

    private func release(_ message: BusMessage) {
        // Authorized as a claim is, so that it does not overtake the claim that the client has made before.
        clients.authorizeUntilEnd(message, for: Names.Action.claimSensor) { [self] isAllowed in
            guard isAllowed else { return }
            if claimants.contains(message.sender) { missed[message.sender] = [] }
            remove(message.sender)
            message.reply()
        }
    }

    private func remove(_ client: String) {
        guard let index = claimants.firstIndex(of: client) else { return }
        claimants.remove(at: index)
        onClaims(kind, claimants)
    }
}

extension SensorKind {
    fileprivate typealias Members = (
        claim: StaticString, release: StaticString, presence: StaticString, signals: [ProxiedSensor.Signal]
    )

    /// The members of net.hadess.SensorProxy, with the values until the first reading.
    fileprivate var members: Members {
        switch self {
        case .accelerometer:
            (
                "ClaimAccelerometer", "ReleaseAccelerometer", "HasAccelerometer",
                [[("AccelerometerOrientation", "undefined")], [("AccelerometerTilt", "undefined")]]
            )
        case .ambientLight:
            (
                "ClaimLight", "ReleaseLight", "HasAmbientLight",
                [[("LightLevelUnit", "lux"), ("LightLevel", .decimal(0))]]
            )
        case .proximity: ("ClaimProximity", "ReleaseProximity", "HasProximity", [[("ProximityNear", .flag(false))]])
        case .compass: ("ClaimCompass", "ReleaseCompass", "HasCompass", [[("CompassHeading", .decimal(0))]])
        case .hinge: preconditionFailure("net.hadess.SensorProxy has no hinge")
        }
    }
}
