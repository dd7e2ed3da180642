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
        #expect(data.columns.isEmpty && data.start == 0)
    }

    @Test func `time counts from the first sample`() {
        var data = PlotData()
        data.add(sample(100, 1), in: .portrait)
        data.add(sample(100.5, 2), in: .portrait)
        #expect(data.start == 100 && data.width == 1.0 / 1024)
        #expect(data.columns.indices.filter { data.columns[$0].device != nil } == [0, 512])
        #expect(data.columns.count == 513)
    }

    @Test func `a column keeps the least and the greatest of each axis, and the last state`() throws {
        var data = PlotData()
        for x in [1.0, -3, 2] { data.add(sample(0, x), in: x == 2 ? .faceUp : .portrait) }
        let column = try #require(data.columns.first)
        #expect(data.columns.count == 1)
        #expect(column.low == Vector3(-3, -2, -6))
        #expect(column.high == Vector3(2, 3, 4))
        #expect(column.device == .faceUp)
    }

    @Test func `values that are not finite, and samples from before the start, are left out`() {
        var data = PlotData()
        data.add(sample(0, .nan), in: .portrait)
        #expect(data.columns.isEmpty)
        data.add(sample(5, 1), in: .portrait)
        data.add(sample(4, 9), in: .portrait)
        data.add(sample(5, .infinity), in: .portrait)
        data.add(sample(.infinity, 9), in: .portrait)
        data.add(sample(.nan, 9), in: .portrait)
        #expect(data.columns.count == 1 && data.start == 5)
        #expect(data.columns.first?.high.x == 1)
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
        #expect(data.width * Double(data.columns.count - 1) <= Double(count - 1) * step)
        #expect(data.width * Double(data.columns.count) > Double(count - 1) * step)
        let columns = data.columns.filter { $0.device != nil }
        #expect(columns.map(\.high.x).max() == 50)
        #expect(columns.map(\.low.x).min() == -50)
        #expect(columns.first?.device == .portrait && columns.last?.device == .landscapeLeft)
        let turned = try #require(data.columns.firstIndex { $0.device == .landscapeLeft })
        let half = Double(count / 2) * step
        #expect(abs(Double(turned) * data.width - half) <= data.width)
    }

    // MARK: - The interface and events

    @Test(arguments: [0.001, 1.0, 1e300])
    func `however many events, few marks are kept and none is lost`(step: Double) {
        var data = PlotData()
        let interfaces: [InterfaceOrientation] = [.portrait, .landscapeLeft]
        for index in 0..<20000 {
            data.mark("event", at: Double(index) * step)
            data.show(interfaces[index % 2], at: Double(index) * step)
        }
        #expect(data.columns.count <= 1024)
        #expect(data.columns.map(\.events).reduce(0, +) == 20000)
        #expect(data.columns.allSatisfy { $0.device == nil })
    }

    @Test func `marks near each other keep the first label and their number`() {
        var data = PlotData()
        data.mark("lock", at: 0)
        data.mark("sleep", at: 0)
        data.mark("lid closed", at: 0.5)
        data.mark("nothing", at: .nan)
        #expect(data.columns[0].label == "lock" && data.columns[0].events == 2)
        #expect(data.columns[512].label == "lid closed" && data.columns[512].events == 1)
        #expect(data.columns.map(\.events).reduce(0, +) == 3)
    }

    @Test func `events and samples have one time axis, which events alone begin and extend as well`() {
        var data = PlotData()
        data.show(.portrait, at: 10)
        data.add(sample(10.5, 1), in: .portrait)
        data.show(.landscapeLeft, at: 11)
        data.show(.portrait, at: 9)
        #expect(data.start == 10)
        let changes = data.columns.indices.filter { data.columns[$0].interface != nil }
        #expect(changes == [0, 512])
        #expect(changes.map { data.columns[$0].interface } == [.portrait, .landscapeLeft])
        #expect(data.columns.firstIndex { $0.device != nil } == 256)
    }
}

@Suite struct PlotTests {
    /// A trace with samples at these times.
    private func data(_ times: [Double], _ values: [Double] = [9.81]) -> PlotData {
        var data = PlotData()
        for (index, time) in times.enumerated() {
            let acceleration = Vector3(values[index % values.count], 0, 0)
            data.add(AccelerometerSample(time: time, acceleration: acceleration), in: .landscapeLeft)
        }
        return data
    }

    private func svg(_ data: PlotData) -> String { Plot(data, title: "test").svg }

    // One sample at 1e308 gave coordinates that were no numbers.
    @Test(arguments: [
        [1e308], [-1e308], [1e308, 1.5e308], [-.greatestFiniteMagnitude, 0], [0, .greatestFiniteMagnitude],
        [-1e308, 1e308], [0, .leastNonzeroMagnitude], [1e15, 1e15 + 1], [9e14, 9e14 + 0.125], [1e300, 1e300], [],
    ])
    func `every coordinate is finite, whatever the finite times`(times: [Double]) {
        var data = data(times, [9.81, .greatestFiniteMagnitude, -.greatestFiniteMagnitude])
        for time in times {
            data.show(.portrait, at: time)
            data.mark("event", at: time)
        }
        let svg = svg(data).lowercased()
        #expect(!svg.contains("nan") && !svg.contains("inf"))
    }

    @Test func `a plain trace has neither a lane nor marks`() {
        let svg = svg(data([0, 1, 2]))
        #expect(svg.contains(#"width="1000" height="440""#))
        #expect(!svg.contains(">interface<") && !svg.contains("stroke=\"dimgray\""))
    }

    @Test func `the lane names the interface's orientations, and marks their events`() {
        var data = data([0, 10])
        data.show(.portrait, at: 0)
        data.show(.landscapeRight, at: 5)
        data.mark("lock <portrait>", at: 2)
        let svg = svg(data)
        #expect(svg.contains(">interface<"))
        #expect(svg.contains(">portrait<") && svg.contains(">landscape-right<"))
        #expect(svg.contains(">lock &lt;portrait&gt;<"))
    }

    @Test func `labels are drawn only where there is room`() {
        var data = data([0, 100])
        for index in 0..<1000 { data.mark("event number \(index)", at: Double(index) / 10) }
        let svg = svg(data)
        let labels = svg.components(of: ">event number").count - 1
        #expect(svg.components(of: "stroke=\"dimgray\"").count - 1 == data.columns.count { $0.events > 0 })
        #expect((3...60).contains(labels))
    }
}

extension String {
    fileprivate func components(of separator: String) -> [Substring] { split(separator: separator) }
}
