// SPDX-License-Identifier: Apache-2.0

import OrientationBus
package import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// Delivers events to the machine one by one, records them, and has the effects of each carried out before the next.
package final class MachineDriver: MachineHost {
    private(set) var machine: OrientationMachine

    /// Carries out the effects of an event; set once, before the first one.
    var carryOut: (Effects) -> Void = { _ in }

    /// Has the samples that were read already delivered; set once, before the first event.
    var onRead: () -> Void = {}

    private let loop: EventLoop
    private let start: Double
    private let recorder: Recorder?

    /// Events that happened while the effects of another one were carried out.
    private var pending: [Event] = []
    private var isBusy = false
    private var levels = (display: SensingLevel.stream, base: SensingLevel.stream)

    init(_ configuration: MachineConfiguration, saved: SavedState?, loop: EventLoop, recorder: Recorder?) {
        self.loop = loop
        self.recorder = recorder
        start = loop.now
        machine = OrientationMachine(configuration, saved: saved, at: 0)
        recorder?.write(configuration, saved)
    }

    /// Seconds since the start, in whole microseconds, as they are written to a recording: a replay must get the same.
    private func machineTime(_ time: Double) -> Double { ((time - start) * 1e6).rounded() / 1e6 }

    /// The present time on the machine's clock.
    var now: Double { machineTime(loop.now) }

    /// Delivers an event now, or after the one whose effects are being carried out.
    package func deliver(_ event: Event) {
        guard !isBusy else { return pending.append(event) }
        _ = handle(event)
    }

    /// Delivers a sample whose time is the loop's.
    func deliver(_ sample: AccelerometerSample, _ role: AccelerometerRole) {
        var sample = sample
        sample.time = machineTime(sample.time)
        deliver(.sample(role, sample))
    }

    /// Delivers the passing of the deadline that the machine waits for.
    func deadlinePassed() {
        if let deadline = machine.deadline { deliver(.deadlinePassed(deadline.purpose)) }
    }

    /// Delivers what differs from the switches' last state.
    func switchesChanged(_ mode: TabletMode, isLidClosed: Bool) {
        if mode != machine.switchMode { deliver(.tabletSwitch(mode)) }
        if isLidClosed != machine.isLidClosed { deliver(.lid(isClosed: isLidClosed)) }
    }

    package func call(_ event: Event) throws(RotationRefusal) -> Effects {
        precondition(!isBusy, "a client's call came while effects were carried out")
        let effects = handle(event)
        if let refusal = effects.refusal { throw refusal }
        return effects
    }

    /// Handles an event, and then those that its effects have led to.
    private func handle(_ event: Event) -> Effects {
        isBusy = true
        let effects = carryOut(event)
        while !pending.isEmpty { _ = carryOut(pending.removeFirst()) }
        isBusy = false
        return effects
    }

    private func carryOut(_ event: Event) -> Effects {
        let time = now
        recorder?.write(event, at: time)
        let effects = machine.handle(event, at: time)
        record(effects.sensing, at: time)
        carryOut(effects)
        return effects
    }

    /// Records which levels have changed; a replay decides them anew.
    private func record(_ sensing: AccelerometerSensing, at time: Double) {
        let new = (display: sensing.display.level, base: sensing.base.level)
        if new.display != levels.display { recorder?.write(new.display, of: .display, at: time) }
        if new.base != levels.base { recorder?.write(new.base, of: .base, at: time) }
        levels = new
    }

    // MARK: - What is known

    package var policy: RotationPolicy { machine.policy }
    package var gravity: Vector3 { machine.gravity }
    package func deliverWaiting() { if !isBusy { onRead() } }
    package var hasFirstAnswer: Bool { machine.hasFirstAnswer }
}
