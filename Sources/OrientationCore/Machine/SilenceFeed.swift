// SPDX-License-Identifier: Apache-2.0

/// Repeats the last sample of a sensor that reports changes only, when it falls silent: the sample still holds.
///
/// In the middle of a turn the classifier needs it more than once to believe it. Outside a turn one repetition settles
/// the filtered gravity on it. Otherwise there is no deadline, so nothing wakes up.
struct SilenceFeed: Sendable {
    /// Seconds for which a sample in the middle of a turn is repeated.
    private static let duration = 0.5

    /// The sample periods after which a sample in the middle of a turn is repeated: a late one comes before.
    ///
    /// The first one after a silence is repeated sooner: the sensor has not begun to stream again.
    private static let repetitionDelay = (first: 1.1, later: 1.5)

    /// Seconds without a sample, outside a turn, after which the sensor counts as silent.
    private static let silence = 2.0

    /// When the next repetition is due; nil for none.
    private(set) var deadline: Double?

    /// Nil for a sensor that never falls silent.
    private var samplePeriod: Double?
    private var sample = AccelerometerSample(time: 0, acceleration: .zero)
    private var noted = 0.0
    private var isTurning = false
    private var repetitions = 0

    /// Prepares for samples that come every `samplePeriod` seconds; nil for a sensor that never falls silent.
    mutating func begin(samplePeriod: Double?) {
        self.samplePeriod = samplePeriod
        isTurning = false
        deadline = nil
    }

    /// Notes a sample that was classified at `time`, and whether it left a turn undecided.
    ///
    /// With `isAwaited`, silence matters outside a turn too.
    mutating func note(_ sample: AccelerometerSample, isTurning: Bool, isAwaited: Bool, at time: Double) {
        guard let samplePeriod else { return }
        let wasTurning = self.isTurning
        let delay = time - noted >= Self.silence ? Self.repetitionDelay.first : Self.repetitionDelay.later
        self.sample = sample
        noted = time
        self.isTurning = isTurning
        if isTurning {
            // A driver may claim any rate.
            repetitions = Int(min(Self.duration / samplePeriod, Self.duration * 1000))
            deadline = time + delay * samplePeriod
        } else if !isAwaited {
            deadline = nil
        } else if deadline == nil || wasTurning {
            // Later samples do not push it, as arming a timer is a system call.
            deadline = time + Self.silence
        }
    }

    /// Returns the sample to repeat at `time`, nil if another one came meanwhile, and sets the next deadline.
    mutating func next(at time: Double) -> AccelerometerSample? {
        deadline = nil
        guard let samplePeriod else { return nil }
        guard isTurning else {
            // The clock's resolution is a microsecond.
            guard time - noted < Self.silence - 1e-6 else {
                sample.time += time - noted
                return sample
            }
            deadline = noted + Self.silence
            return nil
        }
        guard repetitions > 0 else { return nil }
        repetitions -= 1
        sample.time += samplePeriod
        if repetitions > 0 { deadline = time + samplePeriod }
        return sample
    }
}
