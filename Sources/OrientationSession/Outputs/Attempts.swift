// SPDX-License-Identifier: Apache-2.0

/// What has come of the requests for one goal, and when to try again: with exponential back-off, and sooner if there is
/// a reason.
struct Attempts: Hashable, Sendable {
    /// Seconds from the first failure to the next attempt, and the most between attempts.
    private static let delay = (first: 0.5, longest: 300.0)
    /// Seconds to wait for what is not a failure.
    static let pause = 1.0
    /// How many failures are followed by an attempt as soon as there is a reason.
    private static let momentaryFailures = 3

    private(set) var failures = 0
    private var lastFailure = 0.0
    /// The time of the next attempt; at once while nothing has failed.
    private(set) var next = -Double.infinity

    /// Why the last request had no effect, as a message; nil after one that had.
    var refusal: String?
    /// Whether the last request found a panel that is off, where a change would light it.
    var isOff = false
    /// How often in a row something else was reported than was requested.
    var mismatches = 0

    /// Whether failures are no longer a matter of the moment.
    var isPersistent: Bool { failures > Self.momentaryFailures }

    mutating func fail(at time: Double) {
        lastFailure = time
        next = time + min(Self.delay.first * Double(1 << min(failures, 16)), Self.delay.longest)
        failures += 1
    }

    /// Waits for what is not a failure.
    mutating func wait(from time: Double) { next = time + Self.pause }

    /// Something has happened that may mend it; never leads to more than two attempts a second for long.
    mutating func shorten() { next = min(next, lastFailure + (isPersistent ? Self.delay.first : 0)) }
}
