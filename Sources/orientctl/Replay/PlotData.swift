// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// The contents of a plot in constant memory: time is divided into columns.
///
/// Columns begin narrow; whenever time runs past the last one, each two become one of double width.
struct PlotData {
    /// The samples of a stretch of time.
    struct Column {
        /// The last state in the column.
        var orientation: DeviceOrientation
        var low, high: Vector3

        mutating func include(_ other: Column) {
            orientation = other.orientation
            low = Vector3(min(low.x, other.low.x), min(low.y, other.low.y), min(low.z, other.low.z))
            high = Vector3(max(high.x, other.high.x), max(high.y, other.high.y), max(high.z, other.high.z))
        }
    }

    /// Events that are too near each other to be told apart.
    struct Mark: Hashable {
        /// The first one's label.
        let label: String
        var count = 1
    }

    private static let capacity = 1024

    /// Marks in the same group of so many columns become one.
    private static let columnsPerMark = 4

    /// The time of the first sample or event in seconds.
    private(set) var start = 0.0

    /// The seconds from the first sample or event to the last.
    private(set) var duration = 0.0

    /// The seconds in a column.
    private(set) var width = 1.0 / 1024

    /// The columns from the start; nil for those without a sample.
    private(set) var columns: [Column?] = []

    /// The interface's orientation from a column on, by the column's index.
    private(set) var interfaces: [Int: InterfaceOrientation] = [:]

    /// The events by the index of their column.
    private(set) var marks: [Int: Mark] = [:]

    private var isEmpty: Bool { columns.isEmpty && interfaces.isEmpty && marks.isEmpty }

    // Values that are not finite, and times before the first, are left out.

    /// Adds a sample and the device's orientation after it.
    mutating func add(_ sample: AccelerometerSample, in orientation: DeviceOrientation) {
        guard sample.acceleration.isFinite, let index = column(at: sample.time) else { return }
        while columns.count <= index { columns.append(nil) }
        let column = Column(orientation: orientation, low: sample.acceleration, high: sample.acceleration)
        if columns[index]?.include(column) == nil { columns[index] = column }
    }

    /// Adds a change of the interface's orientation.
    mutating func show(_ interface: InterfaceOrientation, at time: Double) {
        if let index = column(at: time) { interfaces[index] = interface }
    }

    /// Adds an event.
    mutating func mark(_ label: String, at time: Double) {
        guard let index = column(at: time) else { return }
        let letters = label.unicodeScalars
        mark(Mark(label: letters.count > 32 ? String(letters.prefix(31)) + "…" : label), in: index)
    }

    private mutating func mark(_ mark: Mark, in column: Int) {
        let index = column - column % Self.columnsPerMark
        marks[index]?.count += mark.count
        marks[index] = marks[index] ?? mark
    }

    /// Returns the column of a time, after making room for it.
    private mutating func column(at time: Double) -> Int? {
        if isEmpty, time.isFinite { start = time }
        let elapsed = time - start
        guard elapsed >= 0, elapsed.isFinite else { return nil }
        while elapsed / width >= Double(Self.capacity) { halve() }
        duration = max(duration, elapsed)
        return Int(elapsed / width)
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
        let (oldInterfaces, oldMarks) = (interfaces, marks)
        (interfaces, marks) = ([:], [:])
        for index in oldInterfaces.keys.sorted() { interfaces[index / 2] = oldInterfaces[index] }
        for index in oldMarks.keys.sorted() { if let old = oldMarks[index] { mark(old, in: index / 2) } }
        width *= 2
    }
}
