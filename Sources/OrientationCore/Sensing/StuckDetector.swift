// SPDX-License-Identifier: Apache-2.0

/// Distinguishes an accelerometer that is stuck from one that lies still.
///
/// Both repeat the same reading. But noise changes the last bits of nearly every reading of most sensors, wherever they
/// lie: a sensor that has shown such noise and then repeats one reading for long is stuck. A coarse or mocked sensor
/// shows no noise, and is never taken for stuck.
package struct StuckDetector {
    package enum Event: Hashable {
        case stuck(seconds: Int)
        case moving
    }

    /// Seconds of the same reading until it is reported: at first, and at most; doubled with each report.
    private static let timeout = (first: 10.0, longest: 320.0)

    /// How many readings in a row that differ from their predecessor are noise, and how far in m/s² they may be from
    /// the first of them: beyond that, the device is turned or shaken.
    private static let noise = (count: 30, reach: 0.3)

    /// Seconds between two readings beyond which they are not compared.
    ///
    /// A sensor that reports changes only is silent at rest. A polled sensor that rests is heard of now and then, and
    /// then its readings did not differ.
    private static let longestGap = Sensing.longestSilenceAtRest + 5

    package private(set) var isStuck = false

    private var last: AccelerometerSample?
    /// When that reading came first, or was reported last.
    private var since: Double?
    private var changes = 0
    /// The first of those changes.
    private var origin = Vector3.zero
    private var isNoisy = false
    private var timeout = StuckDetector.timeout.first

    package init() {}

    /// Adds the next reading; nil where nothing is new.
    ///
    /// Reports a stuck sensor again with exponential back-off. Ignores non-finite readings.
    package mutating func add(_ sample: AccelerometerSample) -> Event? {
        guard sample.acceleration.isFinite else { return nil }
        defer { last = sample }
        guard let last, last.acceleration == sample.acceleration else {
            count(sample.acceleration)
            since = sample.time
            guard isStuck else { return nil }
            isStuck = false
            timeout = Self.timeout.first
            return .moving
        }
        changes = 0
        guard let since, sample.time - last.time <= Self.longestGap else {
            self.since = sample.time
            return nil
        }
        let seconds = sample.time - since
        guard isNoisy, seconds >= timeout else { return nil }
        isStuck = true
        self.since = sample.time
        timeout = min(timeout * 2, Self.timeout.longest)
        return .stuck(seconds: Int(seconds))
    }

    private mutating func count(_ reading: Vector3) {
        if changes == 0 || (reading - origin).magnitude > Self.noise.reach {
            changes = 0
            origin = reading
        }
        changes += 1
        if changes > Self.noise.count { isNoisy = true }
    }

    /// Prepares for readings after a pause, which is not counted; a stuck sensor stays stuck until its reading changes.
    package mutating func begin() {
        since = nil
        changes = 0
    }
}
