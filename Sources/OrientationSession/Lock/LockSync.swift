// SPDX-License-Identifier: Apache-2.0

/// Decides how the rotation switch of a desktop and the lock of orientd stay the same.
///
/// The events say what each side reads; the command is the next write. docs/semantics.md has the rules.
struct LockSync {
    enum Side { case desktop, service }

    /// What a side reads: whether it is locked.
    enum Reading: Hashable {
        case unknown
        /// Nobody has ever set it; what it counts as until then.
        case unset(isLocked: Bool)
        case locked(Bool)

        /// Whether nothing has to be written for that.
        func serves(isLocked: Bool) -> Bool { self == .locked(isLocked) || self == .unset(isLocked: isLocked) }
    }

    enum Event {
        case reads(Side, Reading)
        /// The service reads that, and has turned the interface since it was read last.
        case turned(Reading)
        /// Whether the session is the one in use.
        case session(isActive: Bool)
        /// The write under way has succeeded, or was refused.
        case written
        case refused
        /// The time to wait has passed.
        case waited
    }

    enum Command: Equatable {
        case write(Side, isLocked: Bool)
        /// Reset the desktop's switch to its default, which is unlocked.
        case reset
        /// Programs seem to fight: wait for ``window`` seconds, anew if a wait was under way.
        case wait
        /// The desktop turns the display: wait for ``turnTime`` seconds, anew if a wait was under way.
        case letTurn
    }

    private enum State {
        /// One side is unknown, or the session is not in use: nothing is written.
        case apart
        /// Both sides are to be locked, or not.
        case together(isLocked: Bool)
        /// A side has refused: nothing is written until something changes.
        case differing
        /// As ``together``, but after the time to wait.
        case waiting(isLocked: Bool)
    }

    /// So many writes that are set back within this number of seconds are too many, or so many changes in all.
    static let most = (setBack: 5, all: 20), window = 10.0

    /// Seconds for which the switch is reset when the interface turns under the lock.
    ///
    /// A desktop turns nothing while its switch is locked; in this time it reads the sensor and turns the display. A
    /// switch that was reset says nothing: the lock survives if the agent ends meanwhile.
    static let turnTime = 3.0

    private enum Turn { case due, running }

    private var state = State.apart
    private var readings: [Side: Reading] = [:]
    private var isActive = false
    /// The write that was commanded and has not ended, and what its side has read since; there is one at most.
    private var pending: (side: Side, written: Reading, reading: Reading?)?
    /// The turn under the lock that the desktop is to follow.
    private var turn: Turn?
    /// Whether the switch can be reset for a turn; not where its default is locked.
    private let followsTurns: Bool
    /// The last write; nil after somebody has set it back.
    private var last: (side: Side, written: Reading)?
    /// When others made changes, the newest last; four times for one that set back a write.
    private var changes: [Double] = []

    init(followsTurns: Bool = true) { self.followsTurns = followsTurns }

    /// `time` is that of a monotonic clock, in seconds.
    mutating func handle(_ event: Event, at time: Double) -> Command? {
        var changed: Side?
        switch event {
        case .reads(let side, let reading):
            if pending?.side == side {
                pending?.reading = reading
                return nil
            }
            if take(reading, of: side) { changed = side }
        case .turned(let reading):
            if followsTurns, reading == .locked(true), case .together = state { turn = .due }
            return handle(.reads(.service, reading), at: time)
        case .session(let isActive): self.isActive = isActive
        case .written:
            if let pending {
                readings[pending.side] = pending.written
                last = (pending.side, pending.written)
            }
            changed = endWrite()
        case .refused:
            if case .together = state { state = .differing }
            changed = endWrite()
        case .waited:
            if case .waiting(let isLocked) = state { state = .together(isLocked: isLocked) }
            if turn == .running { turn = nil }
        }
        guard isActive, let desktop = readings[.desktop], desktop != .unknown,
            case .locked(let serviceIsLocked)? = readings[.service]
        else {
            state = .apart
            return nil
        }
        if changed == .desktop || !serviceIsLocked { turn = nil }
        // A switch that was never set, or was reset, says nothing.
        let desktopIsLocked = if case .locked(let isLocked) = desktop { isLocked } else { serviceIsLocked }
        if case .apart = state {
            state = .together(isLocked: desktopIsLocked)
        } else if let changed {
            return follow(changed, isLocked: changed == .desktop ? desktopIsLocked : serviceIsLocked, at: time)
        }
        return nextWrite()
    }

    /// Returns the side that was written if somebody else has changed it meanwhile.
    private mutating func endWrite() -> Side? {
        defer { pending = nil }
        guard let pending, let reading = pending.reading, take(reading, of: pending.side) else { return nil }
        return pending.side
    }

    /// Notes what a side reads; returns whether somebody else has changed it.
    private mutating func take(_ reading: Reading, of side: Side) -> Bool {
        // Not every backend tells a switch that was reset from one that was unlocked.
        if side == .desktop, turn != nil, readings[side] == .unset(isLocked: false), reading == .locked(false) {
            return false
        }
        return readings.updateValue(reading, forKey: side) != reading
    }

    /// Follows a change that somebody else made.
    private mutating func follow(_ side: Side, isLocked: Bool, at time: Double) -> Command? {
        var weight = 1
        if let last, last.side == side, readings[side] != last.written {
            self.last = nil
            weight = Self.most.all / Self.most.setBack
        }
        changes = (changes + Array(repeating: time, count: weight)).suffix(Self.most.all)
        var mustWait = changes.count == Self.most.all && time - changes[0] < Self.window
        if case .waiting = state { mustWait = true }
        state = mustWait ? .waiting(isLocked: isLocked) : .together(isLocked: isLocked)
        return mustWait ? .wait : nextWrite()
    }

    /// Begins the write that makes both sides what they are to be, or a turn; nil if nothing is needed or possible.
    private mutating func nextWrite() -> Command? {
        guard pending == nil, case .together(let isLocked) = state else { return nil }
        if readings[.service]?.serves(isLocked: isLocked) != true {
            pending = (.service, .locked(isLocked), nil)
            return .write(.service, isLocked: isLocked)
        }
        if let turn {
            if readings[.desktop] != .unset(isLocked: false) {
                pending = (.desktop, .unset(isLocked: false), nil)
                return .reset
            }
            self.turn = .running
            return turn == .due ? .letTurn : nil
        }
        guard readings[.desktop]?.serves(isLocked: isLocked) != true else { return nil }
        pending = (.desktop, .locked(isLocked), nil)
        return .write(.desktop, isLocked: isLocked)
    }
}
