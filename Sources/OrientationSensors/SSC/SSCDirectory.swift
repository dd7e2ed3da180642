// SPDX-License-Identifier: Apache-2.0

/// Finds the service of the sensor core, and its sensors, again each time that the service comes.
///
/// A value that makes no call: datagrams and times go in, datagrams to send come out.
struct SSCDirectory {
    /// Seconds until a request without an answer is repeated: at first, and at most.
    ///
    /// The registry may come late; sensors that are missing then, the machine does not have.
    private static let pauses = (first: 0.5, lastWithoutRegistry: 30.0, last: 300.0)
    /// The packets that ask for the list of services 0x190 from its beginning on, and for what changes in it.
    static let listRequests = [11, 10].map { [$0, 0, 0, 0, 0x90, 0x01] + [UInt8](repeating: 0, count: 14) }
    /// The type of the sensor that exists once the sensor core has its configuration.
    private static let registry = "registry"
    /// The type of the sensor of a magnet in the cover of a tablet.
    static let cover = "hall"

    /// A sensor that is looked for.
    struct Sensor: Equatable {
        let type: String
        /// Nil until it is found.
        var suid: SUID?
        /// Nil until it has described itself as available.
        var attributes: SSCAttributes?
    }

    /// The service in use; a restart has another port.
    private(set) var service: QRTRAddress?
    /// Whether a program has published the service on this processor, as any user can.
    private(set) var isImitated = false
    /// Whether the cover of a tablet is closed.
    private(set) var isCovered = false
    /// One of each type; none before the sensor core has its configuration.
    private(set) var sensors: [Sensor] = []
    /// When to call ``ask(at:)``; nil for never.
    private(set) var deadline: Double?
    /// What is to be sent; whoever sends it empties this.
    var outbox: [(datagram: [UInt8], address: QRTRAddress)] = []

    private let types: [String]
    private let serviceList: QRTRAddress
    private let usesOwnNode: Bool
    /// What the list that is under way has had: the service in use or else another one of its node.
    private var listing: (end: Double, service: QRTRAddress?, isImitated: Bool)?
    private var pause = pauses.first

    /// Looks for sensors of those types.
    ///
    /// `usesOwnNode`: for tests, services of this processor, whose number is `node`, count.
    init(_ types: [String], node: UInt32, usesOwnNode: Bool) {
        self.types = types
        serviceList = QRTRAddress(node: node, port: QRTRAddress.listPort)
        self.usesOwnNode = usesOwnNode
    }

    /// Asks for the services, in case that a message about one was lost.
    mutating func list(at time: Double) {
        // A second list at once would make it unclear to which one an answer belongs; the end of one may be lost.
        if let listing, time < listing.end { return }
        listing = (time + 1, nil, false)
        outbox += Self.listRequests.map { ($0, serviceList) }
    }

    mutating func receive(_ datagram: ArraySlice<UInt8>, from sender: QRTRAddress, at time: Double) {
        if sender == serviceList {
            read(datagram, at: time)
        } else if sender == service, case .indication(let message)? = QMIMessage(datagram) {
            let before = sensors
            for (event, sensor) in SSCEvents(message) { handle(event, of: sensor, at: time) }
            // Once for all events, so that a datagram with many does not make it send many.
            for sensor in sensors where !before.contains(sensor) { follow(sensor) }
        }
    }

    /// Reads a packet of the list of services.
    private mutating func read(_ packet: ArraySlice<UInt8>, at time: Double) {
        var rest = packet
        guard let command = rest.takeInteger(4), let number = rest.takeInteger(4), rest.takeBytes(4) != nil,
            let node = rest.takeInteger(4), let port = rest.takeInteger(4)
        else { return }
        let address = QRTRAddress(node: UInt32(node), port: UInt32(port))
        switch (command, number) {
        case (4, 0x190):
            guard address.node != serviceList.node || usesOwnNode else {
                isImitated = true
                listing?.isImitated = true
                return
            }
            if service == nil || listing == nil && service?.node == address.node {
                // It has started, perhaps anew with a lost report of its end.
                use(address, at: time)
            }
            if service?.node == address.node, listing?.service != service { listing?.service = address }
        case (5, 0x190) where address == service: use(nil, at: time)
        // The end of the list; what comes later follows.
        case (4, 0):
            guard let listed = listing else { return }
            listing = nil
            isImitated = listed.isImitated
            if service != nil, service != listed.service { use(listed.service, at: time) }
        default: break
        }
    }

    private mutating func use(_ address: QRTRAddress?, at time: Double) {
        service = address
        begin([], at: time)
    }

    private mutating func begin(_ sensors: [Sensor], at time: Double) {
        self.sensors = sensors
        isCovered = false
        pause = Self.pauses.first
        ask(at: time)
    }

    /// Sends the requests whose answers are missing.
    mutating func ask(at time: Double) {
        let missing = sensors.filter { $0.attributes == nil }
        deadline = nil
        if service == nil {
            list(at: time)
        } else if sensors.isEmpty {
            send(.sensors(type: Self.registry), to: .lookup)
        } else if missing.isEmpty {
            return
        }
        for sensor in missing {
            if sensor.suid == nil { send(.sensors(type: sensor.type), to: .lookup) } else { follow(sensor) }
        }
        deadline = time + pause
        pause = min(2 * pause, service == nil || !sensors.isEmpty ? Self.pauses.last : Self.pauses.lastWithoutRegistry)
    }

    private mutating func send(_ request: SSCRequest, to sensor: SUID) {
        if let service { outbox.append((request.datagram(to: sensor), service)) }
    }

    /// Sends a sensor its next request: to describe itself and then, if it is that of the cover, to report its state.
    private mutating func follow(_ sensor: Sensor) {
        guard let suid = sensor.suid else { return }
        if sensor.attributes == nil {
            send(.attributes, to: suid)
        } else if sensor.type == Self.cover {
            send(.changes, to: suid)
        }
    }

    private mutating func handle(_ event: SSCEvent, of sender: SUID, at time: Double) {
        switch event {
        case .sensors(let type, let found):
            guard let first = found.first else { return }
            if type == Self.registry, sensors.isEmpty { begin(types.map { Sensor(type: $0) }, at: time) }
            for index in sensors.indices where sensors[index].type == type {
                if let suid = sensors[index].suid, found.contains(suid) { return }
                sensors[index] = Sensor(type: type, suid: first)
            }
        case .attributes(let attributes):
            for index in sensors.indices where sensors[index].suid == sender {
                sensors[index].attributes = attributes.isAvailable ? attributes : nil
            }
        case .state(let state):
            if sensors.contains(where: { $0.type == Self.cover && $0.suid == sender }) { isCovered = state == 1 }
        case .reading, .failure: break
        }
    }
}
