// SPDX-License-Identifier: Apache-2.0

/// The time of a trace: seconds since its first sample.
package struct TraceClock {
    private var start: Double?

    package init() {}

    /// The trace's time at `time`, which is 0 the first time this is asked.
    ///
    /// It is in whole microseconds: nothing is known to less, and shorter texts make better traces.
    package mutating func time(at time: Double) -> Double {
        let start = start ?? time
        self.start = start
        return ((time - start) * 1e6).rounded() / 1e6
    }
}
