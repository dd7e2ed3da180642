// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@testable import orientctl

@Suite struct PlotDataTests {
    private func sample(_ time: Double, _ x: Double) -> AccelerometerSample {
        AccelerometerSample(time: time, acceleration: Vector3(x, -x, 2 * x))
    }

    @Test func `an empty plot has no columns`() {
        let data = PlotData()
        #expect(data.columns.isEmpty && data.start == 0 && data.duration == 0)
    }

    @Test func `time counts from the first sample`() {
        var data = PlotData()
        data.add(sample(100, 1), in: .portrait)
        data.add(sample(100.5, 2), in: .portrait)
        #expect(data.start == 100 && data.duration == 0.5)
        #expect(data.columns.count == 513 && data.width == 1.0 / 1024)
        #expect(data.columns[1..<512].allSatisfy { $0 == nil })
    }

    @Test func `a column keeps the least and the greatest of each axis, and the last state`() throws {
        var data = PlotData()
        for x in [1.0, -3, 2] { data.add(sample(0, x), in: x == 2 ? .faceUp : .portrait) }
        let column = try #require(data.columns.first ?? nil)
        #expect(data.columns.count == 1)
        #expect(column.low == Vector3(-3, -2, -6))
        #expect(column.high == Vector3(2, 3, 4))
        #expect(column.orientation == .faceUp)
    }

    @Test func `what is not finite, or from before the start, is left out`() {
        var data = PlotData()
        data.add(sample(0, .nan), in: .portrait)
        #expect(data.columns.isEmpty)
        data.add(sample(5, 1), in: .portrait)
        data.add(sample(4, 9), in: .portrait)
        data.add(sample(5, .infinity), in: .portrait)
        data.add(sample(.infinity, 9), in: .portrait)
        data.add(sample(.nan, 9), in: .portrait)
        #expect(data.columns.count == 1 && data.start == 5 && data.duration == 0)
        #expect(data.columns.first??.high.x == 1)
    }

    @Test(arguments: [0.001, 1.0, 15.0, 1e6, 1e300])
    func `however long the trace, the columns stay few and lose no extreme`(step: Double) throws {
        var data = PlotData()
        let count = 5000
        for index in 0..<count {
            let x = index == 1234 ? 50.0 : index == 4321 ? -50.0 : Double(index % 7)
            data.add(sample(Double(index) * step, x), in: index < count / 2 ? .portrait : .landscapeLeft)
        }
        #expect(data.columns.count <= 1024)
        #expect(data.duration == Double(count - 1) * step)
        #expect(data.width * Double(data.columns.count) > data.duration)
        let columns = data.columns.compactMap { $0 }
        #expect(columns.map(\.high.x).max() == 50)
        #expect(columns.map(\.low.x).min() == -50)
        #expect(columns.first?.orientation == .portrait && columns.last?.orientation == .landscapeLeft)
        let turned = try #require(data.columns.firstIndex { $0?.orientation == .landscapeLeft })
        let half = Double(count / 2) * step
        #expect(abs(Double(turned) * data.width - half) <= data.width)
    }
}
