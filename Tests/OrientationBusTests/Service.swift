// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import POSIX
import PrivateBus
import SystemdBus

/// The daemon's objects on a bus of their own, over a machine without sensors, and a client.
final class Service: MachineHost {
    let privateBus: PrivateBus
    let loop: EventLoop
    let bus: Bus

    /// For blocking calls inside `loop.serve`; not attached to the loop.
    let client: Bus

    /// What effects say in place of the machine's own answer, which has no sensor.
    var hasFirstAnswer = true

    private(set) var machine: OrientationMachine

    /// Whether the sensor was claimed after each change of the claims, in order.
    var changes: [Bool] = []
    private var object: ManagerObject?

    var manager: ManagerObject {
        guard let object else { preconditionFailure("the manager is made with the service") }
        return object
    }

    var policy: RotationPolicy { machine.policy }

    init(naturalOrientation: DeviceOrientation = .portrait) throws {
        var configuration = MachineConfiguration()
        configuration.naturalOrientation = naturalOrientation
        machine = OrientationMachine(configuration, saved: nil, at: 0)
        privateBus = try PrivateBus()
        loop = try EventLoop()
        bus = try privateBus.connect(loop)
        client = try privateBus.connect()
        let authority = try PolkitAuthority(bus: bus, loop: loop, limitError: Names.limitError) {}
        object = try ManagerObject(
            bus: bus,
            loop: loop,
            version: "1.2.3",
            status: machine.status,
            clients: Clients(on: bus, authority: authority),
            host: self
        )
        try bus.own(Names.service, replacing: false)
    }

    func deliver(_ event: Event, completion: ((Effects) -> Void)?) {
        if case .claims(let count) = event { changes.append(count > 0) }
        var effects = machine.handle(event, at: 0)
        effects.hasFirstAnswer = hasFirstAnswer
        manager.publish(effects)
        completion?(effects)
    }

    /// Publishes a status as an event would that has changed it.
    func publish(_ status: ManagerStatus, gravity: Vector3 = .zero) {
        var effects = Effects()
        effects.status = status
        effects.gravity = gravity
        manager.publish(effects)
    }

    /// Does what follows every event.
    func answerIfKnown() {
        var effects = Effects()
        effects.hasFirstAnswer = hasFirstAnswer
        manager.publish(effects)
    }

    /// Calls a method of the manager without waiting; the answer's error, or nil, goes to `completion`.
    func call(_ member: String, from client: Bus, completion: @escaping (BusError?) -> Void) {
        client.callLater(Names.service, Names.path, Names.manager, member) { completion($0.error) }
    }

    /// What the client reads, while the service answers.
    func snapshot() throws -> ManagerSnapshot {
        try loop.serve { [client] in try client.readManager() }
    }
}

extension SensorStatus {
    static let example: SensorStatus = {
        var status = SensorStatus()
        (status.name, status.sysfsPath) = ("accel_3d", "/sys/devices/x")
        (status.location, status.mode, status.sampleRate) = (.display, .buffer, 15)
        status.mountMatrix = [1, 0, 0, 0, -1, 0, 0, 0, 0.5]
        return status
    }()
}
