// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// Makes the outputs what they are to be: compares goal and report after every event, and requests the difference.
///
/// A transform that somebody else sets is the new baseline: it stays until the device turns or a person gives a command,
/// and it is what is restored at the end.
struct PanelRotation: Sendable {
    /// What the panels are to show.
    enum Goal: Hashable, Sendable {
        case unchanged
        case transform(OutputTransform)
        /// What they would show without this agent.
        case baseline
    }

    enum Event: Sendable {
        /// The goal is another, or the same one by an explicit command of a person.
        case goalSet(Goal, isCommand: Bool)
        case outputsReported([Output])
        /// The change that was requested last has ended.
        case changeEnded(OutputResult)
        /// The compositor has read its configuration again, and sets the transform in it before or after this.
        case configurationReloaded
        /// Something has happened that may end refusals, such as a session that is active again.
        case mayBeAccepted
        case timePassed
    }

    /// Who decides what the panels show.
    enum Say: Equatable {
        case device
        /// A person, whose command also counts while a monitor is connected.
        case command
        /// Another program, since a time, until the device turns or a person gives a command.
        case other(since: Double)
    }

    private struct Request {
        /// The outputs when it was made, and as it makes them.
        let before, wanted: [Output]
        let movesOutputs: Bool
        /// When the answer came that it was applied, and whether what it has made was reported before that.
        var appliedAt: Double?
        var isReported = false
        var hasNewerReport = false
    }

    /// After how many mismatches another program has the say.
    private static let mostMismatches = 2
    /// Seconds in which a change that was applied, or a configuration that was read, is reported.
    static let reportTime = 1.0
    /// Seconds after a panel has come on, or an output has come or gone, in which compositors, and programs with profiles
    /// of outputs, set the panel's transform.
    static let resetTime = 3.0

    private let keepsWithMonitor, mayPlaceAutomatically: Bool

    /// What is restored at the end: all outputs as they are without any rotation of ours; empty while unknown.
    private(set) var baseline: [Output]
    private(set) var report: OutputReport
    private(set) var goal: Goal
    private(set) var say = Say.device
    /// The outputs and the baseline from before another program got the say; nil if that is unknown.
    private var replaced: (outputs: [Output], baseline: [Output])?
    private var request: Request?
    /// The outputs as a change makes them that had no effect in time, and may still have it; empty for none.
    private var overdue: [Output] = []
    private(set) var attempts = Attempts()
    private var reloadedAt = -Double.infinity
    /// When a panel may have come on that was off.
    private var litAt = -Double.infinity
    /// When an output has come or gone, or a panel was enabled.
    private var pluggedAt = -Double.infinity
    /// The quarter turns that the compositor adds to what is requested of an output, as niri does for a panel quirk.
    private var addedTurns: [String: Int] = [:]
    /// Whether somebody else has chosen the places, which are not to be changed without a rotation.
    private var acceptsPlaces = false
    /// Whether the neighbours have to be moved as well, as far as is known.
    private var movesNeighbours: Bool
    /// The transforms that the first panel may have from an earlier agent; empty once the outputs are known.
    private var leftover: Set<Transform>

    /// Creates the decision for the outputs with these names, or else the built-in panels.
    ///
    /// `leftover` is what an earlier run has left to restore.
    init(
        outputs names: [String] = [],
        keepsWithMonitor: Bool = false,
        mayPlaceAutomatically: Bool,
        goal: Goal = .unchanged,
        leftover: RestorePoint? = nil
    ) {
        self.keepsWithMonitor = keepsWithMonitor
        self.mayPlaceAutomatically = mayPlaceAutomatically
        self.goal = goal
        report = OutputReport(panels: names)
        baseline = leftover?.outputs ?? []
        self.leftover = leftover?.applied ?? []
        movesNeighbours = leftover?.movesNeighbours ?? !mayPlaceAutomatically
    }

    // MARK: - State

    /// The outputs as they were reported last; empty while unknown.
    var outputs: [Output] { report.outputs }

    /// The outputs that are rotated, the main one first; empty while they are missing or disabled.
    var panels: [Output] { report.panels }

    var isChanging: Bool { request != nil }

    /// Whether nothing is to be done now; what is refused again and again is tried later.
    var isSettled: Bool {
        request == nil && (attempts.isOff || attempts.isPersistent || !mayChange || difference.isEmpty)
    }

    /// What has to be restored; nil while the outputs are as they were.
    var restorePoint: RestorePoint? {
        let isOriginal = !panels.isEmpty && panels.allSatisfy { $0.transform == baseline.named($0.name)?.transform }
        let isWaiting = attempts.isOff && !difference.isEmpty
        guard !baseline.isEmpty, request != nil || isWaiting || !isOriginal else { return nil }
        let states = panels.first.map { [$0, wanted.named($0.name) ?? $0] } ?? []
        let applied = Set(states.map { $0.transform })
        return RestorePoint(outputs: baseline, movesNeighbours: movesNeighbours, applied: applied, panels: report.names)
    }

