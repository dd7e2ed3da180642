// SPDX-License-Identifier: Apache-2.0

/// The outputs as they were reported last, and the panels among them, which are rotated.
struct OutputReport: Sendable {
    /// How many outputs are considered at most, except for panels; the time grows with the cube of their number.
    static let most = 64

    /// The connectors of the panels, the main one first; empty for the built-in panels.
    let names: [String]
    /// Empty while unknown.
    private(set) var outputs: [Output] = []
    /// Empty while they are missing or disabled.
    private(set) var panels: [Output] = []
    /// The names of the last panels.
    private var known: [String] = []

    init(_ outputs: [Output] = [], panels names: [String]) {
        self.names = names
        update(outputs)
    }

    mutating func update(_ outputs: [Output]) {
        panels = outputs.panels(named: names)
        let first = outputs.prefix(Self.most)
        self.outputs = first + panels.filter { panel in !first.contains { $0.name == panel.name } }
        if !panels.isEmpty { known = panels.map { $0.name } }
    }

    /// Whether another output than the panels is shown, on which somebody may look at the picture.
    var hasMonitor: Bool { outputs.contains { $0.isShown && !$0.isVirtual && !isPanel($0) } }

    /// The panels that are disabled, such as below a closed lid, and come back; labwc reports those that are off so.
    var disabledPanels: [String] {
        outputs.filter { !$0.isShown && (names.isEmpty ? $0.isBuiltIn : names.contains($0.name)) }.map { $0.name }
    }

    /// The panels that come back: those that are off or, if none is named, those that were there last.
    var absentPanels: [String] { disabledPanels.isEmpty && names.isEmpty ? known : disabledPanels }

    /// The connectors of panels that are missing.
    var missingNames: [String] { names.filter { outputs.named($0) == nil } }

    /// Names the missing panels, as a message; nil if all are there or, where none is named, if one is shown or off.
    var problem: String? {
        let missing = missingNames
        guard !missing.isEmpty || panels.isEmpty && disabledPanels.isEmpty else { return nil }
        let all = outputs.map { $0.isShown ? $0.name : $0.name + " (off)" }.joined(separator: ", ")
        let found = all.isEmpty ? "there are no outputs" : "the outputs are \(all)"
        guard !names.isEmpty else {
            let gone = known.joined(separator: " and ")
            if !gone.isEmpty { return "\(gone) will be rotated again when connected: \(found)" }
            let name = outputs.count == 1 ? outputs[0].name : "NAME"
            return "no output is a built-in panel (eDP, LVDS, DSI, DPI or SPI): \(found); to rotate one, write "
                + "Output=\(name) below [Agent] in ~/.config/orientd/agent.conf, or use --output=\(name), and start "
                + "orient-agent again"
        }
        let list = missing.map { "'\($0)'" }.joined(separator: " or ")
        return "there is no output \(list): \(found)"
    }

    private func isPanel(_ output: Output) -> Bool { panels.contains { $0.name == output.name } }

    // MARK: - Comparisons

    /// Whether the panels have the transforms that they have there, if they are shown there.
    func isTurned(as others: [Output]) -> Bool {
        panels.allSatisfy { panel in
            others.allSatisfy { $0.name != panel.name || !$0.isShown || $0.transform == panel.transform }
        }
    }

    /// Whether the outputs have the transforms of those, and the places but for rounding.
    ///
    /// X servers move everything so that the screen begins at 0: places count from that of the first panel.
    func isAlike(_ others: [Output]) -> Bool {
        guard outputs.shownNames == others.shownNames else { return false }
        guard let main = panels.first, let other = others.named(main.name) else { return true }
        return matches(others) { output, twin in
            let x = output.position.x - main.position.x - (twin.position.x - other.position.x)
            let y = output.position.y - main.position.y - (twin.position.y - other.position.y)
            return output.transform == twin.transform && max(abs(x), abs(y)) <= OutputLayout.tolerance
        }
    }

