// SPDX-License-Identifier: Apache-2.0

import SplitMix
import Testing

@testable import OrientationCore

/// Random schedules of all events, with deadlines delivered when they are due.
@Suite struct MachinePropertyTests {
    @Test(arguments: 1...150 as ClosedRange<UInt64>)
    func `whatever happens, effects say what changed, and nothing changes that must not`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var configuration = MachineConfiguration()
        configuration.idiom = random.pick([nil, .tablet, .convertible])
        configuration.power = random.pick([.auto, .responsive])
        var machine = OrientationMachine(configuration, saved: nil, at: 0)
        var saved: SavedState?
        var (time, pose, hasFailed) = (0.0, Vector3(0, 9.81, 0), false)
        for step in 1...400 {
            let place: Comment = "seed \(seed), step \(step)"
            time += random.pick([0.07, 0.07, 0.07, 1, 12])
            if let deadline = machine.deadline, deadline.time <= time {
                try check(.deadlinePassed(deadline.purpose), at: deadline.time, &machine, &saved, place)
            }
            if random.chance(10) { pose = random.pick(Self.poses) }
            let event =
                random.chance(70)
                ? .sample(.display, AccelerometerSample(time: time, acceleration: pose))
                : seed.isMultiple(of: 2) && random.chance(50) ? random.sensorEvent() : random.event(machine)
            if event == .saveFailed { hasFailed = true }
            try check(event, at: time, &machine, &saved, place)
        }
        // A change of the interface is saved within ten seconds, and the rest at once; later only where writing failed.
        let end = time + 10
        while let deadline = machine.deadline, deadline.time <= end || hasFailed && deadline.purpose == .save {
            let place: Comment = "seed \(seed), at the end"
            try check(.deadlinePassed(deadline.purpose), at: deadline.time, &machine, &saved, place)
        }
        if machine.lifecycle != .ending, let saved { #expect(saved == OrientationMachine.state(machine)) }
    }

    private static let poses = [
        Vector3(0, 9.81, 0), Vector3(9.81, 0, 0), Vector3(0, -9.81, 0), Vector3(-9.81, 0, 0), Vector3(0, 0, 9.81),
        Vector3(6.9, 6.9, 0), Vector3(.nan, 0, 0),
    ]

