// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import SystemdBus

/// Repeats the last sample of a sensor that reports changes only, when it falls silent in the middle of a turn.
///
/// The sample still holds, and the classifier needs it more than once to believe it. While no turn is under way
/// nothing is armed, and so nothing wakes up.
final class SilenceFeed {
    /// Seconds for which a sample is repeated.
    private static let duration = 0.5

    private let feed: (AccelerometerSample) -> Void
    private var timer: Timer?
    private var samplePeriod: Double?
    private var sample = AccelerometerSample(time: 0, acceleration: .zero)
    private var repetitions = 0

    init(loop: EventLoop, feed: @escaping (AccelerometerSample) -> Void) throws(SystemError) {
        self.feed = feed
        timer = try loop.timer { [self] in again() }
    }

    /// Prepares for samples that come every `samplePeriod` seconds; nil for a sensor that is never silent.
    func begin(samplePeriod: Double?) {
        self.samplePeriod = samplePeriod
        timer?.disarm()
    }

    /// Takes note of a sample that has been counted, and of whether it left a turn undecided.
    func heard(_ sample: AccelerometerSample, isTurning: Bool) {
        guard let samplePeriod else { return }
        guard isTurning else { return timer?.disarm() ?? () }
        self.sample = sample
        // A driver may claim any rate.
        repetitions = Int(min(Self.duration / samplePeriod, Self.duration * 1000))
        // A sample that is merely late must not be forestalled.
        timer?.arm(after: 1.5 * samplePeriod)
    }

    private func again() {
        guard let samplePeriod, repetitions > 0 else { return }
        repetitions -= 1
        sample.time += samplePeriod
        timer?.arm(after: samplePeriod)
        feed(sample)
    }
}