    /// Whether these are the same outputs, in the same sizes.
    func hasSizes(of others: [Output]) -> Bool {
        outputs.shownNames == others.shownNames
            && matches(others) {
                $0.area.size.transformed($0.transform) == $1.area.size.transformed($1.transform)
            }
    }

    /// Whether something holds for each output that is shown and its state there.
    private func matches(_ others: [Output], _ isMatch: (Output, Output) -> Bool) -> Bool {
        outputs.allSatisfy { output in
            guard output.isShown, let twin = others.named(output.name) else { return !output.isShown }
            return isMatch(output, twin)
        }
    }

    // MARK: - Rotations

    /// The outputs with other transforms of the panels, in their present places.
    private func turned(_ transform: (Output) -> Transform) -> OutputReport {
        var turned = self
        turned.update(
            outputs.map { output in
                var output = output
                if isPanel(output) { output.transform = transform(output) }
                return output
            }
        )
        return turned
    }

    /// The outputs in the places that keep the relations of an earlier state.
    private func arranged(like reference: [Output]) -> [Output] {
        OutputLayout.arranged(outputs, like: reference, panels: panels.map { $0.name })
    }

    /// The outputs when the main panel is turned as in a transform, or the baseline; the others turn as far as it does.
    ///
    /// What is mirrored stays so.
    func rotated(to transform: Transform?, from baseline: [Output]) -> [Output] {
        guard let main = panels.first else { return outputs }
        let base = { (output: Output) in (baseline.named(output.name) ?? output).transform }
        let turns = transform.map { $0.quarterTurns - base(main).quarterTurns } ?? 0
        return turned { base($0).turned(by: turns) }.arranged(like: baseline)
    }

    /// Whether sizes and places are those of the baseline, but for the rotation.
    func isArranged(like baseline: [Output]) -> Bool {
        isAlike(arranged(like: baseline)) && hasSizes(of: baseline)
    }

    /// The outputs with these transforms of the panels, as the baseline in place of an earlier one.
    ///
    /// An output that is off keeps its earlier state and its place relative to the main panel, since its reported
    /// transform may be ours. A panel that comes back gets that place, too. With `keepsPlaces`, other outputs that
    /// touch nothing now are placed as they touched others before, or as if they had been placed beside the panels in
    /// another rotation. With `isResized`, only sizes have changed: what is connected to no panel now stays in its
    /// earlier place.
    func baseline(
        after old: [Output],
        keepsPlaces: Bool,
        isResized: Bool = false,
        _ transform: (Output) -> Transform
    ) -> [Output] {
        let placed = placed(after: old, keepsPlaces: keepsPlaces, transform)
        let main = panels.first?.name ?? ""
        let (new, before) = (placed.named(main), old.named(main))
        let connected = isResized ? OutputLayout.connected(to: panels, in: outputs) : outputs
        return placed.compactMap { output in
            guard let last = old.named(output.name) else { return output.isShown ? output : nil }
            let isBack = isPanel(output) && !(last.isShown && before?.isShown == true)
            let isApart = last.isShown && connected.named(output.name) == nil
            if output.isShown, !isBack, !isApart { return output }
            var kept = output.isShown ? output : last
            kept.isEnabled = output.isShown
            kept.position.x = last.position.x + (new?.position.x ?? 0) - (before?.position.x ?? 0)
            kept.position.y = last.position.y + (new?.position.y ?? 0) - (before?.position.y ?? 0)
            return kept
        }
    }

    private func placed(after old: [Output], keepsPlaces: Bool, _ transform: (Output) -> Transform) -> [Output] {
        let turned = turned(transform)
        var baseline = turned.arranged(like: outputs)
        guard keepsPlaces else { return baseline }
        let layouts = [
            turned.arranged(like: old), turned.outputs, self.turned { transform($0).turned(by: 1) }.outputs,
        ]
        for index in outputs.indices where !isPanel(outputs[index]) {
            guard !OutputLayout.touches(outputs[index], in: outputs),
                let layout = layouts.first(where: { OutputLayout.touches($0[index], in: $0) })
            else { continue }
            baseline[index].position = turned.arranged(like: layout)[index].position
        }
        return baseline
    }
}
