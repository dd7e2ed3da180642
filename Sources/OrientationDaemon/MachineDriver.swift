// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
package import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// Delivers events to the machine one by one, records them, and has the effects of each applied before the next.
package final class MachineDriver: MachineHost {
    private(set) var machine: OrientationMachine

    private let loop: EventLoop
    private let start: Double
    private let recorder: Recorder?
    private(set) var timer: Timer?
    private var armed: Deadline?
    private var applyEffects: (Effects) -> Void = { _ in }

    /// Events that happened before ``begin(applyEffects:)``, or while effects were applied.
    private var pending: [(event: Event, completion: ((Effects) -> Void)?)] = []
    /// Whether events have to wait.
    private var isBusy = true
    private var recordedSensing = PerRole(Sensing.stream)

    init(
        _ configuration: MachineConfiguration,
        saved: SavedState?,
        loop: EventLoop,
        recorder: Recorder?
    ) throws(SystemError) {
        self.loop = loop
        self.recorder = recorder
        start = loop.now
        machine = OrientationMachine(configuration, saved: saved, at: 0)
        recorder?.write(configuration, saved)
        timer = try loop.timer(owned(by: self) { $0.deadlinePassed() })
    }

    /// Seconds since the start, in whole microseconds, as they are written to a recording: a replay must get the same.
    private func machineTime(_ time: Double) -> Double { ((time - start) * 1e6).rounded() / 1e6 }

    /// The present time on the machine's clock.
    var now: Double { machineTime(loop.now) }

    /// Handles the events until now; from here on, each is handled at once, and its effects are applied.
    func begin(applyEffects: @escaping (Effects) -> Void) {
        self.applyEffects = applyEffects
        wait(for: machine.deadline)
        handlePending()
    }

    /// Delivers an event now, or after the one whose effects are being applied.
    package func deliver(_ event: Event, completion: ((Effects) -> Void)?) {
        guard !isBusy else { return pending.append((event, completion)) }
        isBusy = true
        handle(event, completion)
        handlePending()
    }

    private func handlePending() {
        while !pending.isEmpty {
            let next = pending.removeFirst()
            handle(next.event, next.completion)
        }
        isBusy = false
    }

    /// Returns a sample with its time, which is the loop's, on the machine's clock.
    func timed(_ sample: AccelerometerSample) -> AccelerometerSample {
        AccelerometerSample(time: machineTime(sample.time), acceleration: sample.acceleration)
    }

    /// Delivers the passing of the deadline that the machine waits for.
    func deadlinePassed() {
        // The machine waits for the same deadline again if the timer fires early.
        armed = nil
        if let deadline = machine.deadline { deliver(.deadlinePassed(deadline.purpose)) }
    }

    /// Delivers what differs from the switches' last state.
    func switchesChanged(_ mode: TabletMode, isLidClosed: Bool) {
        if mode != machine.switchMode { deliver(.tabletSwitch(mode)) }
        if isLidClosed != machine.isLidClosed { deliver(.lid(isClosed: isLidClosed)) }
    }

    /// Looks for the built-in display: its driver may load after orientd has started, and its console later still.
    func findDisplay(hasNewConsole: Bool = false) {
        guard machine.configuration.naturalOrientation == nil || hasNewConsole else { return }
        // Its files wait while a driver sets a mode.
        HelperThread.runOnce(loop: loop) {
            // At the next event of a display it may succeed.
            (natural: (try? BuiltInDisplay.naturalOrientation) ?? nil, edge: BuiltInDisplay.upperEdge)
        } completion: { [self] found in
            let natural = machine.configuration.naturalOrientation ?? found.natural
            deliver(.displayFound(natural: natural, laptopEdge: found.edge))
        }
    }

    private func handle(_ event: Event, _ completion: ((Effects) -> Void)?) {
        let time = now
        recorder?.write(.event(event), at: time)
        let effects = machine.handle(event, at: time)
        if let recorder { record(machine.sensing, at: time, recorder) }
        applyEffects(effects)
        wait(for: effects.deadline)
        completion?(effects)
    }

    private func wait(for deadline: Deadline?) {
        guard deadline != armed else { return }
        armed = deadline
        if let deadline {
            timer?.arm(after: deadline.time - now, slack: deadline.slack)
        } else {
            timer?.disarm()
        }
    }

    /// Records which levels have changed; a replay decides them anew.
    private func record(_ sensing: PerRole<Sensing>, at time: Double, _ recorder: Recorder) {
        guard sensing != recordedSensing else { return }
        for role in AccelerometerRole.allCases where sensing[role].level != recordedSensing[role].level {
            recorder.write(.level(role, sensing[role].level), at: time)
        }
        recordedSensing = sensing
    }
}
