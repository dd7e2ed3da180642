// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// What the manager needs done by the rest of the daemon.
package protocol ManagerDelegate: AnyObject {
    /// The filtered gravity in g, (0, 0, 0) while unknown.
    var gravity: Vector3 { get }

    /// Says whether an orientation or a face has been seen since sampling began, or none is to be expected.
    var hasFirstAnswer: Bool { get }

    /// The sensor is claimed from now on, or no longer.
    func claimsChanged(areHeld: Bool)
}

/// The object `/org/orientd1`: properties and claims; what it can be asked about rotation is ``RotationMethods``.
package final class ManagerObject {
    private let bus: Bus
    private let delegate: any ManagerDelegate
    private let authority: PolkitAuthority
    private let interface: BusInterface
    private let properties: PublishedProperties<ManagerSnapshot>
    private var rotation: RotationMethods?
    private var slot: BusSlot?
    private var objectManager: BusSlot?
    private var claims: Holdings?
    private let waiting: WaitingClaims

    /// Exports the object on `bus`; own the name afterwards, so that nobody finds it half made.
    package init(
        bus: Bus,
        loop: EventLoop,
        version: StaticString,
        status: ManagerStatus,
        authority: PolkitAuthority,
        host: any RotationHost,
        delegate: any ManagerDelegate
    ) throws(SystemError) {
        self.bus = bus
        self.authority = authority
        self.delegate = delegate
        let snapshot = ManagerSnapshot(version: "\(version)", status: status)
        properties = PublishedProperties(snapshot, ManagerSnapshot.properties)
        interface = BusInterface(Names.manager, members: 32)
        waiting = try WaitingClaims(loop: loop) { delegate.hasFirstAnswer }
        claims = Holdings(of: "claims", bus: bus, onChange: { [self] in claimsChanged(to: $0) })

        properties.add(to: interface) { [self] in $0.gravity = self.delegate.gravity }
        interface.method("Claim") { [self] in claim($0) }
        interface.method("Release") { [self] in release($0) }
        rotation = RotationMethods(of: interface, bus: bus, authority: authority, host: host)

        slot = try bus.export(interface, at: Names.path)
        objectManager = try bus.addObjectManager(at: Names.path)
    }

    package var status: ManagerStatus { properties.status.status }

    /// Announces what is new in `status`, between the two signals of the interface's transition if it turns.
    package func publish(_ status: ManagerStatus, _ transition: Transition? = nil) {
        if let transition { rotation?.willMake(transition) }
        announce(status)
        if let transition { rotation?.didMake(transition) }
    }

    /// Answers the claims that wait, if there is something to answer now.
    package func answerIfKnown() {
        waiting.answerIfKnown()
    }

    // MARK: - Claims

    private func claim(_ message: BusMessage) {
        do throws(BusError) {
            try claims?.reserve(message.sender)
        } catch {
            return message.reply(error)
        }
        authority.authorize(message, for: Names.Action.claim) { [self] isAllowed in
            do throws(BusError) {
                guard try claims?.settle(message.sender, isAllowed: isAllowed) == true else {
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
        claims?.removeLatest(of: message.sender)
        message.reply()
    }

    private func claimsChanged(to total: Int) {
        var status = status
        status.claims = UInt32(total)
        announce(status)
        delegate.claimsChanged(areHeld: total > 0)
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
