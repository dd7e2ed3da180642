// SPDX-License-Identifier: Apache-2.0

import CLinux
import JSON
import OrientationConfiguration
import OrientationCore
package import POSIX
import SystemdBus

/// What `orientctl doctor` reports about this session: display, panel, touch screens, other programs and the agent.
package final class SessionCheck {
    /// Seconds for the display server to report its outputs.
    private static let timeout = 2.0

    private let configuration: AgentConfiguration
    private let choice: BackendChoice
    private let loop: EventLoop
    /// Nil without a display.
    private var surroundings: Surroundings?
    /// Whether there is an output that an agent with the present settings rotates.
    private var hasPanel = false
    /// The findings as lines of JSON.
    private var findings: [String] = []

    package init(_ configuration: AgentConfiguration, backend: BackendChoice) throws(SystemError) {
        self.configuration = configuration
        choice = backend
        loop = try EventLoop()
    }

    /// Checks the session that the environment describes; returns lines as `orientctl doctor --json` prints them.
    ///
    /// `warnings` are what is wrong with the configuration's files.
    package func run(warnings: [String]) -> [String] {
        checkSession()
        for warning in warnings { add("warn", "agent.conf", warning, remedy: "man orient-agent.conf") }
        return findings
    }

    private func checkSession() {
        surroundings = try? Surroundings(choice)
        if let desktop = OtherRotators.desktop(server: surroundings?.server) {
            let mayKeepLock = desktop.lock != nil && configuration.syncsLock
            add("ok", "session", desktop.description + (mayKeepLock ? "" : "; orient-agent is not needed"))
            if let agent {
                add(agent)
            } else if mayKeepLock {
                let remedy = "systemctl --user enable --now orient-agent"
                let text = "optional: orient-agent does not run; the desktop's lock and that of orientd may differ"
                add("ok", "agent", text, remedy: remedy)
            }
            if mayKeepLock { checkHooks() }
            return
        }
        do throws(SystemError) {
            let server = try DisplayServer(choice, loop: loop, longestAnswer: Self.timeout)
            surroundings = server.surroundings
            server.onEvent = { [self] in handle($0) }
            try server.connect()
            _ = try loop.run(keeping: server)
        } catch {
            guard surroundings != nil else { return add("warn", "session", "\(error)") }
            add("fail", "display", "\(error)")
        }
        checkRivals()
        checkHooks()
        if let agent { return add(agent) }
        do throws(SystemError) {
            if let surroundings { try AgentLock.check(display: surroundings.display) }
            let text = "orient-agent does not run in this session; its manual has the line that starts it at login"
            add("warn", "agent", text, remedy: "orient-agent &")
        } catch {
            add("fail", "agent", "orient-agent cannot run in this session: \(error)")
        }
    }

    /// The agent of this display; nil if none runs.
    private var agent: AgentLock.Holder? {
        let display = surroundings.map { AgentLock.name(of: $0.display) }
        return AgentLock.holders.first { $0.display == display }
    }

    private func add(_ result: String, _ check: String, _ text: String, remedy: String = "") {
        let finding: KeyValuePairs<String, PropertyValue> = [
            "check": .text(check), "result": .text(result), "text": .text(printable(text)), "remedy": .text(remedy),
        ]
        findings.append(JSONValue(finding).line)
    }

    private func add(_ agent: AgentLock.Holder) {
        if agent.hindrance == .noOutput, hasPanel {
            let text = "process \(agent.process) found no output to rotate with the settings that it has read"
            let restart = "pkill -x orient-agent; setsid -f orient-agent"
            return add("warn", "agent", text + "; start it again", remedy: restart)
        }
        // What hinders an agent is a finding of doctor about all agents.
        let deed = agent.hindrance == nil ? agent.activity : "runs in this session"
        add("ok", "agent", "process \(agent.process) \(deed)")
    }

    private func handle(_ event: OutputEvent) {
        guard findings.isEmpty else { return }
        switch event {
        case .outputs(let outputs): check(outputs)
        case .lost(let problem, _), .givenUp(let problem): add("fail", "display", problem)
        case .changeEnded, .window, .workspace, .reloaded: return
        }
        loop.exit()
    }

    private func check(_ outputs: [Output]) {
        let names = outputs.shownNames.joined(separator: ", ")
        add("ok", "display", "outputs: \(names.isEmpty ? "none" : names)")
        let report = OutputReport(outputs, panels: configuration.outputs)
        // It may have been told another output than the configuration names.
        if report.panels.isEmpty, let agent, agent.hindrance != .noOutput { return }
        if let problem = report.problem { add("warn", "panel", problem, remedy: "man orient-agent.conf") }
        guard let panel = report.panels.first else {
            let names = report.disabledPanels.joined(separator: " and ")
            if names.isEmpty { return }
            return add("warn", "panel", "\(names) is off, as with a closed lid, and is rotated when it is on again")
        }
        hasPanel = true
        let direction = panel.transform.isSideways ? " counter-clockwise, as Wayland counts" : ""
        add("ok", "panel", "\(panel.name), transform \(panel.transform)\(direction)")
        checkTouch(panel, outputs)
    }

    private func checkTouch(_ panel: Output, _ outputs: [Output]) {
        let target = InputTarget([panel], among: outputs)
        let condition = unmetCondition(target)
        for device in InputDevice.all.serving(isAlone: target.isAlone).builtIn {
            if let setting = surroundings?.compositor?.inputSetting(for: device, on: panel.name) {
                add("warn", "touch", "\(device.name) follows \(panel.name) only if \(setting)")
            } else {
                let text = "\(device.name) follows \(panel.name)" + (condition.map { " only \($0)" } ?? "")
                add(condition == nil ? "ok" : "warn", "touch", text)
            }
        }
    }

    /// The first condition for orient-agent to map devices that is not met; nil if all are.
    private func unmetCondition(_ target: InputTarget) -> String? {
        guard let surroundings else { return "if the compositor maps it" }
        if !surroundings.isX11 {
            guard surroundings.hasInputMapper else { return "if the compositor maps it" }
            if surroundings.socket == nil { return "if the compositor maps it: \(surroundings.unreachable)" }
            if target.output == nil { return "if the compositor maps it: there are several built-in panels" }
        }
        guard configuration.mapsInput else { return "with MapInput=auto" }
        return agent == nil ? "while orient-agent runs" : nil
    }

    private func checkHooks() {
        for path in hookFiles().notExecutable {
            add("warn", "hook", "\(path) is not executable", remedy: "chmod +x '\(path)'")
        }
    }

    private func checkRivals() {
        let isHyprland = surroundings?.compositor == .hyprland
        let names = ["rot8"] + OtherRotators.programs + (isHyprland ? ["kanshi"] : [])
        for process in runningProcesses {
            guard let name = commandName(of: process), names.contains(where: { OtherRotators.isProgram($0, name) })
            else { continue }
            let text =
                name.includes("kanshi")
                ? "kanshi (process \(process)) resets the transform on Hyprland"
                : "\(name) (process \(process)) rotates the display as well; remove what starts it"
            add("warn", "rival", text, remedy: "pkill -x \(name)")
        }
    }
}
