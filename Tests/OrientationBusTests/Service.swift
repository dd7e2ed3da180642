// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import PrivateBus
import SystemdBus

/// The daemon's objects on a bus of their own, with a delegate whose answers a test sets, and a client.
final class Service: ManagerDelegate, RotationHost {
    let privateBus: PrivateBus
    let loop: EventLoop
    let bus: Bus

    /// For blocking calls inside `loop.serve`; not attached to the loop.
    let client: Bus

    var gravity = Vector3.zero
    var hasFirstAnswer = true

    private(set) var policy: RotationPolicy

    /// What the delegate was told, in order.
    var changes: [Bool] = []
    private var object: ManagerObject?

    var manager: ManagerObject {
        guard let object else { preconditionFailure("the manager is made with the service") }
        return object
    }

    init(naturalOrientation: DeviceOrientation = .portrait) throws {
        let configuration = RotationConfiguration(natural: naturalOrientation)
        policy = RotationPolicy(configuration: configuration, autorotate: .always)
        privateBus = try PrivateBus()
        loop = try EventLoop()
        bus = try privateBus.connect(loop)
        client = try privateBus.connect()
        object = try ManagerObject(
            bus: bus,
            loop: loop,
            version: "1.2.3",
            status: ManagerStatus(policy),
            authority: PolkitAuthority(bus: bus) {},
            host: self,
            delegate: self
        )
        try bus.own(Names.service, replacing: false)
    }

    func claimsChanged(areHeld: Bool) {
        changes.append(areHeld)
    }

    func decide(_ body: (inout RotationPolicy) throws(RotationRefusal) -> Decision) throws(RotationRefusal) {
        let decision = try body(&policy)
        var status = manager.status
        status.take(policy)
        manager.publish(status, decision.transition)
    }

    /// Calls a method of the manager without waiting; the answer's error, or nil, goes to `completion`.
    func call(_ member: String, from client: Bus, completion: @escaping (BusError?) -> Void) throws {
        try client.callLater(Names.service, Names.path, Names.manager, member, { _ in }) { completion($0.error) }
    }

    /// What the client reads, while the service answers.
    func snapshot() throws -> ManagerSnapshot {
        try loop.serve { [client] in try OrientationClient(bus: client).snapshot() }
    }
}

extension SensorStatus {
    static let example = SensorStatus(
        name: "accel_3d",
        sysfsPath: "/sys/devices/x",
        location: .display,
        mode: .buffer,
        sampleRate: 15,
        mountMatrix: [1, 0, 0, 0, -1, 0, 0, 0, 0.5]
    )
}
