// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// Decides which changes to request, so that the panel has the wanted transform and its neighbours stay adjacent.
///
/// A transform that somebody else sets is the new baseline: it stays until another one is wanted, and it is what is
/// restored at the end.
struct PanelRotation: Sendable {
    /// What the panel is to show.
    enum Goal: Hashable, Sendable {
        /// What it shows now.
        case unchanged
        case transform(OutputTransform)
        /// What it would show without this agent.
        case baseline
    }

    enum Event: Sendable {
        case goalChanged(Goal)
        /// The state of all outputs was reported.
        case outputsReported([Output])
        /// The change that was requested last has ended.
        case changeEnded(OutputResult)
        /// The compositor has read its configuration again, and sets the transform in it before or after this.
        case configurationReloaded
    }

    /// What to do after an event.
    struct Actions: Hashable, Sendable {
        var change: OutputChange?
        /// A message for the log.
        var warning: String?
    }

    private struct Request {
        var change: OutputChange
        /// The outputs when it was made.
        var outputs: [Output]
        /// How often the compositor answered that it was outdated.
        var failures = 0
    }

    /// The state of the last request.
    private enum Progress {
        /// There is none, or it has ended and a report shows its result.
        case none
        case pending(Request, hasNewerReport: Bool)
        /// It is to be made again with the next report.
        case outdated(Request)
        /// It was applied, and no report shows that yet.
        case applied(Request)
    }

    /// What is known about transforms that somebody else sets.
    private enum ForeignTransform {
        case none
        /// The panel has one, which stays until another goal is set.
        case kept
        /// The compositor has read its configuration: the one in it is to be replaced.
        case announced
    }

    /// How often a change is requested again while the outputs keep changing.
    private static let retries = 3

    /// The configured output; nil for the built-in panel.
    private let name: String?
    private let mayPlaceAutomatically: Bool

    /// What is restored at the end: all outputs as they are without any rotation of ours; empty while unknown.
    private(set) var baseline: [Output]

    /// The outputs as they were reported last; empty while unknown.
    private(set) var outputs: [Output] = []

    private var goal: Goal
    /// The transform that the panel has unless somebody else changes it; nil while there is no panel.
    private var expected: Transform?
    private var progress = Progress.none
    private var foreign = ForeignTransform.none
    /// The transform that was refused last.
    private var refused: Transform?
    /// Whether the neighbours have to be moved as well; nil until the compositor has shown whether it moves them.
    private(set) var movesNeighbours: Bool?
    /// Whether it was logged that the panel is missing.
    private var isReportedMissing = false
    /// The transforms that the panel may have from an earlier agent; empty once the outputs are known.
    private var leftoverTransforms: Set<Transform>

    /// Creates the decision; `leftover` is what an earlier run has left to restore.
    init(
        output name: String?,
        mayPlaceAutomatically: Bool,
        goal: Goal = .unchanged,
        leftover: RestorePoint? = nil
    ) {
        self.name = name
        self.mayPlaceAutomatically = mayPlaceAutomatically
        self.goal = goal
        baseline = leftover?.outputs ?? []
        leftoverTransforms = leftover?.applied ?? []
        movesNeighbours = leftover.map { $0.movesNeighbours } ?? (mayPlaceAutomatically ? nil : true)
    }

    /// The change that has been requested and has not ended.
    private var unfinished: OutputChange? {
        switch progress {
        case .pending(let request, _), .outdated(let request): request.change
        case .none, .applied: nil
        }
    }

    /// Whether no change is being made.
    var isSettled: Bool { unfinished == nil }

    /// What has to be restored; nil while the outputs are as they were.
    var restorePoint: RestorePoint? {
        let isOriginal = panel.map { baseline.transform(of: $0) == expected } ?? false
        guard !baseline.isEmpty, !isOriginal || !isSettled else { return nil }
        return RestorePoint(
            outputs: baseline,
            movesNeighbours: movesNeighbours ?? false,
            applied: Set([expected, unfinished?.transform].compactMap { $0 })
        )
    }

    /// The output that is rotated; nil if it is missing or disabled.
    var panel: Output? { outputs.panel(named: name) }

    /// The output that is rotated, with the transform that was applied last, which a report may not show yet.
    var shownPanel: Output? {
        var shown = panel
        if let expected { shown?.transform = expected }
        return shown
    }

    // MARK: - Events

    mutating func handle(_ event: Event) -> Actions {
        switch event {
        case .goalChanged(let goal):
            if case .transform = goal, goal == self.goal { return Actions() }
            self.goal = goal
            if foreign == .kept { foreign = .none }
            refused = nil
            return Actions(change: nextChange())
        case .configurationReloaded:
            foreign = foreign == .kept ? .none : .announced
            return Actions(change: nextChange())
        case .outputsReported(let report): return compare(report)
        case .changeEnded(let result):
            guard case .pending(let request, let hasNewerReport) = progress else { return Actions() }
            return end(request, result, hasNewerReport)
        }
    }

