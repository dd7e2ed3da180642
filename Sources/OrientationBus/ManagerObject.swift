// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import SystemdBus

/// The values that `org.orientd1.Manager` publishes about sensing.
package struct SensingStatus: Hashable {
    package var hasAccelerometer = false
    package var sensorState = SensorState.none
    package var deviceOrientation = DeviceOrientation.unknown
    package var faceOrientation = FaceOrientation.none
    package var outputTransform = OutputTransform.normal
    package var naturalOrientation: DeviceOrientation

    package init(naturalOrientation: DeviceOrientation) {
        self.naturalOrientation = naturalOrientation
    }
}

/// What the manager needs done by the rest of the daemon.
package protocol ManagerDelegate: AnyObject {
    /// The filtered gravity in g, (0, 0, 0) while unknown.
    var gravity: Vector3 { get }

    /// Says whether an orientation or a face has been seen since sampling began, or none is to be expected.
    var hasFirstAnswer: Bool { get }

    /// The sensor is needed from now on, or no longer.
    func claimsChanged(areHeld: Bool)
}

/// The object `/org/orientd1`: properties about sensing, and claims.
package final class ManagerObject {
    /// Seconds after which a claim is answered even though no orientation is known.
    private static let patience = 1.0

    /// The present values; assigning announces those that differ.
    package var status: SensingStatus {
        didSet { announceChanges(since: oldValue) }
    }

    private let bus: Bus
    private let delegate: any ManagerDelegate
    private let authority: PolkitAuthority
    private let interface: BusInterface
    private var slot: BusSlot?
    private var objectManager: BusSlot?
    private var claims: Holdings?

    /// Claims made, whose answers wait for the first orientation.
    private var waiting: [BusMessage] = []
    private var patienceTimer: Timer?

    /// Exports the object on `bus`; own the name afterwards, so that nobody finds it half made.
    package init(
        bus: Bus,
        loop: EventLoop,
        version: StaticString,
        status: SensingStatus,
        authority: PolkitAuthority,
        delegate: any ManagerDelegate
    ) throws(SystemError) {
        self.bus = bus
        self.status = status
        self.authority = authority
        self.delegate = delegate
        interface = BusInterface(Names.manager, members: 16)
        claims = Holdings(of: "claims", bus: bus, onChange: { [self] in claimsChanged(to: $0) })
        patienceTimer = try loop.timer { [self] in answerWaiting() }

        interface.property("Version", "s", .constant) { $0.append("\(version)") }
        interface.property("HasAccelerometer", "b") { [self] in $0.append(self.status.hasAccelerometer) }
        interface.property("SensorState", "s") { [self] in $0.append(self.status.sensorState.rawValue) }
        interface.property("DeviceOrientation", "s") { [self] in $0.append(self.status.deviceOrientation.name) }
        interface.property("FaceOrientation", "s") { [self] in $0.append(self.status.faceOrientation.name) }
        interface.property("OutputTransform", "s") { [self] in $0.append(self.status.outputTransform.name) }
        interface.property("NaturalOrientation", "s") { [self] in $0.append(self.status.naturalOrientation.name) }
        interface.property("Gravity", "(ddd)", .silent) { [self] in append(self.delegate.gravity, to: $0) }
        interface.property("Claims", "u") { [self] in $0.append(UInt32(claims?.total ?? 0)) }
        interface.method("Claim") { [self] in claim($0) }
        interface.method("Release") { [self] in release($0) }

        slot = try bus.export(interface, at: Names.path)
        objectManager = try bus.addObjectManager(at: Names.path)
    }

    /// Answers the claims that wait, if there is something to answer now.
    package func answerIfKnown() {
        if !waiting.isEmpty && delegate.hasFirstAnswer { answerWaiting() }
    }

    // MARK: - Claims

    private func claim(_ message: BusMessage) {
        do throws(BusError) {
            try claims?.reserve(message.sender)
        } catch {
            return message.reply(error)
        }
        authority.authorize(message, for: Names.claimAction) { [self] isAllowed in
            do throws(BusError) {
                guard try claims?.settle(message.sender, isAllowed: isAllowed) == true else {
                    if isAllowed { message.reply() }
                    return
                }
                waiting.append(message)
                if waiting.count == 1 { patienceTimer?.arm(after: Self.patience) }
                answerIfKnown()
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
        announce(["Claims"])
        delegate.claimsChanged(areHeld: total > 0)
    }

    /// Answers the claims that wait, whatever is known.
    package func answerWaiting() {
        patienceTimer?.disarm()
        let answered = waiting
        waiting = []
        for message in answered { message.reply() }
    }

    // MARK: - Properties

    private func announceChanges(since old: SensingStatus) {
        var changed: [String] = []
        if status.hasAccelerometer != old.hasAccelerometer { changed.append("HasAccelerometer") }
        if status.sensorState != old.sensorState { changed.append("SensorState") }
        if status.deviceOrientation != old.deviceOrientation { changed.append("DeviceOrientation") }
        if status.faceOrientation != old.faceOrientation { changed.append("FaceOrientation") }
        if status.outputTransform != old.outputTransform { changed.append("OutputTransform") }
        if status.naturalOrientation != old.naturalOrientation { changed.append("NaturalOrientation") }
        announce(changed)
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
