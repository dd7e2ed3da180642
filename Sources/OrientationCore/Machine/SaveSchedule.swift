// SPDX-License-Identifier: Apache-2.0

/// Decides when the state that outlives the process is written: lock and mode at once, the shown orientation later.
struct SaveSchedule: Sendable {
    /// Seconds until a change of the interface is saved, so that turning to and fro does not wear out the disk.
    private static let delay = 10.0
    /// The most seconds between two attempts to save a state that could not be saved.
    private static let longestRetryDelay = 3600.0

    private enum Phase {
        /// Nothing is to be written. If the last write fails, it is repeated after so many seconds.
        case idle(retryDelay: Double)
        /// The shown orientation has changed.
        case waiting(until: Double)
        /// The last write has failed; after the next failure it is repeated after so many seconds.
        case failed(until: Double, retryDelay: Double)
    }

    private var phase = Phase.idle(retryDelay: delay)
    /// The state that was written last, or was to be written; nil before the first one.
    private var saved: SavedState?

    /// `saved` is what an earlier run left.
    init(_ saved: SavedState?) { self.saved = saved }

    /// When to call ``write(_:)``; nil while nothing is to be written.
    var deadline: Double? {
        switch phase {
        case .idle: nil
        case .waiting(let until), .failed(let until, _): until
        }
    }

    private var retryDelay: Double {
        switch phase {
        case .idle(let delay), .failed(_, let delay): delay
        case .waiting: Self.delay
        }
    }

    /// Notes the present state; returns it if it is to be written now.
    ///
    /// `isTransition` says that the shown orientation has changed.
    mutating func note(_ state: SavedState, isTransition: Bool, at time: Double) -> SavedState? {
        if state.lock != saved?.lock ?? .off || state.autorotate != saved?.autorotate
            || (state.lock != .off && state.held != saved?.held)
        {
            return write(state)
        }
        // Later turns do not delay it: a device in motion would never be saved.
        if case .idle = phase, isTransition, state.shown != saved?.shown { phase = .waiting(until: time + Self.delay) }
        return nil
    }

    /// Returns the present state if it differs from the one that was written last, or if that write failed.
    mutating func write(_ state: SavedState) -> SavedState? {
        let hasFailed = if case .failed = phase { true } else { false }
        phase = .idle(retryDelay: state == saved ? retryDelay : Self.delay)
        guard hasFailed || state != saved else { return nil }
        saved = state
        return state
    }

    /// The state that ``write(_:)`` returned could not be written.
    mutating func fail(at time: Double) {
        phase = .failed(until: time + retryDelay, retryDelay: min(2 * retryDelay, Self.longestRetryDelay))
    }
}
