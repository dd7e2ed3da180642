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
    private let properties: PublishedProperties<ManagerStatus>
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
        properties = PublishedProperties(status)
        interface = BusInterface(Names.manager, members: 32)
        waiting = try WaitingClaims(loop: loop) { delegate.hasFirstAnswer }
        claims = Holdings(of: "claims", bus: bus, onChange: { [self] in claimsChanged(to: $0) })

        interface.property("Version", "s", .constant) { $0.append("\(version)") }
        properties.add("HasAccelerometer", to: interface) { $0.hasAccelerometer }
        properties.add("SensorState", to: interface) { $0.sensorState.name }
        properties.add("DeviceOrientation", to: interface) { $0.deviceOrientation.name }
        properties.add("FaceOrientation", to: interface) { $0.faceOrientation.name }
        properties.add("InterfaceOrientation", to: interface) { $0.interfaceOrientation.name }
        properties.add("InterfaceReason", to: interface) { $0.interfaceReason.name }
        properties.add("InterfaceRule", to: interface) { $0.interfaceRule.name }
        properties.add("AskedRequest", to: interface) { ObjectPath(Names.path(of: $0.askedRequest)) }
        properties.add("SupportedOrientations", to: interface) { $0.supportedOrientations.rawValue }
        properties.add("OutputTransform", to: interface) { $0.outputTransform.name }
        properties.add("NaturalOrientation", to: interface) { $0.naturalOrientation.name }
        properties.add("RotationLock", to: interface) { $0.rotationLock.name }
        properties.add("Autorotate", to: interface) { $0.autorotate.name }
        properties.add("TabletMode", to: interface) { $0.tabletMode.name }
        properties.add("Claims", to: interface) { $0.claims }
        interface.property("Gravity", "(ddd)", .silent) { [self] in append(self.delegate.gravity, to: $0) }
        interface.method("Claim") { [self] in claim($0) }
        interface.method("Release") { [self] in release($0) }
        rotation = RotationMethods(of: interface, bus: bus, authority: authority, host: host)

        slot = try bus.export(interface, at: Names.path)
        objectManager = try bus.addObjectManager(at: Names.path)
    }

    package var status: ManagerStatus { properties.status }

    /// Announces what is new in `status`, between the two signals of the interface's transition if it turns.
    package func publish(_ status: ManagerStatus, _ transition: Transition? = nil) {
        if let transition { rotation?.willMake(transition) }
        announce(properties.update(to: status))
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
        var status = properties.status
        status.claims = UInt32(total)
        announce(properties.update(to: status))
        delegate.claimsChanged(areHeld: total > 0)
    }

    /// Answers the claims that wait, whatever is known.
    package func answerWaiting() {
        waiting.answer()
    }

    private func announce(_ properties: [String]) {
        bus.announce(properties, of: Names.manager, at: Names.path)
    }

    private func append(_ vector: Vector3, to message: BusMessage) {
        message.appendStruct("ddd") {
            message.append(vector.x)
            message.append(vector.y)
            message.append(vector.z)
        }
    }
}
