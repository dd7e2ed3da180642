// SPDX-License-Identifier: Apache-2.0

import OrientationConfiguration

/// What status and messages say.
extension PanelRotation {
    /// What is wrong, as a message; nil if nothing is.
    var problem: String? { refusal ?? report.problem }

    private var refusal: String? { panels.isEmpty ? nil : attempts.refusal }

    /// What is done with the panels, as words that follow "orient-agent".
    var activity: String {
        let missing = panels.isEmpty ? [] : report.missingNames
        return missing.isEmpty ? deed : "\(deed); missing: \(missing.joined(separator: ", "))"
    }

    private var deed: String {
        let list = (panels.isEmpty ? report.absentPanels : panels.map { $0.name }).joined(separator: " and ")
        if list.isEmpty { return AgentLock.Hindrance.noOutput.words }
        let rotates = AgentLock.rotating + list
        if panels.isEmpty { return "\(rotates) when it is on again" }
        guard case .transform = goal else { return rotates }
        if isKeptForMonitor { return "keeps \(list) as it is while a monitor is connected" }
        guard !isChanging, !difference.isEmpty else { return rotates }
        if isOverruled { return AgentLock.Hindrance.overruled.words + "\(list) as another program has set it" }
        if attempts.isOff { return "\(rotates) when it is on again" }
        return refusal.map { AgentLock.Hindrance.refused.words + $0 } ?? rotates
    }
}