    var isKeptForMonitor: Bool { keepsWithMonitor && say == .device && report.hasMonitor }

    /// Whether another program has the say.
    var isOverruled: Bool { if case .other = say { true } else { false } }

    private var mayChange: Bool {
        !panels.isEmpty && (goal == .baseline || !isOverruled && !isKeptForMonitor)
    }

    /// Whether a goal that is set now would rotate the panels.
    func wouldRotate(to transform: OutputTransform, isCommand: Bool) -> Bool {
        var next = self
        next.goal = .transform(transform)
        next.say = isCommand ? .command : .device
        return next.mayChange && !next.difference.transforms.isEmpty
    }

    // MARK: - Events

    /// Returns what to request, and when to deliver ``Event/timePassed``, in place of any earlier time; nil for never.
    mutating func handle(_ event: Event, at time: Double) -> (change: OutputChange?, deadline: Double?) {
        switch event {
        case .goalSet(let goal, let isCommand):
            guard isCommand || goal != self.goal || goal == .baseline else { break }
            // What another program has left is no longer kept.
            if isOverruled { acceptsPlaces = false }
            self.goal = goal
            say = isCommand ? .command : .device
            attempts = Attempts()
        case .outputsReported(let outputs):
            let before = self.outputs
            let wasGone = panels.isEmpty && (!before.isEmpty || !baseline.isEmpty && leftover.isEmpty)
            report.update(outputs)
            attempts.shorten()
            let isBack = wasGone && !panels.isEmpty
            let isOtherSet = !before.isEmpty && Set(before.map { $0.name }) != Set(self.outputs.map { $0.name })
            if isBack || attempts.isOff && !panels.isEmpty { litAt = time }
            if isBack || isOtherSet { pluggedAt = time }
            // Whoever lights a panel lights the other outputs next; a change meanwhile would blank them again.
            if time < litAt + Attempts.pause, outputs.contains(where: { !$0.isShown }) { attempts.wait(from: litAt) }
            request?.hasNewerReport = true
            if panels.isEmpty {
                request = nil
            } else if request == nil {
                explain(since: before, orLate: overdue, at: time)
            }
            judge(at: time)
        case .changeEnded(let result): answered(result, at: time)
        case .configurationReloaded:
            reloadedAt = time
            guard case .other(let start) = say else { break }
            say = .device
            // What was shown before the configuration was read is no baseline: its report, which replaces that, follows.
            if time > start + Self.reportTime { attempts.wait(from: time) }
        case .mayBeAccepted: attempts.shorten()
        case .timePassed: judge(at: time)
        }
        let change = nextChange(at: time)
        let isWaiting = request == nil && mayChange && !difference.isEmpty
        let reportEnd = request?.appliedAt.map { $0 + Self.reportTime }
        return (change, isWaiting ? attempts.next : reportEnd)
    }

    private mutating func answered(_ result: OutputResult, at time: Double) {
        guard let request else { return }
        attempts.isOff = result == .off
        guard result != .applied, result != .reported else {
            self.request?.appliedAt = time
            self.request?.isReported = result == .reported
            return judge(at: time)
        }
        fail(result, at: time)
        guard request.hasNewerReport else { return }
        if result != .off { attempts.shorten() }
        explain(since: request.before, orLate: request.wanted, at: time)
    }

    private mutating func fail(_ result: OutputResult, at time: Double) {
        guard let ended = request else { return }
        request = nil
        if result == .off { return attempts.wait(from: time) }
        if ended.movesOutputs { movesNeighbours = !mayPlaceAutomatically }
        attempts.fail(at: time)
        var reason = attempts.isPersistent ? "the outputs changed \(attempts.failures) times meanwhile" : nil
        if case .refused(let words) = result { reason = words }
        guard let reason, let main = panels.first, let wanted = ended.wanted.named(main.name) else { return }
        let isRotated = wanted.transform == main.transform
        attempts.refusal =
            "\(main.name) is not \(isRotated ? "joined to others" : "rotated to \(wanted.transform)"): \(reason)"
    }

