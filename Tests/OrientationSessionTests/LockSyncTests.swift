// SPDX-License-Identifier: Apache-2.0

import SplitMix
import Testing

@testable import OrientationSession

@Suite struct LockSyncTests {
    /// A synchronisation that has begun with these readings, and what it writes first.
    private func begun(
        desktop: LockSync.Reading,
        isLocked: Bool
    ) -> (sync: LockSync, first: LockSync.Command?) {
        var sync = LockSync()
        #expect(sync.handle(.session(isActive: true), at: 0) == nil)
        #expect(sync.handle(.reads(.service, .locked(isLocked)), at: 0) == nil)
        let first = sync.handle(.reads(.desktop, desktop), at: 0)
        return (sync, first)
    }

    @Test(
        arguments: [
            (.locked(true), false, .write(.service, isLocked: true)),
            (.locked(false), true, .write(.service, isLocked: false)),
            (.locked(true), true, nil),
            (.unset(isLocked: false), true, .write(.desktop, isLocked: true)),
            (.unset(isLocked: false), false, nil),
            (.unset(isLocked: true), true, nil),
            (.unset(isLocked: true), false, .write(.desktop, isLocked: false)),
        ] as [(LockSync.Reading, Bool, LockSync.Command?)]
    )
    func `at the start the desktop's switch counts if it was ever written`(
        desktop: LockSync.Reading,
        isLocked: Bool,
        first: LockSync.Command?
    ) {
        #expect(begun(desktop: desktop, isLocked: isLocked).first == first)
    }

    @Test func `each side follows a change of the other`() {
        var (sync, _) = begun(desktop: .locked(false), isLocked: false)
        #expect(sync.handle(.reads(.desktop, .locked(true)), at: 1) == .write(.service, isLocked: true))
        #expect(sync.handle(.reads(.service, .locked(true)), at: 1) == nil)
        #expect(sync.handle(.written, at: 1) == nil)
        #expect(sync.handle(.reads(.service, .locked(false)), at: 2) == .write(.desktop, isLocked: false))
        #expect(sync.handle(.written, at: 2) == nil)
        #expect(sync.handle(.reads(.desktop, .locked(false)), at: 2) == nil)
    }

