// SPDX-License-Identifier: Apache-2.0

import SystemdBus

/// One sensor of `net.hadess.SensorProxy`: its properties, and who has claimed it.
///
/// A connection has claimed it or has not: claims are not counted. Values are told to those who have.
final class ProxiedSensor {
    /// What polkit is asked about.
    private static let action = "net.hadess.SensorProxy.claim-sensor"

    /// Seconds after which a claim is answered even though there is no reading.
    private static let patience = 1.0

    let properties = PublishedProperties(SensorProxyStatus())

    private let sensor: ProxySensor
    private let interface: String
    private let path: String
    private let bus: Bus
    private let authority: PolkitAuthority
    private let delegate: any SensorProxyDelegate
    private var timer: Timer?

    /// In the order in which they claimed.
    private var claimants: [(name: String, watch: PeerWatch)] = []

    /// Claims made, whose answers wait for the first reading.
    private var waiting: [BusMessage] = []

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
        self.interface = interface.name
        self.path = path
        self.bus = bus
        self.authority = authority
        self.delegate = delegate
        timer = try loop.timer { [self] in answer() }
    }

    func addMethods(_ claim: StaticString, _ release: StaticString, to interface: BusInterface) {
        interface.method(claim) { [self] message in
            authority.authorize(message, for: Self.action) { [self] in if $0 { self.claim(message) } }
        }
        interface.method(release) { [self] message in
            authority.authorize(message, for: Self.action) { [self] in if $0 { self.release(message) } }
        }
    }

    // MARK: - Claims

    private func claim(_ message: BusMessage) {
        let name = message.sender
        if !claimants.contains(where: { $0.name == name }) {
            do throws(SystemError) {
                claimants.append((name, try PeerWatch(name, on: bus) { [self] in drop(name) }))
            } catch {
                return message.reply(BusError("org.freedesktop.DBus.Error.Disconnected", "\(error)"))
            }
            if claimants.count == 1 { delegate.claimsChanged(of: sensor, areHeld: true) }
        }
        waiting.append(message)
        if waiting.count == 1 { timer?.arm(after: Self.patience) }
        answerIfKnown()
    }

    private func release(_ message: BusMessage) {
        drop(message.sender)
        message.reply()
    }

    private func drop(_ name: String) {
        guard let index = claimants.firstIndex(where: { $0.name == name }) else { return }
        claimants.remove(at: index)
        if claimants.isEmpty { delegate.claimsChanged(of: sensor, areHeld: false) }
    }

    /// Answers the claims that wait, if there is something to answer now.
    func answerIfKnown() {
        if !waiting.isEmpty && delegate.hasFirstReading(of: sensor) { answer() }
    }

    /// Answers the claims that wait, whatever is known.
    private func answer() {
        timer?.disarm()
        let answered = waiting
        waiting = []
        for message in answered { message.reply() }
    }

    // MARK: - Values

    /// Tells the claimants of each value that is new, one by one; of a sensor's coming and going everybody hears.
    func publish(_ status: SensorProxyStatus) {
        let changed = properties.update(to: status)
        for property in changed where !isPresence(property) {
            for claimant in claimants { tell(claimant.name, property) }
        }
        bus.announce(changed.filter(isPresence), of: interface, at: path)
    }

    /// The properties of that name say whether there is a sensor; claimants or not, a desktop waits for one.
    private func isPresence(_ property: String) -> Bool { property.utf8.starts(with: "Has".utf8) }

    private func tell(_ name: String, _ property: String) {
        bus.emit("PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: path, to: name) { message in
            message.append(interface)
            properties.append([property], to: message)
            message.appendArray("s") {}
        }
    }
}
