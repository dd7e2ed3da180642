// SPDX-License-Identifier: Apache-2.0

/// Checks a tablet switch against the angle of the hinge, for a while after each change of the switch.
///
/// Firmware is often wrong about it: a switch that is stuck on `tablet` leaves the keyboard dead.
package struct SwitchCheck: Sendable {
    /// The angles in degrees that contradict a switch: a tablet below, a laptop above.
    private static let limits = (tablet: 120.0, laptop: 240.0)
    /// Seconds of contradiction until it counts.
    private static let patience = 5.0
    /// Seconds for which the angle is measured.
    private static let duration = 10.0

    private enum State {
        case idle
        /// The angle is measured; it contradicts the switch since that time, or agrees.
        case measuring(contradictsSince: Double?, end: Double)
        /// By this angle, until the next check.
        case contradicted(angle: Double)
    }

    private var state = State.idle

    /// The angle that has contradicted the switch for long enough, in degrees.
    var contradiction: Double? { if case .contradicted(let angle) = state { angle } else { nil } }

    var isContradicted: Bool { contradiction != nil }

    /// When to call ``expire(at:angle:)``, on the clock of the events; nil while nothing is checked.
    var deadline: Double? {
        if case .measuring(_, let end) = state { end } else { nil }
    }

    mutating func begin(at time: Double) {
        state = .measuring(contradictsSince: nil, end: time + Self.duration)
    }

    mutating func stop() { state = .idle }

    /// Ends a check.
    ///
    /// A sensor at rest may have given no reading since the first one that contradicts the switch; that one counts unless
    /// the angle is unknown by now.
    mutating func expire(at time: Double, angle: Double?) {
        guard case .measuring(let since, let end) = state, time >= end else { return }
        state = .idle
        guard let angle, let since, time - since >= Self.patience else { return }
        state = .contradicted(angle: angle)
    }

    /// Whether an angle in degrees contradicts what a switch says; never an unknown angle, which is negative.
    package static func disagrees(_ angle: Double, _ mode: TabletMode) -> Bool {
        mode == .tablet && (0..<limits.tablet).contains(angle) || mode == .laptop && angle > limits.laptop
    }

    /// Compares the angle in degrees with what a switch says.
    mutating func compare(_ angle: Double, with mode: TabletMode, at time: Double) {
        let disagrees = Self.disagrees(angle, mode)
        switch state {
        case .idle where disagrees, .measuring(nil, _) where disagrees:
            state = .measuring(contradictsSince: time, end: time + Self.duration)
        case .measuring(_?, _) where !disagrees: begin(at: time)
        case .measuring(let since?, _) where time - since >= Self.patience:
            state = .contradicted(angle: angle)
        case .contradicted where !disagrees: state = .idle
        default: break
        }
    }
}
