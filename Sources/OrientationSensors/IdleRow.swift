// SPDX-License-Identifier: Apache-2.0

/// Counts the reports in a row that a device makes at rest although nothing moves.
struct IdleRow {
    /// The reports in a row after which they count as noise, which the device does not hold back.
    static let noise = 30

    /// Seconds between two reports up to which they are in a row.
    let longestGap: Double

    private(set) var count = 0
    private var last = 0.0

    init(longestGap: Double) { self.longestGap = longestGap }

    /// Counts a report at a time in seconds.
    mutating func add(at time: Double) {
        count = time - last <= longestGap ? count + 1 : 1
        last = time
    }

    /// Begins a new row.
    mutating func reset() { count = 0 }
}
