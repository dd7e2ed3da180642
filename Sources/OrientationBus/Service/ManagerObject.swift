// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// The object `/org/orientd1`, and those of the requests: publishes effects, and turns calls into events.
package final class ManagerObject {
    /// How many claims a connection may hold, and how many bytes the arguments and the path of a call may take.
    ///
    /// The longest call has an application's id and a reason. The longest path is that of a sensor.
    private static let limits = (claims: 64, size: 4096, path: 255)

    let host: any MachineHost
    let clients: Clients
    let interface: BusInterface
    private(set) var requests: [RotationRequest.ID: RequestObject] = [:]
    private let bus: Bus
    private let properties: PublishedProperties<ManagerSnapshot>
    private var slots: [BusSlot] = []

    private var claims: [Claimant: Claims] = [:]
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
        waiting = try WaitingClaims(timeout: 1, loop: loop)
        properties = PublishedProperties(
            ManagerSnapshot(version: "\(version)", status: status),
            ManagerSnapshot.properties,
            of: interface,
            at: Names.path,
            on: bus
        )
        addRotationMembers()
        interface.method("Claim") { [self] in claim($0, .orientation) }
        interface.method("Release") { [self] in release($0, .orientation) }
        interface.method("ClaimTabletMode") { [self] in claim($0, .tabletMode) }
        interface.method("ReleaseTabletMode") { [self] in release($0, .tabletMode) }
        clients.onEnd { [self] client in
            changeClaims { claims in claims = claims.filter { $0.key.client != client } }
            host.deliver(.vanished(client: client))
        }
        slots = [
            try bus.interceptCalls { [self] in intercept($0) },
            try bus.export(interface, at: Names.path),
            try bus.addObjectManager(at: Names.path),
        ]
    }

    /// Announces what an event has changed: requests, then the status, between the two signals of a transition, or with a
    /// confirmation after it.
    ///
    /// Answers the claims that wait, if there is something to answer now.
    package func publish(_ effects: Effects) {
        for id in effects.released { requests[id] = nil }
        if let request = effects.request { publish(request) }
        properties.status.gravity = effects.gravity
        let transition = effects.transition.map { [$0.from.name, $0.to.name, $0.reason.name] }
        if let transition { emit("WillTransition", transition) }
        if let status = effects.status {
            var snapshot = properties.status
            snapshot.status = status
            properties.publish(snapshot)
        }
        if let transition { emit("DidTransition", transition) }
        if let it = effects.confirmation { emit("Confirmed", [it.orientation.name, it.reason.name]) }
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

    private func emit(_ signal: String, _ words: [String]) {
        bus.emit(signal, of: Names.manager, at: Names.path) { for word in words { $0.append(word) } }
    }

    /// Prepares the calls that libsystemd answers by itself; true for one that is not to be answered.
    ///
    /// The bus daemon queues any number of calls that want no reply, and a reply with all objects takes milliseconds.
    /// A call has up to 32 MB, and is in memory until polkit has decided on it. libsystemd looks for an object at each
    /// prefix of the path, which takes seconds for a path of 64 KiB.
    private func intercept(_ call: BusMessage) -> Bool {
        guard call.path.utf8.count <= Self.limits.path else {
            call.reply(.unknownObject("the path takes more than \(Self.limits.path) bytes"))
            return true
        }
        if call.isLarger(than: Self.limits.size) {
            call.reply(.invalidArguments("the arguments take more than \(Self.limits.size) bytes"))
            return true
        }
        guard call.interface.begins(with: "org.freedesktop.DBus.") else { return false }
        return !call.expectsReply
    }

    // MARK: - Claims

    private enum Purpose { case orientation, tabletMode }

    private struct Claimant: Hashable {
        let client: String
        let purpose: Purpose
    }

    /// The claims of a connection for a purpose.
    private struct Claims {
        var granted = 0
        /// Those that polkit has not decided on, and how many of them were released already.
        var undecided = 0, released = 0
    }

    private func claim(_ message: BusMessage, _ purpose: Purpose) {
        let claimant = Claimant(client: message.sender, purpose: purpose)
        claims[claimant, default: Claims()].undecided += 1
        clients.authorizeUntilEnd(message, for: Names.Action.claim) { [self] isAllowed in
            guard var own = claims[claimant] else { return }
            own.undecided -= 1
            let isExcess = own.granted >= Self.limits.claims
            let isReleased = own.released > (isAllowed && !isExcess ? 0 : own.undecided)
            if isReleased { own.released -= 1 }
            if isAllowed, !isExcess { own.granted += 1 }
            // What is refused cannot be released; that is an earlier one then.
            if isReleased, own.granted > 0 { own.granted -= 1 }
            changeClaims { $0[claimant] = own.granted + own.undecided == 0 ? nil : own }
            guard isAllowed else { return }
            guard !isExcess else {
                let text = "this connection holds \(Self.limits.claims) claims, the most it may"
                return message.reply(.limitExceeded(text))
            }
            if isReleased || purpose == .tabletMode { message.reply() } else { waiting.add(message) }
        }
    }

    /// Releases the latest claim of the sender for a purpose, which polkit may not have decided on yet.
    private func release(_ message: BusMessage, _ purpose: Purpose) {
        let claimant = Claimant(client: message.sender, purpose: purpose)
        if var own = claims[claimant] {
            if own.undecided > own.released { own.released += 1 } else if own.granted > 0 { own.granted -= 1 }
            changeClaims { $0[claimant] = own.granted + own.undecided == 0 ? nil : own }
        }
        message.reply()
    }

    private func changeClaims(_ change: (inout [Claimant: Claims]) -> Void) {
        let before = (granted(.orientation), granted(.tabletMode))
        change(&claims)
        let after = (granted(.orientation), granted(.tabletMode))
        if after.0 != before.0 { host.deliver(.claims(after.0)) }
        if after.1 != before.1 { host.deliver(.tabletModeClaims(after.1)) }
    }

    private func granted(_ purpose: Purpose) -> UInt32 {
        claims.reduce(0) { $1.key.purpose == purpose ? $0 + UInt32($1.value.granted) : $0 }
    }
}

/// Where the objects on the bus deliver the calls of clients; what these change comes back as effects.
package protocol MachineHost: AnyObject {
    /// Delivers an event; calls `completion` with its effects once they are applied.
    func deliver(_ event: Event, completion: ((Effects) -> Void)?)
}

extension MachineHost {
    package func deliver(_ event: Event) { deliver(event, completion: nil) }

    /// Delivers a call, and replies to it, with the refusal if there is one.
    func deliver(_ event: Event, answering message: BusMessage) {
        deliver(event) { effects in
            if let refusal = effects.refusal { message.reply(BusError(refusal)) } else { message.reply() }
        }
    }
}