    /// Compares the report with what was applied.
    private mutating func judge(at time: Double) {
        guard let request, let appliedAt = request.appliedAt else { return }
        let isLate = time >= appliedAt + Self.reportTime
        if report.isTurned(as: request.wanted) {
            let hasMoved = !request.movesOutputs || report.isAlike(request.wanted)
            guard hasMoved || isLate else { return }
            self.request = nil
            overdue = []
            attempts = Attempts()
            // Outputs may have come or gone meanwhile.
            let isHotplug = request.wanted.shownNames != outputs.shownNames
            if isHotplug { explain(since: request.wanted, at: time) }
            // Places that the compositor does not accept are left to it.
            if hasMoved {
                movesNeighbours = movesNeighbours || !difference.isEmpty
            } else if !isHotplug {
                acceptsPlaces = true
            }
        } else if report.isTurned(as: request.before), !request.isReported {
            guard isLate else { return }
            // What was taken for the compositor's addition may have been somebody else's transform.
            addedTurns = [:]
            overdue = request.wanted
            fail(.refused("it has no effect"), at: time)
        } else {
            // Either the compositor adds to what is requested, or somebody else has set this at the same moment.
            for panel in panels {
                guard let wanted = request.wanted.named(panel.name), wanted.isShown else { continue }
                addedTurns[panel.name, default: 0] += panel.transform.quarterTurns - wanted.transform.quarterTurns
            }
            attempts.mismatches += 1
            if attempts.mismatches > Self.mostMismatches {
                if goal == .baseline { return fail(.refused("another transform is reported"), at: time) }
                say = .other(since: time)
                replaced = nil
            }
            self.request = nil
        }
    }

    /// Explains a report that is not the answer to a request: it may be the late effect of an earlier one.
    private mutating func explain(since before: [Output], orLate wanted: [Output], at time: Double) {
        let isLate = !wanted.isEmpty && !report.isTurned(as: before) && report.isTurned(as: wanted)
        guard isLate else { return explain(since: before, at: time) }
        overdue = []
        guard wanted.shownNames == outputs.shownNames else { return explain(since: wanted, at: time) }
        // Neighbours that the compositor has left are moved, as after an effect in time.
        movesNeighbours = movesNeighbours || !difference.isEmpty
    }

    /// Explains a report that no request has caused: what somebody else has changed is the new baseline.
    private mutating func explain(since before: [Output], at time: Double) {
        guard !report.isAlike(before) || !report.hasSizes(of: before) else { return }
        let isHotplug = before.shownNames != outputs.shownNames
        if isHotplug, !before.isEmpty { movesNeighbours = !mayPlaceAutomatically }
        acceptsPlaces = !isHotplug
        // Somebody has set another transform since the earlier agent ended.
        var isNewBaseline = !leftover.isEmpty && !leftover.contains { $0 == panels.first?.transform }
        var keepsPlaces = isHotplug
        leftover = []
        if !report.isTurned(as: before) {
            if isOverruled, let replaced, report.isTurned(as: replaced.outputs) {
                // A game on X11 puts back what it has found.
                say = .other(since: time)
                baseline = replaced.baseline
                keepsPlaces = true
            } else if time <= pluggedAt + Self.resetTime {
                // Some compositors remember a transform for each set of outputs, and may remember one of ours.
                isNewBaseline = !mayChange || goal == .unchanged || goal == .baseline
            } else {
                isNewBaseline = true
                if goal != .baseline, time > max(reloadedAt + Self.reportTime, litAt + Self.resetTime) {
                    if !isOverruled { replaced = (before, baseline) }
                    say = .other(since: time)
                }
            }
            // Only once: a program that sets its own after each change has the say.
            litAt = -.infinity
            pluggedAt = -.infinity
        }
        if baseline.isEmpty {
            baseline = outputs.filter { $0.isShown }
        } else if isNewBaseline {
            baseline = report.baseline(after: baseline, keepsPlaces: true) { $0.transform }
        } else if !report.isArranged(like: baseline) {
            let old = baseline
            let isResized = report.isAlike(before)
            baseline = report.baseline(after: old, keepsPlaces: keepsPlaces, isResized: isResized) {
                (old.named($0.name) ?? $0).transform
            }
        }
    }

    // MARK: - Changes

    private var wanted: [Output] {
        switch goal {
        case .unchanged: outputs
        case .transform(let transform): report.rotated(to: Transform(transform), from: baseline)
        case .baseline: report.rotated(to: nil, from: baseline)
        }
    }

    /// What makes the outputs what they are to be, whoever has the say.
    var difference: OutputChange {
        let wanted = wanted
        var change = OutputChange()
        guard !report.isAlike(wanted), !report.isTurned(as: wanted) || !acceptsPlaces else { return change }
        for (new, old) in zip(wanted, outputs) where new.isShown {
            if new.transform != old.transform {
                change.transforms[new.name] = new.transform.turned(by: -(addedTurns[new.name] ?? 0))
            }
            if new.position != old.position { change.positions[new.name] = new.position }
        }
        return change
    }

    /// Requests the difference, unless that has to wait.
    private mutating func nextChange(at time: Double) -> OutputChange? {
        guard request == nil, mayChange, time >= attempts.next else { return nil }
        var change = difference
        // The compositor may move neighbours by itself, but knows nothing of panels that belong together.
        if !movesNeighbours, panels.count == 1, !change.transforms.isEmpty { change.positions = [:] }
        guard !change.isEmpty else { return nil }
        change.appliesWhileOff = goal == .baseline
        if !change.transforms.isEmpty { acceptsPlaces = false }
        request = Request(before: outputs, wanted: wanted, movesOutputs: !change.positions.isEmpty)
        return change
    }
}
