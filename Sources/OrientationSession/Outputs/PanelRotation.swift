// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

/// Decides which changes to request, so that the panel has the wanted transform and its neighbours stay adjacent.
///
/// A transform that somebody else sets is the new baseline: it stays until another one is wanted, and it is what is
/// restored at the end.
package struct PanelRotation: Sendable {
    /// What to do after an event.
    package struct Actions: Hashable, Sendable {
        package var change: OutputChange?
        /// A message for the log.
        package var warning: String?
    }

    /// A change that was asked for.
    private struct Request {
        var change: OutputChange
        /// The outputs at that time.
        var outputs: [Output]
        /// How often the compositor answered that it was outdated.
        var failures = 0
        /// Whether a report came after it was made.
        var isOld = false
    }

    /// How often a change is tried again while the outputs keep changing.
    private static let retries = 3

    /// The configured output; nil for the built-in panel.
    private let name: String?
    private let mayPlaceAutomatically: Bool

    /// What is restored at the end: all outputs as they are without any rotation of ours; empty while unknown.
    private(set) var baseline: [Output]

    /// The outputs as they were reported last; empty while unknown.
    package private(set) var outputs: [Output] = []

    private var target: OutputTransform?
    /// Whether the baseline is wanted.
    private var isReleased = false
    /// The transform that the panel has unless somebody else changes it; nil while there is no panel.
    private var expected: Transform?
    private var pending: Request?
    /// Whether the pending request is to be made again, with the next report.
    private var isOutdated = false
    /// A request that was applied, while no report shows it yet.
    private var unconfirmed: Request?
    /// The transform that was refused last.
    private var refused: Transform?
    /// Whether somebody else's transform stays, until another one is wanted.
    private var yields = false
    /// Whether the neighbours have to be moved as well; nil until the compositor has shown whether it moves them.
    package private(set) var movesNeighbours: Bool?
    private var reportedMissing = false
    /// Whether the next transform of somebody else comes from the compositor's configuration.
    private var isReloaded = false
    /// The transforms that the panel may have from an earlier agent; empty once the outputs are known.
    private var left: Set<Transform>

    /// Creates the decision; `leftover` is what an earlier run has left to restore.
    package init(output name: String?, mayPlaceAutomatically: Bool, leftover: RestorePoint? = nil) {
        self.name = name
        self.mayPlaceAutomatically = mayPlaceAutomatically
        baseline = leftover?.outputs ?? []
        left = leftover?.applied ?? []
        movesNeighbours = leftover.map { $0.movesNeighbours } ?? (mayPlaceAutomatically ? nil : true)
    }

    /// Whether no change is being made.
    package var isSettled: Bool { pending == nil }

    /// What has to be restored; nil while the outputs are as they were.
    package var restorePoint: RestorePoint? {
        let isOriginal = panel.map { panel in baseline.first { $0.name == panel.name }?.transform == expected } ?? false
        guard !baseline.isEmpty, !isOriginal || pending != nil else { return nil }
        return RestorePoint(
            outputs: baseline,
            movesNeighbours: movesNeighbours ?? false,
            applied: Set([expected, pending?.change.transform].compactMap { $0 })
        )
    }

    /// The output that is rotated; nil if it is missing or disabled.
    package var panel: Output? { outputs.panel(named: name) }

    /// The output that is rotated, with the transform that was applied last, which a report may not show yet.
    package var shownPanel: Output? {
        var shown = panel
        if let expected { shown?.transform = expected }
        return shown
    }

    // MARK: - Events

    /// Takes another wanted transform.
    package mutating func want(_ transform: OutputTransform) -> Actions {
        guard transform != target || isReleased else { return Actions() }
        target = transform
        isReleased = false
        yields = false
        refused = nil
        return Actions(change: nextChange())
    }

    /// Restores the baseline, and keeps it until a transform is wanted.
    package mutating func release() -> Actions {
        isReleased = true
        yields = false
        refused = nil
        return Actions(change: nextChange())
    }

    /// Rotates the panel again if the compositor has just set what its configuration says.
    package mutating func configurationReloaded() -> Actions {
        // The report of the outputs may come before or after this.
        isReloaded = !yields
        yields = false
        return Actions(change: nextChange())
    }

    /// Takes the state of all outputs.
    package mutating func take(_ report: [Output]) -> Actions {
        let known = outputs.filter { $0.isShown }.map { $0.name }
        outputs = report
        pending?.isOld = true
        var actions = Actions()
        guard let panel else {
            expected = nil
            unconfirmed = nil
            if isOutdated { pending = nil }
            // A panel that is off, such as below a closed lid, comes back.
            guard !outputs.contains(where: { $0.isPanel(named: name) }) else { return actions }
            if !reportedMissing { actions.warning = missing }
            reportedMissing = true
            return actions
        }
        reportedMissing = false
        if !known.isEmpty, report.filter({ $0.isShown }).map({ $0.name }) != known {
            movesNeighbours = mayPlaceAutomatically ? nil : true
            refused = nil
        }
        guard let expected else {
            self.expected = panel.transform
            yields = false
            // Somebody has set another transform since the earlier agent ended.
            if !left.isEmpty, !left.contains(panel.transform) { baseline = report }
            left = []
            rebase(on: panel)
            actions.change = nextChange()
            return actions
        }
        if pending != nil {
            if isOutdated { actions.change = repeatRequest() }
            return actions
        }
        if let before = unconfirmed?.outputs.panel(named: name)?.transform, before == panel.transform,
            before != expected
        {
            return actions
        }
        if report == unconfirmed?.outputs { return actions }
        let confirmed = unconfirmed
        unconfirmed = nil
        if panel.transform != expected {
            self.expected = panel.transform
            baseline = report
            yields = !isReloaded
            isReloaded = false
            actions.change = nextChange()
            return actions
        }
        isReloaded = false
        settle(on: panel, after: confirmed, &actions)
        return actions
    }

    /// Takes the result of the change that was asked for last.
    package mutating func take(_ result: OutputResult) -> Actions {
        guard var request = pending else { return Actions() }
        var actions = Actions()
        switch result {
        case .outdated:
            pending = nil
            guard panel != nil else { return actions }
            request.failures += 1
            guard request.failures <= Self.retries else {
                actions.warning =
                    "\(request.change.output) is not rotated to \(request.change.transform): "
                    + "the outputs changed \(request.failures) times meanwhile"
                refused = request.change.transform
                return actions
            }
            pending = request
            isOutdated = true
            if request.isOld { actions.change = repeatRequest() }
        case .refused(let reason):
            pending = nil
            refused = request.change.transform
            actions.warning = "\(request.change.output) is not rotated to \(request.change.transform): \(reason)"
            actions.change = nextChange()
        case .applied:
            pending = nil
            guard let panel else { return actions }
            expected = request.change.transform
            unconfirmed = request
            guard outputs != request.outputs, panel.transform == expected else {
                actions.change = nextChange()
                return actions
            }
            unconfirmed = nil
            settle(on: panel, after: request, &actions)
        }
        return actions
    }

    // MARK: - Changes

    private mutating func nextChange() -> OutputChange? {
        guard pending == nil, !yields, let panel, let transform = wanted(for: panel) else { return nil }
        guard transform != expected, transform != refused else { return nil }
        return request(transform, of: panel)
    }

    /// The transform that the panel is to have; nil if it is to stay as it is.
    private func wanted(for panel: Output) -> Transform? {
        if isReleased { return baseline.first { $0.name == panel.name }?.transform }
        return target.map { Transform($0) }
    }

    private mutating func request(_ transform: Transform, of panel: Output, failures: Int = 0) -> OutputChange {
        let layout = OutputLayout.rotating(panel.name, to: transform, in: baseline)
        let change = OutputChange(
            output: panel.name,
            transform: transform,
            positions: movesNeighbours == true ? moves(to: layout) : [:]
        )
        pending = Request(change: change, outputs: outputs, failures: failures)
        isOutdated = false
        return change
    }

    /// Makes an outdated request again: for what is wanted now.
    private mutating func repeatRequest() -> OutputChange? {
        guard let panel, let request = pending else { return nil }
        return self.request(
            wanted(for: panel) ?? request.change.transform,
            of: panel,
            failures: request.failures
        )
    }

    /// The outputs that are elsewhere in `layout`, with their places there.
    private func moves(to layout: [Output]) -> [String: Position] {
        var moves: [String: Position] = [:]
        for output in layout where output.isShown {
            guard let present = outputs.first(where: { $0.name == output.name }), present.isShown else { continue }
            // A move that was applied may not be reported yet.
            let isMoved = unconfirmed?.change.positions[output.name] != nil
            if isMoved || present.position != output.position { moves[output.name] = output.position }
        }
        return moves
    }

    // MARK: - Reports

    /// Handles a report in which the panel has the transform that it is expected to have; `request` made it so.
    private mutating func settle(on panel: Output, after request: Request?, _ actions: inout Actions) {
        if movesNeighbours == nil, let request {
            let layout = OutputLayout.rotating(panel.name, to: panel.transform, in: baseline)
            if places(in: layout) != places(in: request.outputs) {
                movesNeighbours = places(in: outputs) == places(in: request.outputs)
            }
            if movesNeighbours == true {
                actions.change = self.request(panel.transform, of: panel)
                return
            }
        }
        rebase(on: panel)
        actions.change = nextChange()
    }

    /// Recomputes the baseline from the report, with the panel rotated back, unless the report is what it leads to.
    private mutating func rebase(on panel: Output) {
        let transform = baseline.first { $0.name == panel.name }?.transform ?? panel.transform
        guard OutputLayout.rotating(panel.name, to: panel.transform, in: baseline) != outputs else { return }
        baseline = OutputLayout.rotating(panel.name, to: transform, in: outputs)
    }

    private func places(in outputs: [Output]) -> [String: Position] {
        var places: [String: Position] = [:]
        for output in outputs where output.isShown { places[output.name] = output.position }
        return places
    }

    private var missing: String {
        let names = outputs.filter { $0.isShown }.map { $0.name }.joined(separator: ", ")
        let found = names.isEmpty ? "there are no outputs" : "the outputs are \(names)"
        guard let name else {
            return "no output is a built-in panel (eDP, LVDS or DSI): \(found); set Output= in agent.conf"
        }
        return "there is no output \(name): \(found)"
    }
}