    @Test func `changes during a write are one write after it, or none`() {
        var (sync, _) = begun(desktop: .locked(false), isLocked: false)
        #expect(sync.handle(.reads(.desktop, .locked(true)), at: 1) == .write(.service, isLocked: true))
        for value in [false, true, false] { #expect(sync.handle(.reads(.desktop, .locked(value)), at: 1) == nil) }
        #expect(sync.handle(.written, at: 1) == .write(.service, isLocked: false))
        #expect(sync.handle(.reads(.desktop, .locked(true)), at: 1) == nil)
        #expect(sync.handle(.reads(.desktop, .locked(false)), at: 1) == nil)
        #expect(sync.handle(.written, at: 1) == nil)
    }

    // The end of a write was taken for the last word: the lock stayed on, and the switch was set back.
    @Test func `a change of what is being written is followed when the write ends`() {
        var (sync, _) = begun(desktop: .locked(false), isLocked: false)
        #expect(sync.handle(.reads(.service, .locked(true)), at: 1) == .write(.desktop, isLocked: true))
        for value in [true, false] { #expect(sync.handle(.reads(.desktop, .locked(value)), at: 1) == nil) }
        #expect(sync.handle(.written, at: 1) == .write(.service, isLocked: false))
        #expect(sync.handle(.reads(.service, .locked(false)), at: 1) == nil)
        #expect(sync.handle(.written, at: 1) == nil)
    }

    @Test func `a switch that was reset gets the lock`() {
        var (sync, _) = begun(desktop: .locked(true), isLocked: true)
        #expect(sync.handle(.reads(.desktop, .unset(isLocked: false)), at: 1) == .write(.desktop, isLocked: true))
    }

    @Test func `nothing is written without orientd, and afterwards the switch counts`() {
        var (sync, _) = begun(desktop: .locked(true), isLocked: true)
        #expect(sync.handle(.reads(.service, .unknown), at: 1) == nil)
        #expect(sync.handle(.reads(.desktop, .locked(false)), at: 2) == nil)
        #expect(sync.handle(.reads(.service, .locked(true)), at: 3) == .write(.service, isLocked: false))
    }

    @Test func `nothing is written while another session is in use, and afterwards the switch counts`() {
        var (sync, _) = begun(desktop: .locked(true), isLocked: true)
        #expect(sync.handle(.session(isActive: false), at: 1) == nil)
        #expect(sync.handle(.reads(.service, .locked(false)), at: 2) == nil)
        #expect(sync.handle(.session(isActive: true), at: 3) == .write(.service, isLocked: true))
    }

    @Test func `a write that orientd's end has refused is no reason to write the switch`() {
        var (sync, _) = begun(desktop: .locked(false), isLocked: false)
        #expect(sync.handle(.reads(.desktop, .locked(true)), at: 1) == .write(.service, isLocked: true))
        #expect(sync.handle(.reads(.service, .unknown), at: 1) == nil)
        #expect(sync.handle(.refused, at: 1) == nil)
        #expect(sync.handle(.reads(.service, .locked(false)), at: 2) == .write(.service, isLocked: true))
    }

    @Test func `a refused write is tried again at the next change, and the other way works`() {
        var (sync, _) = begun(desktop: .locked(false), isLocked: false)
        #expect(sync.handle(.reads(.desktop, .locked(true)), at: 1) == .write(.service, isLocked: true))
        #expect(sync.handle(.refused, at: 1) == nil)
        #expect(sync.handle(.written, at: 1) == nil)
        #expect(sync.handle(.reads(.service, .locked(true)), at: 2) == nil)
        #expect(sync.handle(.reads(.service, .locked(false)), at: 3) == .write(.desktop, isLocked: false))
        #expect(sync.handle(.written, at: 3) == nil)
        #expect(sync.handle(.reads(.desktop, .locked(true)), at: 4) == .write(.service, isLocked: true))
    }

    /// Somebody else holds the switch off, and somebody else orientd's lock on.
    @Test func `five changes that are undone within ten seconds make it wait for rest`() {
        var (sync, _) = begun(desktop: .locked(false), isLocked: false)
        var command = sync.handle(.reads(.service, .locked(true)), at: 1)
        var flips = 0
        while case .write(let side, let isLocked)? = command, flips < 100 {
            #expect(sync.handle(.written, at: 1) == nil)
            flips += 1
            command = sync.handle(.reads(side, .locked(!isLocked)), at: 1 + Double(flips) * 1.9)
        }
        #expect(command == .wait)
        #expect(flips == 5)
        #expect(sync.handle(.reads(.service, .locked(false)), at: 12) == .wait)
        #expect(sync.handle(.reads(.service, .locked(true)), at: 13) == .wait)
        #expect(sync.handle(.waited, at: 23) == .write(.desktop, isLocked: true))
        #expect(sync.handle(.written, at: 23) == nil)
        #expect(sync.handle(.waited, at: 24) == nil)
    }

    // Whatever was written, somebody set the other side to the opposite: nobody set anything back, and it never ended.
    @Test func `a program that keeps the lock the opposite of the switch is left alone after twenty changes`() {
        var (sync, _) = begun(desktop: .locked(false), isLocked: false)
        var (command, writes) = (sync.handle(.reads(.service, .locked(true)), at: 1), 0)
        while case .write(let side, let isLocked)? = command, writes < 200 {
            writes += 1
            #expect(side == .desktop && sync.handle(.written, at: 1) == nil)
            command = sync.handle(.reads(.service, .locked(!isLocked)), at: 1 + Double(writes) / 3)
        }
        #expect(command == .wait && writes == 19)
    }

    @Test func `somebody who changes one side nineteen times in ten seconds is followed`() {
        var (sync, _) = begun(desktop: .locked(false), isLocked: false)
        for step in 1...19 {
            let isLocked = step % 2 == 1
            let time = Double(step) / 100
            #expect(sync.handle(.reads(.desktop, .locked(isLocked)), at: time) == .write(.service, isLocked: isLocked))
            // orientd announces the change before its reply.
            #expect(sync.handle(.reads(.service, .locked(isLocked)), at: time) == nil)
            #expect(sync.handle(.written, at: time) == nil)
        }
    }

    // GNOME turned nothing for align, rotate and run while its switch was locked with orientd.
    @Test func `a turn under the lock resets the switch for three seconds`() {
        var (sync, _) = begun(desktop: .locked(true), isLocked: true)
        #expect(sync.handle(.turned(.locked(true)), at: 1) == .reset)
        #expect(sync.handle(.reads(.desktop, .unset(isLocked: false)), at: 1) == nil)
        #expect(sync.handle(.written, at: 1) == .letTurn)
        #expect(sync.handle(.reads(.service, .locked(true)), at: 2) == nil)
        #expect(sync.handle(.turned(.locked(true)), at: 2) == .letTurn)
        #expect(sync.handle(.waited, at: 5) == .write(.desktop, isLocked: true))
        #expect(sync.handle(.written, at: 5) == nil)
    }

    @Test func `a backend that cannot tell a reset from an unlock keeps the lock`() {
        for isEarly in [true, false] {
            var (sync, _) = begun(desktop: .locked(true), isLocked: true)
            #expect(sync.handle(.turned(.locked(true)), at: 1) == .reset)
            if isEarly { #expect(sync.handle(.reads(.desktop, .locked(false)), at: 1) == nil) }
            #expect(sync.handle(.written, at: 1) == .letTurn)
            if !isEarly { #expect(sync.handle(.reads(.desktop, .locked(false)), at: 1) == nil) }
            #expect(sync.handle(.waited, at: 4) == .write(.desktop, isLocked: true))
        }
    }

    @Test func `a lock that turns locks the switch after the turn`() {
        var (sync, _) = begun(desktop: .locked(false), isLocked: false)
        #expect(sync.handle(.turned(.locked(true)), at: 1) == .reset)
        #expect(sync.handle(.written, at: 1) == .letTurn)
        #expect(sync.handle(.waited, at: 4) == .write(.desktop, isLocked: true))
        #expect(sync.handle(.written, at: 4) == nil)
    }

    @Test func `without a lock, or where the default is locked, a turn writes nothing`() {
        var (sync, _) = begun(desktop: .locked(false), isLocked: false)
        #expect(sync.handle(.turned(.locked(false)), at: 1) == nil)
        #expect(sync.handle(.reads(.service, .locked(true)), at: 1) == .write(.desktop, isLocked: true))
        sync = LockSync(followsTurns: false)
        for event in [LockSync.Event.session(isActive: true), .reads(.desktop, .locked(true)), .turned(.locked(true))] {
            #expect(sync.handle(event, at: 1) == nil)
        }
        #expect(sync.handle(.turned(.locked(true)), at: 2) == nil)
    }

    @Test func `during a turn, both sides can be changed`() {
        for side in [LockSync.Side.desktop, .service] {
            var (sync, _) = begun(desktop: .locked(true), isLocked: true)
            #expect(sync.handle(.turned(.locked(true)), at: 1) == .reset)
            #expect(sync.handle(.written, at: 1) == .letTurn)
            #expect(sync.handle(.reads(side, .locked(side == .desktop)), at: 2) == nil)
            #expect(sync.handle(.waited, at: 5) == nil)
        }
    }

    @Test func `a lock survives that another session comes into use during a turn`() {
        var (sync, _) = begun(desktop: .locked(true), isLocked: true)
        #expect(sync.handle(.turned(.locked(true)), at: 1) == .reset)
        #expect(sync.handle(.written, at: 1) == .letTurn)
        #expect(sync.handle(.session(isActive: false), at: 2) == nil)
        #expect(sync.handle(.waited, at: 4) == nil)
        #expect(sync.handle(.session(isActive: true), at: 9) == .write(.desktop, isLocked: true))
    }

    // The next session's switch was overwritten.
    @Test func `a turn while another session is in use is none of this one's`() {
        var (sync, _) = begun(desktop: .locked(false), isLocked: false)
        #expect(sync.handle(.session(isActive: false), at: 1) == nil)
        #expect(sync.handle(.reads(.service, .locked(true)), at: 2) == nil)
        #expect(sync.handle(.turned(.locked(true)), at: 3) == nil)
        #expect(sync.handle(.session(isActive: true), at: 4) == .write(.service, isLocked: false))
    }

    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func `whatever happens in whatever order, both sides end equal without an echo`(seed: UInt64) throws {
        var world = World(seed: seed, hasCommand: seed % 3 == 0)
        for _ in 1...400 { try world.step() }
        try world.comeToRest()
    }
}

/// Both sides, with others who change them, and all that is on its way.
private struct World {
    private enum Signal {
        /// The key is read anew.
        case notify
        case changed(LockSync.Reading)
        case turned(LockSync.Reading)
        case reply
    }

    private var random: SplitMix
    private var sync = LockSync()
    private var time = 0.0
    private var desktop = LockSync.Reading.unset(isLocked: false)
    private var isLocked = false, isServing = true
    private var isActive = false
    private var refuses = false
    /// In order for each side.
    private var signals: [LockSync.Side: [Signal]] = [:]
    /// Resets the switch if it is to be neither locked nor unlocked.
    private var write: (side: LockSync.Side, isLocked: Bool?, isCarriedOut: Bool)?
    private var isWaiting = false
    private var reasons = 0, writes = 0
    /// The switch is written by a command, which ends at any time, and each change is reported with its value.
    private let hasCommand: Bool
    private let place: Comment

    init(seed: UInt64, hasCommand: Bool) {
        (random, self.hasCommand) = (SplitMix(state: seed), hasCommand)
        place = "seed \(seed)"
        signals = [.desktop: [.notify], .service: [.changed(.locked(false))]]
    }

    private var service: LockSync.Reading { isServing ? .locked(isLocked) : .unknown }

    mutating func step() throws {
        time += Double.random(in: 0...3, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: change(.desktop, to: Bool.random(using: &random))
        case 1: if isServing { change(.service, to: Bool.random(using: &random)) }
        case 2:
            guard !hasCommand, Int.random(in: 0..<8, using: &random) == 0 else { return }
            (desktop, reasons) = (.unset(isLocked: false), reasons + 1)
            signals[.desktop]?.append(.notify)
        case 3:
            guard Int.random(in: 0..<8, using: &random) == 0 else { return }
            isActive.toggle()
            reasons += 1
            try handle(.session(isActive: isActive))
        case 4:
            guard Int.random(in: 0..<8, using: &random) == 0 else { return }
            isServing.toggle()
            reasons += 1
            if !isServing, write?.side == .service {
                // The daemon's end comes before the error of the call.
                signals[.service] = []
                try handle(.reads(.service, .unknown))
                write = nil
                try handle(.refused)
            } else {
                let reading = service
                signals[.service]?.append(.changed(reading))
            }
        case 5: if isWaiting { try rest() }
        case 6: refuses = Int.random(in: 0..<8, using: &random) == 0
        case 7, 8: try carryOut()
        case 9:
            guard isServing else { return }
            reasons += 2
            let reading = service
            signals[.service]?.append(.turned(reading))
        default: try deliver(Bool.random(using: &random) ? .desktop : .service)
        }
    }

    /// Ends all that is on its way; then both sides are equal, and nothing more is written.
    mutating func comeToRest() throws {
        if !isServing { signals[.service]?.append(.changed(.locked(isLocked))) }
        (isServing, refuses) = (true, false)
        reasons += 2
        let wasActive = isActive
        isActive = true
        if !wasActive { try handle(.session(isActive: true)) }
        try settle()
        // What was refused is tried again after a change.
        let other = desktop != .locked(true)
        change(.desktop, to: other)
        try settle()
        try #require(desktop == .locked(other) && isLocked == other, place)
        try #require(writes <= reasons, place)
        signals = [.desktop: [.notify], .service: [.changed(service)]]
        let before = writes
        try settle()
        try #require(writes == before, place)
    }

    private mutating func settle() throws {
        for _ in 0..<2000 where !signals.values.allSatisfy({ $0.isEmpty }) || write != nil || isWaiting {
            try carryOut()
            try deliver(Bool.random(using: &random) ? .desktop : .service)
            if isWaiting { try rest() }
        }
    }

    private mutating func change(_ side: LockSync.Side, to value: Bool) {
        reasons += 1
        set(side, to: value)
    }

    private mutating func set(_ side: LockSync.Side, to value: Bool) {
        if side == .desktop {
            let signal = hasCommand ? Signal.changed(.locked(value)) : .notify
            if desktop != .locked(value) { signals[side]?.append(signal) }
            desktop = .locked(value)
        } else {
            if isLocked != value { signals[side]?.append(.changed(.locked(value))) }
            isLocked = value
        }
    }

    /// Lets the other process carry out a write.
    private mutating func carryOut() throws {
        guard let current = write else { return }
        let isCommand = hasCommand && current.side == .desktop
        guard !current.isCarriedOut else {
            if isCommand { try endWrite() }
            return
        }
        if refuses {
            write = nil
            return try handle(.refused)
        }
        write?.isCarriedOut = true
        if let isLocked = current.isLocked {
            set(current.side, to: isLocked)
        } else if desktop != .unset(isLocked: false) {
            desktop = .unset(isLocked: false)
            let signal = hasCommand ? Signal.changed(.locked(false)) : .notify
            signals[.desktop]?.append(signal)
        }
        if isCommand { return }
        // dconf's reply comes before its signal, orientd's after it.
        let count = signals[current.side]?.count ?? 0
        let isSignalLast = current.side == .desktop && count > 0 && Bool.random(using: &random)
        signals[current.side]?.insert(.reply, at: isSignalLast ? count - 1 : count)
    }

    private mutating func deliver(_ side: LockSync.Side) throws {
        guard let signal = signals[side]?.first else { return }
        signals[side]?.removeFirst()
        switch signal {
        case .notify: try handle(.reads(.desktop, desktop))
        case .changed(let reading): try handle(.reads(side, reading))
        case .turned(let reading): try handle(.turned(reading))
        case .reply:
            guard write != nil else { return }
            if side == .desktop { try handle(.reads(.desktop, desktop)) }
            try endWrite()
        }
    }

    private mutating func endWrite() throws {
        write = nil
        try handle(.written)
    }

    private mutating func rest() throws {
        time += LockSync.window
        isWaiting = false
        try handle(.waited)
    }

    private mutating func handle(_ event: LockSync.Event) throws {
        switch sync.handle(event, at: time) {
        case .write(let side, let isLocked):
            try #require(write == nil && isActive, place)
            (write, writes) = ((side, isLocked, false), writes + 1)
        case .reset:
            try #require(write == nil && isActive, place)
            (write, writes) = ((.desktop, nil, false), writes + 1)
        case .wait, .letTurn: isWaiting = true
        case nil: break
        }
    }
}