    /// Compares the reported outputs with those that are expected.
    private mutating func compare(_ report: [Output]) -> Actions {
        let known = outputs.shownNames
        outputs = report
        if case .pending(let request, _) = progress { progress = .pending(request, hasNewerReport: true) }
        guard let panel else { return losePanel() }
        isReportedMissing = false
        if !known.isEmpty, report.shownNames != known {
            movesNeighbours = mayPlaceAutomatically ? nil : true
            refused = nil
        }
        guard let expected else {
            self.expected = panel.transform
            if foreign == .kept { foreign = .none }
            // Somebody has set another transform since the earlier agent ended.
            if !leftoverTransforms.isEmpty, !leftoverTransforms.contains(panel.transform) { baseline = report }
            leftoverTransforms = []
            rebase(on: panel)
            return Actions(change: nextChange())
        }
        var confirmed: Request?
        switch progress {
        case .none: break
        case .pending: return Actions()
        case .outdated(let request): return Actions(change: repeated(request, panel))
        case .applied(let request):
            let before = request.outputs.panel(named: name)?.transform
            let showsOldTransform = before == panel.transform && before != expected
            if showsOldTransform || report == request.outputs { return Actions() }
            confirmed = request
            progress = .none
        }
        guard panel.transform == expected else {
            self.expected = panel.transform
            baseline = report
            foreign = foreign == .announced ? .none : .kept
            return Actions(change: nextChange())
        }
        if foreign == .announced { foreign = .none }
        return Actions(change: followUp(on: panel, after: confirmed))
    }

    private mutating func losePanel() -> Actions {
        expected = nil
        if case .pending = progress {} else { progress = .none }
        // A panel that is off, such as below a closed lid, comes back.
        guard !isReportedMissing, !outputs.contains(where: { $0.isPanel(named: name) }) else { return Actions() }
        isReportedMissing = true
        return Actions(warning: missing)
    }

    private mutating func end(_ request: Request, _ result: OutputResult, _ hasNewerReport: Bool) -> Actions {
        progress = .none
        switch result {
        case .refused(let reason):
            refused = request.change.transform
            let change = request.change
            let warning = "\(change.output) is not rotated to \(change.transform): \(reason)"
            return Actions(change: nextChange(), warning: warning)
        case .outdated:
            guard let panel else { return Actions() }
            var request = request
            request.failures += 1
            guard request.failures <= Self.retries else {
                return end(request, .refused("the outputs changed \(request.failures) times meanwhile"), hasNewerReport)
            }
            if hasNewerReport { return Actions(change: repeated(request, panel)) }
            progress = .outdated(request)
            return Actions()
        case .applied:
            guard let panel else { return Actions() }
            expected = request.change.transform
            guard outputs != request.outputs, panel.transform == expected else {
                progress = .applied(request)
                return Actions(change: nextChange())
            }
            return Actions(change: followUp(on: panel, after: request))
        }
    }

    // MARK: - Changes

    private mutating func nextChange() -> OutputChange? {
        guard isSettled, foreign != .kept, let panel, let transform = goalTransform(of: panel) else { return nil }
        guard transform != expected, transform != refused else { return nil }
        return request(transform, of: panel)
    }

    /// The transform that the panel is to have; nil if it is to stay as it is.
    private func goalTransform(of panel: Output) -> Transform? {
        switch goal {
        case .unchanged: nil
        case .transform(let transform): Transform(transform)
        case .baseline: baseline.transform(of: panel)
        }
    }

    private mutating func request(_ transform: Transform, of panel: Output, failures: Int = 0) -> OutputChange {
        let layout = OutputLayout.rotating(panel.name, to: transform, in: baseline)
        let change = OutputChange(
            output: panel.name,
            transform: transform,
            positions: movesNeighbours == true ? moves(to: layout) : [:]
        )
        progress = .pending(Request(change: change, outputs: outputs, failures: failures), hasNewerReport: false)
        return change
    }

    /// Makes an outdated request again, for the present goal.
    private mutating func repeated(_ outdated: Request, _ panel: Output) -> OutputChange {
        request(goalTransform(of: panel) ?? outdated.change.transform, of: panel, failures: outdated.failures)
    }

    /// The outputs that are elsewhere in `layout`, with their places there.
    private func moves(to layout: [Output]) -> [String: Position] {
        var moves: [String: Position] = [:]
        for output in layout where output.isShown {
            guard let present = outputs.first(where: { $0.name == output.name }), present.isShown else { continue }
            var isMoved = present.position != output.position
            // A move that was applied may not be reported yet.
            if case .applied(let request) = progress, request.change.positions[output.name] != nil { isMoved = true }
            if isMoved { moves[output.name] = output.position }
        }
        return moves
    }

    /// Adapts to a report of the expected transform, which `request` may have set; returns the next change.
    private mutating func followUp(on panel: Output, after request: Request?) -> OutputChange? {
        if movesNeighbours == nil, let request {
            let layout = OutputLayout.rotating(panel.name, to: panel.transform, in: baseline)
            if layout.places != request.outputs.places { movesNeighbours = outputs.places == request.outputs.places }
            if movesNeighbours == true { return self.request(panel.transform, of: panel) }
        }
        rebase(on: panel)
        return nextChange()
    }

    /// Recomputes the baseline from the report, with the panel rotated back, unless the report is what it leads to.
    private mutating func rebase(on panel: Output) {
        let transform = baseline.transform(of: panel) ?? panel.transform
        guard OutputLayout.rotating(panel.name, to: panel.transform, in: baseline) != outputs else { return }
        baseline = OutputLayout.rotating(panel.name, to: transform, in: outputs)
    }

    private var missing: String {
        let names = outputs.shownNames.joined(separator: ", ")
        let found = names.isEmpty ? "there are no outputs" : "the outputs are \(names)"
        guard let name else {
            return "no output is a built-in panel (eDP, LVDS or DSI): \(found); set Output= in agent.conf"
        }
        return "there is no output \(name): \(found)"
    }
}

extension [Output] {
    fileprivate func transform(of panel: Output) -> Transform? { first { $0.name == panel.name }?.transform }

    fileprivate var places: [String: Position] {
        var places: [String: Position] = [:]
        for output in self where output.isShown { places[output.name] = output.position }
        return places
    }
}
