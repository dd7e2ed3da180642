// SPDX-License-Identifier: Apache-2.0

import SplitMix
import Testing

@testable import OrientationCore
@testable import OrientationSensors

@Suite struct ReadingBatchTests {
    private static let rate = 15.0
    private static let scaling = SensorScaling.acceleration(SensorFrame(convention: .kernel))

    private static func batch() -> ReadingBatch { ReadingBatch(.robust, scaling, rate: rate) }

    private static func reading(_ x: Double, _ y: Double, _ number: Int) -> RawScan {
        RawScan(raw: Vector3(9.81 * x, 9.81 * y, 0), time: Double(number) / rate)
    }

    @Test func `readings that change nothing wait for half a second at most`() {
        var batch = Self.batch()
        let urgent = (1...29).filter { batch.isUrgent(Self.reading(0.1 * Double($0 % 3), 1, $0)) }
        #expect(urgent == [1, 8, 15, 22, 29])
    }

    @Test func `a turn is urgent from its first reading beyond the edge on`() {
        var batch = Self.batch()
        let urgent = (1...8).map { number in
            batch.isUrgent(number < 4 ? Self.reading(0, 1, number) : Self.reading(1, 0, number))
        }
        // Decided with the second reading.
        #expect(urgent == [true, false, false, true, true, false, false, false])
    }

    // The loop must get every reading at which the machine's state changes.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `no change of the tracker waits`(seed: UInt64) {
        var generator = SplitMix(state: seed)
        var batch = Self.batch()
        var tracker = OrientationTracker(naturalOrientation: .portrait, constants: .robust, reportsFace: true)
        tracker.begin(samplePeriod: 1 / Self.rate, faceUp: .positiveZ)
        var pose = Vector3(0, 9.81, 0)
        var goal = pose
        for number in 0..<2000 {
            if number % 20 == 0 {
                func random() -> Double { Double.random(in: -1...1, using: &generator) }
                goal = (Vector3(random(), random(), random()).direction ?? goal) * 9.81
            }
            let last = pose
            pose = pose + (goal - pose) * Double.random(in: 0...0.5, using: &generator)
            // A rest of ten seconds before each fifth goal.
            let time = Double(number) / Self.rate + Double(number / 100) * 10
            var sensing = Sensing()
            if number % 100 == 0 { sensing.level = .doze }
            sensing.reference = last
            let before = (tracker.deviceOrientation, tracker.faceOrientation, tracker.tilt)
            tracker.add(AccelerometerSample(time: time, acceleration: pose), sensing)
            let isUrgent = batch.isUrgent(RawScan(raw: pose, time: time), sensing)
            if before != (tracker.deviceOrientation, tracker.faceOrientation, tracker.tilt) { #expect(isUrgent) }
        }
    }

    @Test func `a reading that is no acceleration is urgent`() {
        var batch = ReadingBatch(.robust, .proximity(nearLevel: 1, isNear: false), rate: Self.rate)
        #expect((1...9).allSatisfy { batch.isUrgent(Self.reading(0, 1, $0)) })
    }
}
