// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX

@testable import OrientationSensors

/// A recording, and the machine that replays it: `orientctl replay` does the same with files of anybody.
enum RecordingFuzzer {
    static func run(_ bytes: [UInt8]) {
        // Recordings are long to be interesting, and their header is always the same.
        FuzzedFile.write(Array("t_seconds,x,y,z\n".utf8) + bytes)
        var machine = OrientationMachine(MachineConfiguration(), saved: nil, at: 0)
        var sensors = SensorChanges()
        var masks: [String: InterfaceOrientationMask] = [:]
        for record in TraceFuzzer.read() {
            switch record {
            case .malformed: break
            case .sample(let sample): handle(.sample(.display, sample), at: sample.time, &machine, &sensors)
            case .event(.start(var configuration, let saved), let time):
                configuration.applicationMasks = masks
                masks = [:]
                machine = OrientationMachine(configuration, saved: saved, at: time)
                sensors = SensorChanges()
            case .event(.application(let id, let mask), _): masks[id] = mask
            case .event(.event(let event), let time):
                if machine.table.fault(of: event) == nil { handle(event, at: time, &machine, &sensors) }
            case .event(.level, _): break
            }
        }
    }

    private static func handle(
        _ event: Event,
        at time: Double,
        _ machine: inout OrientationMachine,
        _ sensors: inout SensorChanges
    ) {
        let before = machine
        let effects = machine.handle(event, at: time)
        precondition(sensors.update(machine.table, effects).allSatisfy { !$0.values.isEmpty })
        let (policy, old) = (machine.policy, before.policy)

        precondition(machine.status.interfaceOrientation == policy.shown)
        precondition(policy.effectiveMask.contains(policy.shown) || policy.rule == .waiting)
        precondition((effects.transition != nil) == (policy.shown != old.shown))
        precondition((effects.status != nil) == (machine.status != before.status))
        precondition(effects.released.allSatisfy { policy.request($0) == nil && old.request($0) != nil })
        for id in policy.requests {
            guard let request = policy.request(id), policy.client(of: id) != nil else {
                fatalError("a request is listed and missing")
            }
            precondition(request.parent.map { policy.request($0) != nil } ?? true)
        }
        if effects.refusal != nil {
            precondition(policy.requests == old.requests && policy.shown == old.shown && policy.memory == old.memory)
        }
        if case .vanished(let client) = event {
            precondition(policy.requests.allSatisfy { policy.client(of: $0) != client })
        }
        precondition(effects.gravity.isFinite)
        let isReading = SensorUse.all.contains { machine.table.selection($0).isReading }
        precondition(machine.lifecycle != .ending || !isReading)
    }
}
