// SPDX-License-Identifier: Apache-2.0

/// Decides how the rotation switch of a desktop and the lock of orientd stay the same.
///
/// The events say what each side reads; the command is the next write. docs/semantics.md has the rules.
struct LockSync {
    enum Side { case desktop, service }

    /// What a side reads: whether it is locked.
    enum Reading: Hashable {
        /// It cannot be read.
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
        /// Programs seem to fight: wait for ``window`` seconds, anew if that was under way.
        case wait
        /// The desktop turns the display: wait for ``turn`` seconds, likewise.
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

    /// Seconds for a desktop whose switch was unlocked to read the sensor and turn the display.
    static let turn = 3.0

    private var state = State.apart
    private var readings: [Side: Reading] = [:]
    private var isActive = false
    /// The write that was commanded and has not ended, and what its side has read since; there is one at most.
    private var pending: (side: Side, isLocked: Bool, reading: Reading?)?
    /// The last write; nil after somebody has set it back.
    private var last: (side: Side, isLocked: Bool)?
    /// When others made changes, the newest last; four times for one that set back a write.
    private var changes: [Double] = []
    /// A desktop does not turn the display while its switch is locked: the switch stays unlocked until then.
    private var turnEnd: Double?

    /// `time` is that of a monotonic clock, in seconds.
    mutating func handle(_ event: Event, at time: Double) -> Command? {
        var changed: Side?
        switch event {
        case .reads(let side, let reading):
            if pending?.side == side {
                pending?.reading = reading
                return nil
            }
            if readings.updateValue(reading, forKey: side) != reading { changed = side }
        case .turned(let reading):
            if reading == .locked(true) { turnEnd = time + Self.turn }
            return handle(.reads(.service, reading), at: time)
        case .session(let isActive): self.isActive = isActive
        case .written:
            if let pending {
                readings[pending.side] = .locked(pending.isLocked)
                last = (pending.side, pending.isLocked)
            }
            changed = endWrite()
        case .refused:
            if case .together = state { state = .differing }
            changed = endWrite()
        case .waited: if case .waiting(let isLocked) = state { state = .together(isLocked: isLocked) }
        }
        guard isActive, let desktop = readings[.desktop], desktop != .unknown,
            case .locked(let serviceIsLocked)? = readings[.service]
        else {
            state = .apart
            return nil
        }
        if changed == .desktop || !serviceIsLocked { turnEnd = nil }
        // A switch that was never set, was reset, or is unlocked for a turn says nothing.
        let desktopIsLocked =
            if case .locked(let isLocked) = desktop, turnEnd == nil { isLocked } else { serviceIsLocked }
        if case .apart = state {
            state = .together(isLocked: desktopIsLocked)
        } else if let changed {
            return follow(changed, isLocked: changed == .desktop ? desktopIsLocked : serviceIsLocked, at: time)
        }
        return nextWrite(at: time)
    }

    /// Returns the side that was written if somebody else has changed it meanwhile.
    private mutating func endWrite() -> Side? {
        defer { pending = nil }
        guard let pending, let reading = pending.reading,
            readings.updateValue(reading, forKey: pending.side) != reading
        else { return nil }
        return pending.side
    }

    /// Follows a change that somebody else made.
    private mutating func follow(_ side: Side, isLocked: Bool, at time: Double) -> Command? {
        var weight = 1
        if let last, last.side == side, readings[side] != .locked(last.isLocked) {
            self.last = nil
            weight = Self.most.all / Self.most.setBack
        }
        changes = (changes + Array(repeating: time, count: weight)).suffix(Self.most.all)
        var mustWait = changes.count == Self.most.all && time - changes[0] < Self.window
        if case .waiting = state { mustWait = true }
        state = mustWait ? .waiting(isLocked: isLocked) : .together(isLocked: isLocked)
        return mustWait ? .wait : nextWrite(at: time)
    }

    /// Begins the write that makes both sides what they are to be; nil if none is needed or possible.
    private mutating func nextWrite(at time: Double) -> Command? {
        guard pending == nil, case .together(let isLocked) = state else { return nil }
        if let turnEnd, time >= turnEnd { self.turnEnd = nil }
        for (side, isLocked) in [(Side.service, isLocked), (.desktop, isLocked && turnEnd == nil)]
        where readings[side]?.serves(isLocked: isLocked) != true {
            pending = (side, isLocked, nil)
            return .write(side, isLocked: isLocked)
        }
        return turnEnd == nil ? nil : .letTurn
    }
}
