// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// The contents of a plot in constant memory: time is divided into columns.
///
/// Columns are narrow at first. When the last one is full, each two become one of double width.
struct PlotData {
    /// What happened in a stretch of time.
    struct Column {
        /// The least and the greatest value of each axis, in m/s².
        var low = Vector3(.infinity, .infinity, .infinity)
        var high = Vector3(-.infinity, -.infinity, -.infinity)
        /// The last orientation of the device; nil without a sample.
        var device: DeviceOrientation?
        /// The last orientation of the interface; nil if it did not change.
        var interface: InterfaceOrientation?
        /// The label of the first event, and the number of events.
        var label = ""
        var events = 0

        mutating func append(_ next: Column) {
            low = Vector3(min(low.x, next.low.x), min(low.y, next.low.y), min(low.z, next.low.z))
            high = Vector3(max(high.x, next.high.x), max(high.y, next.high.y), max(high.z, next.high.z))
            device = next.device ?? device
            interface = next.interface ?? interface
            if events == 0 { label = next.label }
            events += next.events
        }
    }

    private static let capacity = 1024
    /// The time of the first sample or event in seconds.
    private(set) var start = 0.0
    /// The seconds in a column.
    private(set) var width = 1.0 / 1024

    private(set) var columns: [Column] = []

    // Values that are not finite, and times before the first, are ignored.

    mutating func add(_ sample: AccelerometerSample, in orientation: DeviceOrientation) {
        guard sample.acceleration.isFinite else { return }
        add(Column(low: sample.acceleration, high: sample.acceleration, device: orientation), at: sample.time)
    }

    mutating func show(_ interface: InterfaceOrientation, at time: Double) {
        add(Column(interface: interface), at: time)
    }

    /// Adds an event.
    mutating func mark(_ label: String, at time: Double) {
        let letters = label.unicodeScalars
        add(Column(label: letters.count > 32 ? String(letters.prefix(31)) + "…" : label, events: 1), at: time)
    }

    private mutating func add(_ column: Column, at time: Double) {
        if columns.isEmpty, time.isFinite { start = time }
        let elapsed = time - start
        guard elapsed >= 0, elapsed.isFinite else { return }
        while elapsed / width >= Double(Self.capacity) { halve() }
        let index = Int(elapsed / width)
        while columns.count <= index { columns.append(Column()) }
        columns[index].append(column)
    }

    private mutating func halve() {
        columns = stride(from: 0, to: columns.count, by: 2).map { index in
            var column = columns[index]
            if index + 1 < columns.count { column.append(columns[index + 1]) }
            return column
        }
        width *= 2
    }
}
