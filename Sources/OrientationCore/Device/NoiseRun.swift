// SPDX-License-Identifier: Apache-2.0

/// Counts consecutive reports that a device makes at rest although nothing moves.
package struct NoiseRun: Hashable, Sendable {
    /// The number of consecutive reports that means the device does not filter noise.
    private static let limit = 30
    /// The most seconds between two consecutive reports: rarer ones cost less than reading by timer.
    private static let longestGap = 1.0

    private var count = 0
    private var last = 0.0

    package init() {}

    /// Whether the device does not filter noise.
    package var isNoise: Bool { count >= Self.limit }

    /// Counts a report at a time in seconds.
    package mutating func add(at time: Double) {
        count = time - last <= Self.longestGap ? count + 1 : 1
        last = time
    }

    package mutating func reset() { count = 0 }
}
