// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// Where the objects on the bus deliver the calls of clients, and read what is known.
package protocol MachineHost: AnyObject {
    var policy: RotationPolicy { get }

    /// The filtered gravity in g; (0, 0, 0) while unknown.
    var gravity: Vector3 { get }

    /// Takes the samples that were read already and wait for others, so that what is read now is up to date.
    func deliverWaiting()

    /// Whether an orientation or a face was seen since sampling began, or none is to be expected.
    var hasFirstAnswer: Bool { get }

    /// Delivers an event that nobody waits for.
    func deliver(_ event: Event)

    /// Delivers a client's call; its effects were carried out when this returns.
    @discardableResult
    func call(_ event: Event) throws(RotationRefusal) -> Effects
}

/// The object `/org/orientd1`: properties and claims; what it can be asked about rotation is ``RotationMethods``.
package final class ManagerObject {
    private let bus: Bus
    private let host: any MachineHost
    private let authority: PolkitAuthority
    private let interface: BusInterface
    private let properties: PublishedProperties<ManagerSnapshot>
    private let rotation: RotationMethods
    private var slots: [BusSlot] = []
    private let claims: Holdings
    private let waiting: WaitingClaims

    /// Exports the object on `bus`; own the name afterwards, so that nobody finds it half made.
    package init(
        bus: Bus,
        loop: EventLoop,
        version: StaticString,
        status: ManagerStatus,
        authority: PolkitAuthority,
        host: any MachineHost
    ) throws(SystemError) {
        self.bus = bus
        self.authority = authority
        self.host = host
        let snapshot = ManagerSnapshot(version: "\(version)", status: status)
        properties = PublishedProperties(snapshot, ManagerSnapshot.properties)
        interface = BusInterface(Names.manager, members: 32)
        waiting = try WaitingClaims(loop: loop) { host.hasFirstAnswer }
        claims = Holdings(of: "claims", bus: bus, onChange: { host.deliver(.claims(UInt32($0.total))) })

        properties.add(to: interface) { $0.gravity = host.gravity }
        rotation = RotationMethods(of: interface, bus: bus, authority: authority, host: host)
        interface.method("Claim") { [self] in claim($0) }
        interface.method("Release") { [self] in release($0) }
        slots = [
            try bus.filter(
                CallFilter(
                    limitError: Names.limitError,
                    now: { loop.now },
                    beforeRead: { host.deliverWaiting() },
                    hasManyObjects: { [rotation] in rotation.hasManyRequests }
                )
            ),
            try bus.export(interface, at: Names.path),
            try bus.addObjectManager(at: Names.path),
        ]
    }

    /// Announces what an event has changed: requests, then the status, between the two signals of a transition.
    ///
    /// Answers the claims that wait, if there is something to answer now.
    package func carryOut(_ effects: Effects, _ status: ManagerStatus) {
        rotation.update(effects)
        if let transition = effects.transition { emit("WillTransition", transition) }
        if effects.isStatusNew { announce(status) }
        if let transition = effects.transition { emit("DidTransition", transition) }
        waiting.answerIfKnown()
    }

    private func emit(_ signal: String, _ transition: Transition) {
        bus.emit(signal, of: Names.manager, at: Names.path) { message in
            message.append(transition.from.name)
            message.append(transition.to.name)
            message.append(transition.reason.name)
        }
    }

    // MARK: - Claims

    private func claim(_ message: BusMessage) {
        do throws(BusError) {
            try claims.reserve(message.sender)
        } catch {
            return message.reply(error)
        }
        authority.authorize(message, for: Names.Action.claim) { [self] isAllowed in
            do throws(BusError) {
                guard try claims.settle(message.sender, isAllowed: isAllowed) == true else {
                    if isAllowed { message.reply() }
                    return
                }
                waiting.add(message)
            } catch {
                message.reply(error)
            }
        }
    }

    private func release(_ message: BusMessage) {
        claims.removeLatest(of: message.sender)
        message.reply()
    }

    /// Answers the claims that wait, whatever is known.
    package func answerWaiting() {
        waiting.answer()
    }

    private func announce(_ status: ManagerStatus) {
        var snapshot = properties.status
        snapshot.status = status
        bus.announce(properties.update(to: snapshot).map { $0.name }, of: Names.manager, at: Names.path)
    }
}
