// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// Holds back the readings of a polled device that rests, on the device's helper thread.
///
/// A reading that shows motion passes; otherwise one passes now and then, to show the loop that the device answers.
struct MotionFilter: Sendable {
    /// Seconds between two readings.
    let period: Double

    /// When a reading passes although the device rests.
    var deadline: Double { (passed.time ?? 0) + sensing.longestSilence }

    /// How the device is read while it rests.
    let sensing: Sensing
    private let scaling: SensorScaling
    private var passed: RawScan
    /// The last reading that is not equal to the one that passed.
    private var other: RawScan?
    private var hasFailed = false

    /// Creates a filter for a device that rests; nil for one that does not.
    ///
    /// `last` is the last reading that passed.
    init?(_ sensing: Sensing, _ scaling: SensorScaling, last: RawScan) {
        guard let period = sensing.period else { return nil }
        self.period = period
        self.sensing = sensing
        self.scaling = scaling
        passed = last
    }

    /// Returns the reading to pass on, if any.
    ///
    /// Passes a differing reading if there was one, so that equal ones downstream mean that nothing differed.
    mutating func pass(_ reading: RawScan) -> RawScan? {
        if reading.raw != passed.raw { other = reading }
        let mustPass = hasFailed || scaling.showsMotion(reading.raw, sensing)
        guard mustPass || reading.time ?? 0 >= deadline else { return nil }
        hasFailed = false
        var result = mustPass ? reading : other ?? reading
        result.time = reading.time
        passed = result
        other = nil
        return result
    }

    /// Notes that a reading has failed: the next one passes, as it ends the failure.
    mutating func fail() { hasFailed = true }
}
