// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// Finds the service of the sensor core, and its sensors, again each time that the service comes.
///
/// A value that makes no call: datagrams and times go in, datagrams to send come out.
struct SSCDirectory {
    /// Seconds until a request without an answer is repeated: at first, and at most.
    ///
    /// The registry may come late; sensors that are missing then, the machine does not have.
    private static let pauses = (first: 0.5, lastWithoutRegistry: 30.0, last: 300.0)
    /// The type of the sensor that exists once the sensor core has its configuration.
    private static let registry = "registry"

    /// A sensor that was found.
    struct Found: Equatable {
        let kind: SensorKind
        let suid: SUID
        var attributes: SSCAttributes?
    }

    /// The service in use; a restart has another port.
    private(set) var service: QRTRAddress?
    /// Whether a program has published the service on this processor, as any user can.
    private(set) var isImitated = false
    /// Whether the sensor core has its configuration.
    private(set) var hasRegistry = false
    /// When to call ``ask(at:)``; nil for never.
    private(set) var deadline: Double?
    /// What is to be sent; whoever sends it empties this.
    var outbox: [(datagram: [UInt8], address: QRTRAddress)] = []

    private let kinds: [SensorKind]
    private let node: UInt32
    private let usesOwnNode: Bool
    private var services: [QRTRAddress] = []
    /// Those that the list under way has not confirmed yet.
    private var unconfirmed: [QRTRAddress] = []
    private var known: [Found] = []
    private var pause = 0.0

    /// `usesOwnNode`: for tests, services of this processor, whose number is `node`, count.
    init(_ kinds: [SensorKind], node: UInt32, usesOwnNode: Bool) {
        (self.kinds, self.node, self.usesOwnNode) = (kinds, node, usesOwnNode)
    }

    /// The sensors that can be read, in no particular order.
    var found: [Found] { known.filter { $0.attributes?.isAvailable == true } }

    // MARK: - Services

    /// Asks for the services, in case that a message about one was lost.
    mutating func list() {
        unconfirmed = services
        let list = QRTRAddress(node: node, port: QRTRAddress.listPort)
        outbox += QRTRList.requests.map { ($0, list) }
    }

    mutating func receive(_ datagram: ArraySlice<UInt8>, from sender: QRTRAddress, at time: Double) {
        if sender == QRTRAddress(node: node, port: QRTRAddress.listPort) {
            switch QRTRList(datagram) {
            case .added(let address): add(address)
            case .removed(let address): remove(address)
            case .complete: for address in unconfirmed { remove(address) }
            case nil: return
            }
            if service == nil || !services.contains(where: { $0 == service }) { use(services.first, at: time) }
        } else if sender == service, case .indication(let message)? = QMIMessage(datagram) {
            SSCEvent.forEach(in: message) { handle($0, of: $1, at: time) }
        }
    }

    private mutating func add(_ address: QRTRAddress) {
        guard address.node != node || usesOwnNode else { return isImitated = true }
        unconfirmed.removeAll { $0 == address }
        guard !services.contains(address) else { return }
        // A service that starts anew while its end was not reported.
        services.removeAll { $0.node == address.node }
        services.append(address)
    }

    private mutating func remove(_ address: QRTRAddress) { services.removeAll { $0 == address } }

    private mutating func use(_ address: QRTRAddress?, at time: Double) {
        service = address
        hasRegistry = false
        known = []
        deadline = nil
        if address != nil { begin(at: time) }
    }

    // MARK: - Sensors

    private mutating func begin(at time: Double) {
        pause = Self.pauses.first
        ask(at: time)
    }

    /// Sends the requests whose answers are missing.
    mutating func ask(at time: Double) {
        deadline = nil
        var isComplete = hasRegistry
        if !hasRegistry {
            send(.sensors(type: Self.registry), to: .lookup)
        } else {
            for kind in kinds {
                let found = known.first { $0.kind == kind }
                guard found?.attributes?.isAvailable != true else { continue }
                isComplete = false
                if let found {
                    send(.attributes, to: found.suid)
                } else {
                    send(.sensors(type: kind.ssc.type), to: .lookup)
                }
            }
        }
        guard service != nil, !isComplete else { return }
        deadline = time + pause
        pause = min(2 * pause, hasRegistry ? Self.pauses.last : Self.pauses.lastWithoutRegistry)
    }

    private mutating func send(_ request: SSCRequest, to sensor: SUID) {
        guard let service else { return }
        outbox.append((request.datagram(to: sensor), service))
    }

    private mutating func handle(_ event: SSCEvent, of sensor: SUID, at time: Double) {
        switch event {
        case .sensors(let type, let found):
            guard sensor == .lookup, let first = found.first else { return }
            if type == Self.registry, !hasRegistry {
                hasRegistry = true
                begin(at: time)
            } else if let kind = kinds.first(where: { $0.ssc.type == type }) {
                guard !known.contains(where: { $0.kind == kind && found.contains($0.suid) }) else { return }
                known.removeAll { $0.kind == kind }
                known.append(Found(kind: kind, suid: first))
                send(.attributes, to: first)
            }
        case .attributes(let attributes):
            for index in known.indices where known[index].suid == sensor { known[index].attributes = attributes }
        case .reading, .proximity, .failure, .other: break
        }
    }
}
