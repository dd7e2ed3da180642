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
        /// Nobody has ever set it.
        case unset
        case locked(Bool)
    }

    enum Event {
        case reads(Side, Reading)
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
        /// Too many changes were undone: wait for ``LockSync/window`` seconds, again from now if that was under way.
        case wait
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

    /// So many undone changes within this number of seconds are too many.
    static let most = 5, window = 10.0

    private var state = State.apart
    private var desktop = Reading.unknown, service = Reading.unknown
    private var isActive = false
    /// The write that was commanded and has not ended; there is one at most.
    private var pending: (side: Side, isLocked: Bool)?
    /// The last write; nil after somebody has undone it.
    private var last: (side: Side, isLocked: Bool)?
    /// When somebody undid a write, the newest last.
    private var undone: [Double] = []

    /// `time` is that of a monotonic clock, in seconds.
    mutating func handle(_ event: Event, at time: Double) -> Command? {
        var change: (side: Side, reading: Reading)?
        switch event {
        case .reads(let side, let reading):
            if store(reading, of: side) { change = (side, reading) }
        case .session(let isActive): self.isActive = isActive
        case .written:
            if let pending { _ = store(.locked(pending.isLocked), of: pending.side) }
            (last, pending) = (pending, nil)
        case .refused:
            pending = nil
            if case .together = state { state = .differing }
        case .waited:
            if case .waiting(let isLocked) = state { state = .together(isLocked: isLocked) }
        }
        guard isActive, desktop != .unknown, case .locked(let serviceIsLocked) = service else {
            state = .apart
            return nil
        }
        // A key that was never written, or was reset, says nothing.
        let desktopIsLocked = if case .locked(let isLocked) = desktop { isLocked } else { serviceIsLocked }
        if case .apart = state {
            state = .together(isLocked: desktopIsLocked)
        } else if let change, change.side != pending?.side {
            if let last, last.side == change.side, change.reading != .locked(last.isLocked) {
                self.last = nil
                undone = undone.suffix(Self.most - 1) + [time]
            }
            return follow(change.side == .desktop ? desktopIsLocked : serviceIsLocked, at: time)
        }
        return nextWrite()
    }

    /// Stores what a side reads; returns whether that is new.
    private mutating func store(_ reading: Reading, of side: Side) -> Bool {
        switch side {
        case .desktop:
            defer { desktop = reading }
            return desktop != reading
        case .service:
            defer { service = reading }
            return service != reading
        }
    }

    /// Follows a change that somebody else made.
    private mutating func follow(_ isLocked: Bool, at time: Double) -> Command? {
        var mustWait = undone.count == Self.most && time - undone[0] < Self.window
        if case .waiting = state { mustWait = true }
        state = mustWait ? .waiting(isLocked: isLocked) : .together(isLocked: isLocked)
        return mustWait ? .wait : nextWrite()
    }

    /// Begins the write that makes both sides what they are to be; nil if none is needed or possible.
    private mutating func nextWrite() -> Command? {
        guard pending == nil, case .together(let isLocked) = state else { return nil }
        let side: Side
        if service != .locked(isLocked) {
            side = .service
        } else if desktop != .locked(isLocked) {
            side = .desktop
        } else {
            return nil
        }
        pending = (side, isLocked)
        return .write(side, isLocked: isLocked)
    }
}
