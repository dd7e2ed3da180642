// SPDX-License-Identifier: Apache-2.0

/// Counts consecutive reports that a device makes at rest although nothing moves.
package struct NoiseRun: Hashable, Sendable {
    /// The number of consecutive reports that means the device does not filter noise.
    package static let limit = 30

    /// The most seconds between two consecutive reports.
    private let longestGap: Double

    package private(set) var count = 0
    private var last = 0.0

    package init(longestGap: Double) { self.longestGap = longestGap }

    /// Counts a report at a time in seconds.
    package mutating func add(at time: Double) {
        count = time - last <= longestGap ? count + 1 : 1
        last = time
    }

    package mutating func reset() { count = 0 }
}
