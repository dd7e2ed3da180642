// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// What a plot shows of a trace, in constant memory: least and greatest values a column.
///
/// Columns begin narrow; whenever time runs past the last one, each two become one of double width.
struct PlotData {
    /// The samples of a stretch of time.
    struct Column {
        /// The last state in the column.
        var orientation: DeviceOrientation
        var low: Vector3
        var high: Vector3

        init(_ acceleration: Vector3, in orientation: DeviceOrientation) {
            self.orientation = orientation
            low = acceleration
            high = acceleration
        }

        mutating func include(_ other: Column) {
            orientation = other.orientation
            low = Vector3(min(low.x, other.low.x), min(low.y, other.low.y), min(low.z, other.low.z))
            high = Vector3(max(high.x, other.high.x), max(high.y, other.high.y), max(high.z, other.high.z))
        }
    }

    private static let capacity = 1024

    /// The time of the first sample in seconds.
    private(set) var start = 0.0

    /// The seconds from the first sample to the last.
    private(set) var duration = 0.0

    /// The seconds in a column.
    private(set) var width = 1.0 / 1024

    /// The columns from the start; nothing in those without a sample.
    private(set) var columns: [Column?] = []

    init() {
        columns.reserveCapacity(Self.capacity)
    }

    /// Takes a sample; one that is not finite, or from before the first one, is not shown.
    mutating func add(_ sample: AccelerometerSample, in orientation: DeviceOrientation) {
        guard sample.acceleration.isFinite else { return }
        if columns.isEmpty { start = sample.time }
        let time = sample.time - start
        guard time >= 0, time.isFinite else { return }
        while time / width >= Double(Self.capacity) { halve() }
        let index = Int(time / width)
        while columns.count <= index { columns.append(nil) }
        let column = Column(sample.acceleration, in: orientation)
        if columns[index]?.include(column) == nil { columns[index] = column }
        duration = max(duration, time)
    }

    private mutating func halve() {
        for index in 0..<(columns.count + 1) / 2 {
            var column = columns[2 * index]
            if 2 * index + 1 < columns.count, let second = columns[2 * index + 1] {
                if column?.include(second) == nil { column = second }
            }
            columns[index] = column
        }
        columns.removeLast(columns.count / 2)
        width *= 2
    }
}
