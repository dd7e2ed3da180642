// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// Makes the outputs what they are to be: compares goal and report after every event, and requests the difference.
///
/// A transform that somebody else sets is the new baseline: it stays until the device turns or a person gives a command,
/// and it is what is restored at the end.
struct PanelRotation: Sendable {
    /// What the panels are to show.
    enum Goal: Hashable, Sendable {
        /// What they show now.
        case unchanged
        case transform(OutputTransform)
        /// What they would show without this agent.
        case baseline
    }

    enum Event: Sendable {
        /// The goal is another, or the same one by an explicit command of a person.
        case goalSet(Goal, isCommand: Bool)
        /// The state of all outputs was reported.
        case outputsReported([Output])
        /// The change that was requested last has ended.
        case changeEnded(OutputResult)
        /// The compositor has read its configuration again, and sets the transform in it before or after this.
        case configurationReloaded
        /// Something has happened that may end refusals, such as a session that is active again.
        case mayBeAccepted
        /// The time of ``Actions/deadline`` has come.
        case timePassed
    }

    /// What to do after an event.
    struct Actions: Hashable, Sendable {
        var change: OutputChange?
        /// When to deliver ``Event/timePassed``, in place of any earlier time; nil for never.
        var deadline: Double?
    }

    /// Who decides what the panels show.
    private enum Say {
        case device
        /// A person, whose command also counts while a monitor is connected.
        case command
        /// Another program, until the device turns or a person gives a command.
        case other
    }

    private struct Request {
        /// The outputs when it was made, and as it makes them.
        let before, wanted: [Output]
        let movesOutputs: Bool
        /// When the answer came that it was applied; nil while there is none.
        var appliedAt: Double?
        var hasNewerReport = false
    }

    /// How many outputs are considered at most, except for panels; the time grows with the cube of their number.
    static let most = 64
    /// After how many misfits another program has the say.
    private static let mostMisfits = 2
    /// Seconds in which a change that was applied, or a configuration that was read, is reported.
    static let reportTime = 1.0

    private let names: [String]
    private let keepsWithMonitor, mayPlaceAutomatically, reportsBeforeEnd: Bool

