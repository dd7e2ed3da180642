// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// Decides which readings of a polled device the loop must see at once, on the device's helper thread.
///
/// Once readings have hardly differed for a while, they wait for one that differs more, but not for long: the loop then
/// sees all of them, with their times. Without this, a polled chip in a hand that sways a little costs a third more CPU
/// time and 70 % more wake-ups.
struct ReadingBatch: Sendable {
    /// In m/s² on any axis, or in degrees: with less, a reading hardly differs from the last one that did.
    private let leastChange: Double
    /// How many of those in a row must not wait.
    ///
    /// Of acceleration, those of two seconds: nearly every turn that has begun is decided by then. Of an angle, two: the
    /// machine believes the second.
    private let settling: Int
    /// How many may wait.
    private let capacity: Int
    private let scaling: SensorScaling
    private var reference = Vector3(.infinity, 0, 0)
    private var similar = 0
    private var waiting = 0

    /// Creates a batch for readings at `rate` Hz; nil for a sensor each of whose readings is awaited.
    init?(_ scaling: SensorScaling, rate: Double) {
        self.scaling = scaling
        switch scaling {
        case .acceleration:
            leastChange = 1.5
            settling = Int(2 * rate)
            capacity = Int(0.5 * rate)
        case .angle:
            leastChange = 1
            settling = 2
            capacity = Int(4 * rate)
        case .light, .proximity, .heading: return nil
        }
    }

    /// Adds a reading; says whether those since the last urgent one must not wait any longer.
    mutating func isUrgent(_ raw: Vector3) -> Bool {
        let value = scaling.vector(raw)
        waiting += 1
        // A reading that is not finite differs.
        if (value - reference).greatestComponent < leastChange {
            similar += 1
        } else {
            reference = value
            similar = 1
        }
        guard similar <= settling || waiting >= capacity else { return false }
        waiting = 0
        return true
    }
}
