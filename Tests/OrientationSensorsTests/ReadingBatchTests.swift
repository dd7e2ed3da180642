// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@testable import OrientationSensors

@Suite struct ReadingBatchTests {
    private static let scaling = SensorScaling.acceleration(SensorFrame(convention: .kernel))

    /// The numbers of the readings that are urgent, of so many of one kind after another.
    private static func urgent(_ batch: ReadingBatch?, _ groups: (count: Int, raw: (Int) -> Vector3)...) throws -> [Int]
    {
        var batch = try #require(batch)
        let readings = groups.flatMap { group in (0..<group.count).map(group.raw) }
        return readings.indices.filter { batch.isUrgent(readings[$0]) }
    }

    @Test func `readings that hardly differ for two seconds wait for half a second at most`() throws {
        let urgent = try Self.urgent(
            ReadingBatch(Self.scaling, rate: 15),
            (50, { Vector3(0.7 * Double($0 % 3), 9.81, 0) })
        )
        #expect(urgent == Array(0..<30) + [36, 43])
    }

    @Test func `a movement is urgent, as is each reading of the two seconds after it`() throws {
        let urgent = try Self.urgent(
            ReadingBatch(Self.scaling, rate: 15),
            (32, { _ in Vector3(0, 9.81, 0) }),
            (40, { _ in Vector3(1.6, 9.81, 0) })
        )
        #expect(urgent == Array(0..<30) + Array(32..<62) + [68])
    }

    @Test func `slow movements add up`() throws {
        let urgent = try Self.urgent(
            ReadingBatch(Self.scaling, rate: 15),
            (100, { Vector3(0.06 * Double($0), 9.81, 0) })
        )
        #expect(urgent == Array(0..<100))
    }

    @Test func `an angle waits from its third reading on, for four seconds at most`() throws {
        let urgent = try Self.urgent(
            ReadingBatch(.angle(offset: 0, scale: 1), rate: 5),
            (25, { Vector3(90 + 0.4 * Double($0 % 3), 0, 0) }),
            (3, { _ in Vector3(95, 0, 0) })
        )
        #expect(urgent == [0, 1, 21, 25, 26])
    }

    @Test func `a reading that is not finite is urgent`() throws {
        let urgent = try Self.urgent(
            ReadingBatch(Self.scaling, rate: 15),
            (31, { _ in Vector3(0, 9.81, 0) }),
            (1, { _ in Vector3(.nan, 9.81, 0) })
        )
        #expect(urgent == Array(0..<30) + [31])
    }

    @Test(arguments: [
        SensorScaling.proximity(nearLevel: 1), .light(offset: 0, scale: 1, unit: .lux),
        .heading(offset: 0, scale: 1),
    ])
    func `each reading of another kind is awaited`(scaling: SensorScaling) {
        #expect(ReadingBatch(scaling, rate: 15) == nil)
    }
}
