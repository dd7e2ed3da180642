// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// The object `/org/orientd1`, and those of the requests: publishes effects, and turns calls into events.
package final class ManagerObject {
    /// How many claims a connection, and all connections together, may hold.
    private static let limits = (connection: 64, total: 1024)

    let host: any MachineHost
    let clients: Clients
    let interface: BusInterface
    private(set) var requests: [RotationRequest.ID: RequestObject] = [:]
    private let bus: Bus
    private let properties: PublishedProperties<ManagerSnapshot>
    private var slots: [BusSlot] = []

    /// The claims of all connections.
    private var claims: [Claim] = []
    private let waiting: WaitingClaims

    /// Exports the object on `bus`; own the name afterwards, so that nobody finds it half made.
    package init(
        bus: Bus,
        loop: EventLoop,
        version: StaticString,
        status: ManagerStatus,
        clients: Clients,
        host: any MachineHost
    ) throws(SystemError) {
        self.bus = bus
        self.clients = clients
        self.host = host
        interface = BusInterface(Names.manager)
        waiting = try WaitingClaims(loop: loop)
        properties = PublishedProperties(
            ManagerSnapshot(version: "\(version)", status: status),
            ManagerSnapshot.properties,
            of: interface,
            at: Names.path,
            on: bus
        )
        addRotationMembers()
        interface.method("Claim") { [self] message throws(BusError) in try claim(message, .orientation) }
        interface.method("Release") { [self] in release($0, .orientation) }
        interface.method("ClaimTabletMode") { [self] message throws(BusError) in try claim(message, .tabletMode) }
        interface.method("ReleaseTabletMode") { [self] in release($0, .tabletMode) }
        clients.onEnd { [self] client in
            changeClaims { $0.removeAll { $0.client == client } }
            host.deliver(.vanished(client: client))
        }
        slots = [
            try bus.interceptCalls { [self] in intercept($0) },
            try bus.export(interface, at: Names.path),
            try bus.addObjectManager(at: Names.path),
        ]
    }

    /// Announces what an event has changed: requests, then the status, between the two signals of a transition.
    ///
    /// Answers the claims that wait, if there is something to answer now.
    package func publish(_ effects: Effects) {
        for id in effects.released { requests[id] = nil }
        if let request = effects.request { publish(request) }
        properties.status.gravity = effects.gravity
        if let transition = effects.transition { emit("WillTransition", transition) }
        if let status = effects.status {
            var snapshot = properties.status
            snapshot.status = status
            properties.publish(snapshot)
        }
        if let transition = effects.transition { emit("DidTransition", transition) }
        waiting.hasFirstReading = effects.hasFirstAnswer
    }

    private func publish(_ new: ClientRequest) {
        if let object = requests[new.id] {
            object.request = new.request
        } else {
            // A request without an object is released by the call that presented it.
            requests[new.id] = try? RequestObject(new, bus: bus, host: host)
        }
    }

    private func emit(_ signal: String, _ transition: Transition) {
        bus.emit(signal, of: Names.manager, at: Names.path) { message in
            message.append(transition.from.name)
            message.append(transition.to.name)
            message.append(transition.reason.name)
        }
    }

    /// Prepares the calls that libsystemd answers by itself; true for one that is not to be answered.
    ///
    /// The bus daemon queues any number of calls that want no reply, and a reply with all objects takes milliseconds.
    private func intercept(_ call: BusMessage) -> Bool {
        guard call.interface.utf8.starts(with: "org.freedesktop.DBus.".utf8) else { return false }
        guard call.expectsReply else { return true }
        // What this changes is in all of the reply, and is announced before.
        host.deliverWaiting()
        return false
    }

    // MARK: - Claims

    private struct Claim: Equatable {
        enum Purpose { case orientation, tabletMode }

        let client: String
        let purpose: Purpose
        /// False until polkit has decided.
        var isGranted = false
    }

    private func claim(_ message: BusMessage, _ purpose: Claim.Purpose) throws(BusError) {
        let client = message.sender
        guard claims.count < Self.limits.total else {
            throw .limitExceeded("all \(Self.limits.total) claims are taken")
        }
        guard claims.count(where: { $0.client == client }) < Self.limits.connection else {
            throw .limitExceeded("this connection holds \(Self.limits.connection) claims, the most it may")
        }
        try clients.watch(client)
        let pending = Claim(client: client, purpose: purpose)
        claims.append(pending)
        clients.authority.authorize(message, for: Names.Action.claim) { [self] isAllowed in
            // It may have been released meanwhile, or with its connection.
            let index = claims.firstIndex(of: pending)
            if let index, !isAllowed { claims.remove(at: index) }
            guard isAllowed else { return }
            guard let index else { return message.reply() }
            changeClaims { $0[index].isGranted = true }
            if purpose == .orientation { waiting.add(message) } else { message.reply() }
        }
    }

    /// Releases the latest claim of the sender for a purpose, which polkit may not have decided on yet.
    private func release(_ message: BusMessage, _ purpose: Claim.Purpose) {
        let own = claims.indices.filter { claims[$0].client == message.sender && claims[$0].purpose == purpose }
        if let index = own.last(where: { !claims[$0].isGranted }) ?? own.last { changeClaims { $0.remove(at: index) } }
        message.reply()
    }

    private func changeClaims(_ change: (inout [Claim]) -> Void) {
        let before = (granted(.orientation), granted(.tabletMode))
        change(&claims)
        let after = (granted(.orientation), granted(.tabletMode))
        if after.0 != before.0 { host.deliver(.claims(after.0)) }
        if after.1 != before.1 { host.deliver(.tabletModeClaims(after.1)) }
    }

    private func granted(_ purpose: Claim.Purpose) -> UInt32 {
        UInt32(claims.count { $0.purpose == purpose && $0.isGranted })
    }
}
