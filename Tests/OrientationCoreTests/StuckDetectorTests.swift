// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@Suite struct StuckDetectorTests {
    private static let period = 1.0 / 15

    /// Feeds a detector readings 15 times a second, and notes what it reports.
    private struct Feed {
        var detector = StuckDetector()
        var time = 100.0
        var events: [String] = []

        /// So many seconds of readings; `noise` is the size of their last bit, 0 for the very same.
        mutating func read(seconds: Double, noise: Double, every count: Int = 1) {
            for index in 0..<Int(seconds / StuckDetectorTests.period) {
                time += StuckDetectorTests.period
                let bit = Double(index / count % 2) * noise
                switch detector.add(AccelerometerSample(time: time, acceleration: Vector3(0, 9.81 + bit, 0))) {
                case .stuck(let seconds): events.append("stuck for \(seconds) s")
                case .moving: events.append("moving")
                case nil: break
                }
            }
        }
    }

    @Test func `ten seconds of the same reading, after noise, are stuck`() {
        var feed = Feed()
        feed.read(seconds: 3, noise: 0.01)
        feed.read(seconds: 9.9, noise: 0)
        #expect(feed.events.isEmpty)
        feed.read(seconds: 0.3, noise: 0)
        #expect(feed.events == ["stuck for 10 s"])
        #expect(feed.detector.isStuck)
    }

    @Test func `a sensor that never showed noise may rest for ever`() {
        var feed = Feed()
        feed.read(seconds: 3600, noise: 0)
        #expect(feed.events.isEmpty)
    }

    @Test func `readings that are repeated are no noise`() {
        var feed = Feed()
        // Turned by hand, a coarse sensor has a new reading every third time.
        feed.read(seconds: 60, noise: 0.5, every: 3)
        feed.read(seconds: 60, noise: 0)
        #expect(feed.events.isEmpty)
    }

    @Test func `a smooth turn is no noise`() {
        var feed = Feed()
        for step in 0..<120 {
            let angle = Double(step) * 0.013
            feed.time += Self.period / 4
            let reading = Vector3(-9.81 * angle, 9.81 * (1 - angle * angle / 2), 0)
            #expect(feed.detector.add(AccelerometerSample(time: feed.time, acceleration: reading)) == nil)
        }
        feed.read(seconds: 60, noise: 0)
        #expect(feed.events.isEmpty)
    }

    @Test func `silence of a sensor that reports changes only does not count`() {
        var feed = Feed()
        feed.read(seconds: 3, noise: 0.01)
        feed.read(seconds: 1, noise: 0)
        feed.time += 60
        feed.read(seconds: 1, noise: 0)
        #expect(feed.events.isEmpty)
    }

    @Test func `a polled sensor that rests and reads the same every ten seconds is stuck`() {
        var feed = Feed()
        feed.read(seconds: 3, noise: 0.01)
        let last = Vector3(0, 9.81, 0)
        for _ in 0..<3 {
            feed.time += 10.4
            if case .stuck = feed.detector.add(AccelerometerSample(time: feed.time, acceleration: last)) {
                feed.events.append("stuck")
            }
        }
        #expect(feed.events == ["stuck", "stuck"], "after 10 s and 20 s more")
    }

    @Test func `a sensor that stays stuck is reported with exponential back-off`() {
        var feed = Feed()
        feed.read(seconds: 3, noise: 0.01)
        feed.read(seconds: 72, noise: 0)
        #expect(feed.events == ["stuck for 10 s", "stuck for 20 s", "stuck for 40 s"])
    }

    @Test func `another reading ends it, and resets the back-off`() {
        var feed = Feed()
        for _ in 0..<2 {
            feed.read(seconds: 3, noise: 0.01)
            feed.read(seconds: 11, noise: 0)
        }
        #expect(feed.events == ["stuck for 10 s", "moving", "stuck for 10 s"])
    }

    @Test func `a pause does not count`() {
        var feed = Feed()
        feed.read(seconds: 3, noise: 0.01)
        feed.read(seconds: 8, noise: 0)
        feed.time += 3600
        feed.detector.begin()
        feed.read(seconds: 8, noise: 0)
        #expect(feed.events.isEmpty)
    }

    @Test func `non-finite readings are ignored`() {
        var feed = Feed()
        feed.read(seconds: 3, noise: 0.01)
        feed.read(seconds: 6, noise: 0)
        #expect(feed.detector.add(AccelerometerSample(time: feed.time, acceleration: Vector3(.nan, 0, 0))) == nil)
        feed.read(seconds: 6, noise: 0)
        #expect(feed.events == ["stuck for 10 s"])
    }
}
