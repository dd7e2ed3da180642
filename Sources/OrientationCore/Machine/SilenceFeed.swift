// SPDX-License-Identifier: Apache-2.0

/// Repeats the last sample of a sensor that reports changes only, when it falls silent in the middle of a turn.
///
/// The sample still holds, and the classifier needs it more than once to believe it. Without a turn under way there is
/// no deadline, so nothing wakes up.
struct SilenceFeed: Sendable {
    /// Seconds for which a sample is repeated.
    private static let duration = 0.5

    /// When the next repetition is due; nil for none.
    private(set) var deadline: Double?

    /// Nil for a sensor that never falls silent.
    private var samplePeriod: Double?
    private var sample = AccelerometerSample(time: 0, acceleration: .zero)
    private var repetitions = 0

    /// Prepares for samples that come every `samplePeriod` seconds; nil for a sensor that never falls silent.
    mutating func begin(samplePeriod: Double?) {
        self.samplePeriod = samplePeriod
        deadline = nil
    }

    /// Notes a sample that was classified at `time`, and whether it left a turn undecided.
    mutating func note(_ sample: AccelerometerSample, isTurning: Bool, at time: Double) {
        guard let samplePeriod else { return }
        guard isTurning else {
            deadline = nil
            return
        }
        self.sample = sample
        // A driver may claim any rate.
        repetitions = Int(min(Self.duration / samplePeriod, Self.duration * 1000))
        // A sample that is merely late must come before its repetition.
        deadline = time + 1.5 * samplePeriod
    }

    /// Returns the sample to repeat at `time`, and sets the next deadline.
    mutating func next(at time: Double) -> AccelerometerSample? {
        deadline = nil
        guard let samplePeriod, repetitions > 0 else { return nil }
        repetitions -= 1
        sample.time += samplePeriod
        if repetitions > 0 { deadline = time + samplePeriod }
        return sample
    }
}
