// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// Tells an accelerometer that is stuck from one that lies still.
///
/// Both give the same reading again and again. But the noise of most sensors changes the last bits of nearly every
/// reading, wherever they lie: one that has shown such noise once, and then reads the very same for long, is stuck. A
/// coarse sensor, or a mocked one, shows none, and may rest for ever.
struct StuckDetector {
    enum News: Hashable {
        case stuck(seconds: Int)
        case moving
    }

    /// Seconds of the very same reading: from the first, doubled each time that starting anew has not helped, to the
    /// last.
    private static let patience = (first: 10.0, last: 320.0)

    /// How many readings, each unlike the one before, are noise, and how far from the first of them, in m/s²: what
    /// goes further is turned or shaken.
    private static let noise = (count: 30, reach: 0.3)

    /// Seconds from one reading to the next over which nothing is known: of what has come to rest, a sensor that tells
    /// of changes only tells nothing.
    private static let longestGap = 1.0

    private(set) var isStuck = false

    private var last: AccelerometerSample?

    /// When that reading came first, or was told of last.
    private var since: Double?
    private var changes = 0

    /// The first of those changes.
    private var origin = Vector3.zero
    private var isNoisy = false
    private var patience = StuckDetector.patience.first

    /// Takes the next reading; nil where nothing is new.
    ///
    /// What stays stuck is told of again, ever more rarely. Readings that are no numbers say nothing.
    mutating func add(_ sample: AccelerometerSample) -> News? {
        guard sample.acceleration.isFinite else { return nil }
        defer { last = sample }
        guard let last, last.acceleration == sample.acceleration else {
            count(sample.acceleration)
            since = sample.time
            guard isStuck else { return nil }
            isStuck = false
            patience = Self.patience.first
            return .moving
        }
        changes = 0
        guard let since, sample.time - last.time <= Self.longestGap else {
            self.since = sample.time
            return nil
        }
        let seconds = sample.time - since
        guard isNoisy, seconds >= patience else { return nil }
        isStuck = true
        self.since = sample.time
        defer { patience = min(patience * 2, Self.patience.last) }
        return .stuck(seconds: Int(seconds))
    }

    private mutating func count(_ reading: Vector3) {
        let way = Vector3(reading.x - origin.x, reading.y - origin.y, reading.z - origin.z)
        if changes == 0 || way.magnitude > Self.noise.reach {
            changes = 0
            origin = reading
        }
        changes += 1
        if changes > Self.noise.count { isNoisy = true }
    }

    /// Takes notice of a pause, over which nothing is known; what was stuck is so until another reading comes.
    mutating func begin() {
        since = nil
        changes = 0
    }
}
