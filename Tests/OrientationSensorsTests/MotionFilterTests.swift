// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@testable import OrientationSensors

@Suite struct MotionFilterTests {
    private static let scaling = SensorScaling.acceleration(SensorFrame(convention: .kernel))

    private static func sensing(_ level: SensingLevel) -> Sensing {
        var sensing = Sensing()
        (sensing.level, sensing.reference, sensing.threshold) = (level, Vector3(0, 10, 0), 0.3)
        return sensing
    }

    /// The readings that pass, of one of y = 10 + `offset` each period, and their times.
    private static func passed(_ offsets: [Double], _ level: SensingLevel = .doze) throws -> [RawScan] {
        let first = RawScan(raw: Vector3(0, 10, 0), time: 0)
        var filter = try #require(MotionFilter(sensing(level), scaling, last: first))
        return offsets.enumerated().compactMap { index, offset in
            filter.pass(RawScan(raw: Vector3(0, 10 + offset, 0), time: Double(index + 1) * filter.period))
        }
    }

    @Test func `the period depends on the level`() {
        let scan = RawScan(raw: .zero, time: 0)
        let periods = SensingLevel.allCases.map { MotionFilter(Self.sensing($0), Self.scaling, last: scan)?.period }
        #expect(periods == [nil, 0.2, 0.72])
    }

    @Test func `at rest a reading passes every ten seconds`() throws {
        let passed = try Self.passed(Array(repeating: 0, count: 100))
        #expect(passed.count == 7 && passed.allSatisfy { $0.raw.y == 10 })
        #expect(zip(passed, passed.dropFirst()).allSatisfy { (10...10.8).contains(($1.time ?? 0) - ($0.time ?? 0)) })
    }

    @Test func `or every 30 seconds, where readings may come later`() throws {
        var sensing = Self.sensing(.doze)
        sensing.allowsBatches = true
        let first = RawScan(raw: Vector3(0, 10, 0), time: 0)
        var filter = try #require(MotionFilter(sensing, Self.scaling, last: first))
        #expect(filter.pass(RawScan(raw: first.raw, time: 29.9)) == nil)
        #expect(filter.pass(RawScan(raw: first.raw, time: 30)) != nil)
    }

    // With a reading every 10 or 30 seconds, a device that must answer within five would turn a keyboard on and off.
    @Test(arguments: [SensingPurpose.orientationAndKeyboard, .angle], [SensingLevel.watch, .doze])
    func `while a keyboard depends on it, a reading passes in time`(purpose: SensingPurpose, level: SensingLevel) throws
    {
        var sensing = Self.sensing(level)
        sensing.purpose = purpose
        let first = RawScan(raw: Vector3(0, 10, 0), time: 0)
        var filter = try #require(MotionFilter(sensing, Self.scaling, last: first))
        let times = (1...100).map { Double($0) * filter.period }.filter {
            filter.pass(RawScan(raw: Vector3(0, 10, 0), time: $0)) != nil
        }
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(!gaps.isEmpty && gaps.allSatisfy { $0 <= 3.2 + 1e-9 && $0 < DeviceMachine.stallTime })
    }

    // A device whose last change came 8 s after such a reading was silent for 18 s, and counted as stalled.
    @Test func `a reading that is held back does not put off the next one that passes`() throws {
        var filter = try #require(
            MotionFilter(Self.sensing(.watch), Self.scaling, last: RawScan(raw: Vector3(0, 10, 0), time: 3))
        )
        #expect(filter.pass(RawScan(raw: Vector3(0, 10.1, 0), time: 11)) == nil)
        #expect(filter.deadline == 13)
        #expect(filter.pass(RawScan(raw: Vector3(0, 10, 0), time: 13)) != nil)
        #expect(filter.deadline == 23)
    }

    @Test func `motion passes at once, however slow`() throws {
        let passed = try Self.passed((1...9).map { Double($0) * 0.1 })
        #expect(passed.map { $0.raw.y }.allSatisfy { $0 >= 10.29 } && passed.count == 7)
    }

    // The reading in the tenth second happened to be the one before, and the sensor was taken for stuck.
    @Test func `the reading that passes equals the last one only if all in between did`() throws {
        let passed = try Self.passed((1...100).map { $0 % 12 == 5 ? 0.01 : 0 })
        #expect(passed.count == 7 && zip(passed, passed.dropFirst()).allSatisfy { $0.raw != $1.raw })
    }

    // One failure a minute was taken for one that lasts a minute.
    @Test func `the reading after a failure passes`() throws {
        let first = RawScan(raw: Vector3(0, 10, 0), time: 0)
        var filter = try #require(MotionFilter(Self.sensing(.watch), Self.scaling, last: first))
        #expect(filter.pass(RawScan(raw: first.raw, time: 0.2)) == nil)
        filter.fail()
        #expect(filter.pass(RawScan(raw: first.raw, time: 0.4)) != nil)
        #expect(filter.pass(RawScan(raw: first.raw, time: 0.6)) == nil)
    }
}