    /// What is restored at the end: all outputs as they are without any rotation of ours; empty while unknown.
    private(set) var baseline: [Output]
    /// The outputs as they were reported last; empty while unknown.
    private(set) var outputs: [Output] = []
    /// The last report in which the places were somebody else's choice, and are not to be changed without a rotation.
    private var accepted: [Output] = []
    private var goal: Goal
    private var say = Say.device
    private var request: Request?
    private var backoff = Backoff()
    /// Why the last request had no effect, as a message; nil after one that had.
    private var refusal: String?
    /// Whether the last request found a panel that is off, where a change would light it.
    private var isOff = false
    private var reloadedAt = -Double.infinity
    /// The quarter turns that the compositor adds to what is requested of an output, as niri does for a panel quirk.
    private var frames: [String: Int] = [:]
    /// How often in a row something else was reported than was requested.
    private var misfits = 0
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
        reportsBeforeEnd: Bool = false,
        goal: Goal = .unchanged,
        leftover: RestorePoint? = nil
    ) {
        (self.names, self.keepsWithMonitor, self.goal) = (names, keepsWithMonitor, goal)
        (self.mayPlaceAutomatically, self.reportsBeforeEnd) = (mayPlaceAutomatically, reportsBeforeEnd)
        baseline = leftover?.outputs ?? []
        self.leftover = leftover?.applied ?? []
        movesNeighbours = leftover?.movesNeighbours ?? !mayPlaceAutomatically
    }

    // MARK: - State

    /// The outputs that are rotated, the main one first; empty while they are missing or disabled.
    var panels: [Output] { outputs.panels(named: names) }

    private var panelNames: [String] { panels.map { $0.name } }

    /// Whether a change is under way.
    var isChanging: Bool { request != nil }

    /// Whether nothing is to be done now; what is refused again and again is tried later.
    var isSettled: Bool { request == nil && (isOff || backoff.isPersistent || !mayChange || difference.isEmpty) }

    /// What has to be restored; nil while the outputs are as they were.
    var restorePoint: RestorePoint? {
        let main = panels.first
        let isOriginal = main != nil && panels.allSatisfy { $0.transform == baseline.named($0.name)?.transform }
        guard !baseline.isEmpty, request != nil || isOff && !difference.isEmpty || !isOriginal else { return nil }
        let transforms = [main?.transform, main.flatMap { wanted.named($0.name)?.transform }]
        return RestorePoint(
            outputs: baseline,
            movesNeighbours: movesNeighbours,
            applied: Set(transforms.compactMap { $0 })
        )
    }

    /// What is wrong, as a message; nil if nothing is.
    var problem: String? {
        if panels.isEmpty { return disabled.isEmpty ? missing : nil }
        return refusal
    }

    /// The panels that are disabled, such as below a closed lid, and come back; labwc reports those that are off so.
    private var disabled: [String] {
        outputs.filter { !$0.isShown && (names.isEmpty ? $0.isBuiltIn : names.contains($0.name)) }.map { $0.name }
    }

    /// What is done with the panels, as words that follow "orient-agent".
    var activity: String {
        let list = (panels.isEmpty ? disabled : panelNames).joined(separator: " and ")
        if list.isEmpty { return "finds no output to rotate" }
        if panels.isEmpty { return "rotates \(list) when it is on again" }
        guard case .transform = goal, request == nil, !difference.isEmpty else { return "rotates \(list)" }
        if say == .other { return "leaves \(list) as another program has set it" }
        if isKeptForMonitor { return "keeps \(list) as it is while a monitor is connected" }
        if isOff { return "rotates \(list) when it is on again" }
        return problem.map { "tries again: \($0)" } ?? "rotates \(list)"
    }

    private var isKeptForMonitor: Bool {
        keepsWithMonitor && say == .device && outputs.contains { $0.isShown && !panelNames.contains($0.name) }
    }

    private var mayChange: Bool {
        !panels.isEmpty && (goal == .baseline || say != .other && !isKeptForMonitor)
    }

    /// Whether a goal that is set now would rotate the panels.
    func wouldRotate(to transform: OutputTransform, isCommand: Bool) -> Bool {
        var next = self
        (next.goal, next.say) = (.transform(transform), isCommand ? .command : .device)
        return next.mayChange && !next.difference.transforms.isEmpty
    }

    // MARK: - Events

    mutating func handle(_ event: Event, at time: Double) -> Actions {
        switch event {
        case .goalSet(let goal, let isCommand):
            guard isCommand || goal != self.goal || goal == .baseline else { break }
            // What another program has left is no longer kept.
            if say == .other { accepted = [] }
            (self.goal, say) = (goal, isCommand ? .command : .device)
            (backoff, refusal, isOff, misfits) = (Backoff(), nil, false, 0)
        case .outputsReported(let report):
            let before = outputs
            outputs = report.limited(to: Self.most, with: report.panels(named: names))
            backoff.shorten()
            request?.hasNewerReport = true
            if panels.isEmpty { request = nil } else if request == nil { explain(since: before, at: time) }
            judge(at: time)
        case .changeEnded(let result):
            guard let request else { break }
            isOff = result == .off
            if result == .applied {
                self.request?.appliedAt = time
                judge(at: time)
            } else {
                fail(result, at: time)
                guard request.hasNewerReport else { break }
                if !isOff { backoff.shorten() }
                // An earlier change may have been made late.
                let isLate = !areTurned(as: request.before) && areTurned(as: request.wanted)
                explain(since: isLate ? request.wanted : request.before, at: time)
            }
        case .configurationReloaded:
            reloadedAt = time
            if say == .other { say = .device }
        case .mayBeAccepted: backoff.shorten()
        case .timePassed: judge(at: time)
        }
        let change = nextChange(at: time)
        let isWaiting = request == nil && mayChange && !difference.isEmpty
        return Actions(
            change: change,
            deadline: isWaiting ? backoff.next : request?.appliedAt.map { $0 + Self.reportTime }
        )
    }

    private mutating func fail(_ result: OutputResult, at time: Double) {
        guard let ended = request else { return }
        request = nil
        if result == .off { return backoff.wait(at: time) }
        if ended.movesOutputs { movesNeighbours = !mayPlaceAutomatically }
        backoff.fail(at: time)
        var reason = backoff.isPersistent ? "the outputs changed \(backoff.failures) times meanwhile" : nil
        if case .refused(let words) = result { reason = words }
        guard let reason, let main = panels.first, let wanted = ended.wanted.named(main.name) else { return }
        let isRotated = wanted.transform == main.transform
        refusal = "\(main.name) is not \(isRotated ? "joined to others" : "rotated to \(wanted.transform)"): \(reason)"
    }

    /// Compares the report with what was applied.
    private mutating func judge(at time: Double) {
        guard let request, let appliedAt = request.appliedAt else { return }
        let isLate = time >= appliedAt + Self.reportTime
        if areTurned(as: request.wanted) {
            let hasMoved = !request.movesOutputs || isAlike(request.wanted)
            guard hasMoved || isLate else { return }
            self.request = nil
            (backoff, refusal, misfits) = (Backoff(), nil, 0)
            // Outputs may have come or gone meanwhile.
            if request.wanted.shownNames != outputs.shownNames { explain(since: request.wanted, at: time) }
            // Places that the compositor does not accept are left to it.
            if hasMoved { movesNeighbours = movesNeighbours || !difference.isEmpty } else { accepted = outputs }
        } else if areTurned(as: request.before), !reportsBeforeEnd {
            guard isLate else { return }
            // What was taken for the compositor's addition may have been somebody else's transform.
            frames = [:]
            fail(.refused("it has no effect"), at: time)
        } else {
            // Either the compositor adds to what is requested, or somebody else has set this at the same moment.
            for panel in panels {
                let turns =
                    panel.transform.quarterTurns - (request.wanted.named(panel.name) ?? panel).transform.quarterTurns
                frames[panel.name, default: 0] += turns
            }
            misfits += 1
            if misfits > Self.mostMisfits { say = .other }
            self.request = nil
        }
    }

    /// Explains a report that no request has caused: what somebody else has changed is the new baseline.
    private mutating func explain(since before: [Output], at time: Double) {
        guard !isAlike(before) || !OutputLayout.hasEqualSizes(before, outputs) else { return }
        let old = before.panels(named: names)
        let isHotplug = before.shownNames != outputs.shownNames
        if isHotplug, !before.isEmpty { movesNeighbours = !mayPlaceAutomatically }
        let isForeign = panels.contains { ($0.transform != (old.named($0.name) ?? $0).transform) }
        // Somebody has set another transform since the earlier agent ended.
        let isOutdated = !leftover.isEmpty && !leftover.contains { $0 == panels.first?.transform }
        leftover = []
        accepted = isHotplug ? [] : outputs
        if isForeign, goal != .baseline, time > reloadedAt + Self.reportTime { say = .other }
        if baseline.isEmpty {
            baseline = outputs
        } else if isForeign || isOutdated {
            rebase(keepsPlaces: true) { $0.transform }
        } else if !isAlike(arranged(outputs, like: baseline)) || !OutputLayout.hasEqualSizes(baseline, outputs) {
            let old = baseline
            rebase(keepsPlaces: isHotplug) { (old.named($0.name) ?? $0).transform }
        }
    }

    /// Makes the outputs, with these transforms of the panels, the baseline.
    ///
    /// With `keepsPlaces`, outputs that touch nothing now are placed as they touched others before, or as if they had been
    /// placed beside the panels in another rotation.
    private mutating func rebase(keepsPlaces: Bool, _ transform: (Output) -> Transform) {
        let turned = turned(transform)
        let layouts = [arranged(turned, like: baseline), turned, self.turned { transform($0).turned(by: 1) }]
        baseline = arranged(turned, like: outputs)
        guard keepsPlaces else { return }
        for index in baseline.indices where !panelNames.contains(outputs[index].name) {
            guard !OutputLayout.touches(outputs[index], in: outputs),
                let layout = layouts.first(where: { OutputLayout.touches($0[index], in: $0) })
            else { continue }
            baseline[index].position = arranged(turned, like: layout)[index].position
        }
    }

    // MARK: - Changes

    private func arranged(_ outputs: [Output], like reference: [Output]) -> [Output] {
        OutputLayout.arranged(outputs, like: reference, panels: panelNames)
    }

    /// Whether the panels have the transforms that they have there.
    private func areTurned(as others: [Output]) -> Bool {
        panels.allSatisfy { $0.transform == (others.named($0.name) ?? $0).transform }
    }

    /// Whether the outputs are as those, but for rounding.
    private func isAlike(_ others: [Output]) -> Bool { OutputLayout.isAlike(others, outputs, panels: panelNames) }

    /// The outputs with other transforms of the panels.
    private func turned(_ transform: (Output) -> Transform) -> [Output] {
        let names = panelNames
        return outputs.map { output in
            var output = output
            if names.contains(output.name) { output.transform = transform(output) }
            return output
        }
    }

    /// The outputs as they are to be.
    private var wanted: [Output] {
        guard let main = panels.first, goal != .unchanged else { return outputs }
        let base = { (output: Output) in (baseline.named(output.name) ?? output).transform }
        var (target, turns) = (base(main), 0)
        if case .transform(let transform) = goal {
            target = Transform(transform)
            // Other panels turn as far as the main one, from how they are without a rotation.
            turns = target.quarterTurns - base(main).quarterTurns
        }
        return arranged(turned { $0.name == main.name ? target : base($0).turned(by: turns) }, like: baseline)
    }

    /// What makes the outputs what they are to be, whoever has the say.
    private var difference: OutputChange {
        let wanted = wanted
        var change = OutputChange()
        guard !isAlike(wanted), !areTurned(as: wanted) || !isAlike(accepted) else { return change }
        for (new, old) in zip(wanted, outputs) where new.isShown {
            if new.transform != old.transform {
                change.transforms[new.name] = new.transform.turned(by: -(frames[new.name] ?? 0))
            }
            if new.position != old.position { change.positions[new.name] = new.position }
        }
        return change
    }

    /// Requests the difference, unless that has to wait.
    private mutating func nextChange(at time: Double) -> OutputChange? {
        guard request == nil, mayChange, time >= backoff.next else { return nil }
        var change = difference
        // The compositor may move neighbours by itself, but knows nothing of panels that belong together.
        if !movesNeighbours, panels.count == 1, !change.transforms.isEmpty { change.positions = [:] }
        guard !change.isEmpty else { return nil }
        change.appliesWhileOff = goal == .baseline
        if !change.transforms.isEmpty { accepted = [] }
        request = Request(before: outputs, wanted: wanted, movesOutputs: !change.positions.isEmpty)
        return change
    }

    private var missing: String {
        let shown = outputs.shownNames.joined(separator: ", ")
        let found = shown.isEmpty ? "there are no outputs" : "the outputs are \(shown)"
        guard !names.isEmpty else {
            return "no output is a built-in panel (eDP, LVDS or DSI): \(found); set Output= in agent.conf"
        }
        return "there is no output \(names.joined(separator: ", ")): \(found)"
    }
}