    private func check(
        _ event: Event,
        at time: Double,
        _ machine: inout OrientationMachine,
        _ saved: inout SavedState?,
        _ place: Comment
    ) throws {
        let before = machine
        let effects = machine.handle(event, at: time)
        let (policy, old) = (machine.policy, before.policy)
        if let state = effects.save { saved = state }

        try #require((effects.status != nil) == (machine.status != before.status), place)
        try #require((effects.transition != nil) == (policy.shown != old.shown), place)
        try #require(policy.effectiveMask.contains(policy.shown) || policy.rule == .waiting, place)
        try #require(effects.released.allSatisfy { policy.request($0) == nil && old.request($0) != nil }, place)
        try #require(effects.deadline == machine.deadline && effects.deadline?.time.isFinite ?? true, place)
        if effects.refusal != nil { try #require(policy.memory == old.memory && policy.shown == old.shown, place) }
        if case .sample = event {
            // The lock, a closed lid and sleep hold the interface, and sensing goes on; a laptop has an orientation of
            // its own, and the sample may show that it is one.
            let isAsBefore = policy.tabletMode == old.tabletMode && policy.autorotate == old.autorotate
            if isAsBefore, policy.lock != .off || policy.isPaused { try #require(effects.transition == nil, place) }
            try #require(effects.save == nil, place)
        }
        if before.lifecycle == .ending {
            try #require(machine.lifecycle == .ending && effects.step != .end && effects.step != .resume, place)
        }
        if machine.lifecycle == .ending {
            try #require(
                machine.reads == PerRole(false) && !machine.readsHinge && effects.tabletSwitch == .unknown
                    && SensorUse.all.allSatisfy { !machine.table.selection($0).isReading },
                place
            )
        }
        // As a recording is replayed.
        var again = before
        try #require(again.handle(event, at: time).status == effects.status && again.status == machine.status, place)
    }
}

extension OrientationMachine {
    /// The state that it would save.
    fileprivate static func state(_ machine: OrientationMachine) -> SavedState {
        var state = machine.policy.memory
        state.autorotate = machine.autorotateSource != .default ? machine.policy.autorotate : nil
        return state
    }
}

extension SplitMix {
    /// Something that happens to one of three devices; the machine's own parts need no order.
    fileprivate mutating func sensorEvent() -> Event {
        let number = pick([1, 2, 3])
        var device = FoundDevice()
        (device.number, device.name, device.path) = (number, "accel", pick(["/sys/a", "/sys/b"]))
        (device.kind, device.location) = number == 3 ? (.hinge, .unknown) : (.accelerometer, pick([.display, .base]))
        (device.canBuffer, device.canPoll, device.rate) = (chance(50), chance(50), 15)
        var opening = DeviceOpening()
        opening.isBuffered = chance(50)
        let sample = AccelerometerSample(time: 0, acceleration: Vector3(0, 0, 9.81))
        return pick([
            .deviceFound(device), .deviceRemoved(number, "removed"), .deviceAnnounced,
            .scanned(mayReturn: pick([.failures, .arrivals]), retries: chance(50)),
            .device(number, .finished(.done(warnings: []))), .device(number, .finished(.opened(opening))),
            .device(number, .finished(.failed("broken"))), .device(number, .reading(showsMotion: chance(50))),
            .device(number, .readFailed(pick([.noValue, .noDevice, .error]), "why")),
            .device(number, .unreadable("why")), .device(number, .undescribed("why")),
            .sample(pick([.display, .base]), sample), .needed(.ambientLight, chance(50)),
        ])
    }

    fileprivate mutating func event(_ machine: OrientationMachine) -> Event {
        let client = pick([":1.1", ":1.2"])
        let id = pick(machine.policy.requests + [7])
        return pick([
            .samplingBegan(.display, Sampling(rate: 15, mayFallSilent: chance(50), faceUp: .positiveZ)),
            .sensorChanged(.display, SensorReport(state: pick([.sampling, .lost, .idle]), isPresent: chance(80))),
            .sensorChanged(.base, SensorReport(state: .sampling, isPresent: chance(50))),
            .sample(.base, AccelerometerSample(time: 0, acceleration: Vector3(0, 0, 9.81))),
            .sensorsFound, .switchesFound, .chassisFound(pick([nil, .laptop, .tablet])), .lid(isClosed: chance(50)),
            .displayFound(
                natural: pick([nil, .portrait, .landscapeLeft]),
                laptopEdge: pick([.portrait, .landscapeRight])
            ),
            .tabletSwitch(pick([.unknown, .laptop, .tablet])),
            .hingeSensor(SensorReport(state: pick([.sampling, .lost, .idle]), isPresent: chance(50))),
            .hingeAngle(pick([90, 95, 180, 270, 275, 0, 500])), .tabletModeClaims(chance(50) ? 1 : 0),
            .setTabletMode(pick([.unknown, .laptop, .tablet])), .sleep, .wake, .claims(UInt32(chance(50) ? 1 : 0)),
            .proxyClaims(chance(50) ? [client] : []), .setRotationLock(pick([.off, .current])),
            .rotate(pick([.portrait, .landscapeLeft])), .alignToDevice, .setAutorotate(pick([.always, .never])),
            .setApplicationMask(chance(50) ? .landscape : nil, appID: "a", client: client),
            .present(RotationRequest(appID: "a", supported: pick([.all, .landscape, .portrait])), client: client),
            .update(id, to: RotationRequest(appID: "b", supported: .all), client: client),
            .setNeedsUpdate(id, client: client), .release(id, client: client), .vanished(client: client),
            .saveFailed, chance(3) ? .shutdown : .wake,
        ])
    }
}
