// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SplitMix
import Testing

@Suite struct RestDetectorTests {
    @Test func `steady readings are a rest after a second, whose reading is their mean`() throws {
        var detector = RestDetector()
        for step in 0...14 {
            detector.update(Vector3(0, step % 2 == 0 ? 9.8 : 9.6, 1), at: Double(step) / 15)
            #expect(detector.reading == nil)
            #expect(abs(detector.progress - Double(step) / 15) < 1e-9)
        }
        detector.update(Vector3(0, 9.6, 1), at: 1)
        let reading = try #require(detector.reading)
        #expect(abs(reading.y - 9.7) < 0.01)
        #expect(reading.z == 1)
        #expect(detector.progress == 1)
    }

    @Test(arguments: [-9.81, 9.81, 1000, 0.01])
    func `tremor does not interrupt a rest, in any unit`(strength: Double) {
        var detector = RestDetector()
        var random = SplitMix(state: 3)
        for step in 0...15 {
            let tremor = Vector3.random(within: 0.04 * abs(strength), using: &random)
            detector.update(Vector3(0, strength, 0) + tremor, at: Double(step) / 15)
        }
        #expect(detector.reading != nil)
    }

    @Test func `the rest begins when the device stops turning`() {
        var detector = RestDetector()
        for step in 0...45 {
            // A quarter turn in three seconds.
            let share = Double(step) / 45
            detector.update(Vector3(9.81 * share, 9.81 * (1 - share), 0), at: Double(step) / 15)
            #expect(detector.reading == nil)
        }
        var time = 3.0
        while detector.reading == nil, time < 6 {
            time += 1.0 / 15
            detector.update(Vector3(9.81, 0, 0), at: time)
        }
        #expect(time > 4 && time < 5)
    }

    @Test(arguments: [1.5, -0.5])
    func `a gap or a step back restarts the rest`(step: Double) {
        var detector = RestDetector()
        for step in 0...14 { detector.update(Vector3(0, 9.81, 0), at: Double(step) / 15) }
        detector.update(Vector3(0, 9.81, 0), at: 14.0 / 15 + step)
        #expect(detector.progress == 0)
    }

    @Test func `readings that are not finite or zero are not a rest`() {
        var detector = RestDetector()
        for step in 0...30 { detector.update(Vector3(.nan, 9.81, 0), at: Double(step) / 15) }
        #expect(detector.progress == 0)
        #expect(detector.reading == nil)
    }
}

@Suite struct RestPhasesTests {
    /// Readings at 15 Hz: rests of two seconds with turns of half a second between them.
    static func phases(_ poses: [Vector3]) -> RestPhases {
        var phases = RestPhases()
        var time = 0.0
        var last: Vector3?
        for pose in poses {
            if let last {
                for step in 1...7 {
                    let share = Double(step) / 8
                    phases.update(last * (1 - share) + pose * share, at: time)
                    time += 1.0 / 15
                }
            }
            for _ in 0..<30 {
                phases.update(pose, at: time)
                time += 1.0 / 15
            }
            last = pose
        }
        return phases
    }

    @Test func `each rest is a phase, in the order of the recording`() {
        let poses = [Vector3(0, 9.81, 0), Vector3(9.81, 0, 0), Vector3(0, 0, 9.81)]
        let phases = Self.phases(poses).phases
        #expect(phases.count == 3)
        for (phase, pose) in zip(phases, poses) { #expect((phase.reading - pose).magnitude < 0.5) }
        #expect(phases.map(\.time) == phases.map(\.time).sorted())
        #expect(abs((phases.first?.time ?? 0) - 1) < 0.1)
    }

    @Test func `the same pose again is not a new phase, an earlier pose is`() {
        let upright = Vector3(0, 9.81, 0)
        #expect(Self.phases([upright, Vector3(2, 9.6, 0), upright]).phases.count == 1)
        #expect(Self.phases([upright, Vector3(9.81, 0, 0), upright]).phases.count == 3)
    }
}
