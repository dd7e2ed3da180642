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
    private let backend: BackendChoice
    private let loop: EventLoop
    /// The findings as lines of JSON.
    private var findings: [String] = []

    package init(configuration: AgentConfiguration, backend: BackendChoice) throws(SystemError) {
        (self.configuration, self.backend) = (configuration, backend)
        loop = try EventLoop()
    }

    /// Checks the session that the environment describes; returns lines as `orientctl doctor --json` prints them.
    package func run() throws(SystemError) -> [String] {
        if let desktop = OtherRotators.desktop {
            let mayKeepLock = desktop.lock != nil && configuration.lockSync == .auto
            add("ok", "session", desktop.description + (mayKeepLock ? "" : "; orient-agent is not needed"))
            if let agent {
                add("ok", "agent", "process \(agent.process) \(agent.activity)")
            } else if mayKeepLock {
                let remedy = "systemctl --user enable --now orient-agent"
                let text = "orient-agent does not run: the desktop's rotation switch and the lock of orientd may differ"
                add("ok", "agent", text, remedy: remedy)
            }
            return findings
        }
        guard let backend = backend.resolved else {
            add("warn", "session", BackendChoice.noDisplay)
            return findings
        }
        try checkDisplay(backend)
        checkRivals()
        if let agent {
            add("ok", "agent", "process \(agent.process) \(agent.activity)")
        } else {
            add("warn", "agent", "orient-agent does not run in this session", remedy: "orient-agent &")
        }
        return findings
    }

    /// The agent of this display; nil if none runs.
    private var agent: AgentLock.Holder? {
        let display = backend.resolved.map { AgentLock.name(of: $0.display) }
        return AgentLock.holders.first { $0.display == display }
    }

    private func add(_ result: String, _ check: String, _ text: String, remedy: String = "") {
        let finding: KeyValuePairs<String, PropertyValue> = [
            "check": .text(check), "result": .text(result), "text": .text(printable(text)), "remedy": .text(remedy),
        ]
        findings.append(JSONValue(finding).line)
    }

    private func checkDisplay(_ backend: BackendChoice) throws(SystemError) {
        let server = try DisplayServer(backend, loop: loop, longestAnswer: Self.timeout)
        server.onEvent = { [unowned(unsafe) self] in handle($0) }
        do throws(SystemError) {
            try server.connect()
        } catch {
            return add("fail", "display", "\(error)")
        }
        _ = try loop.run()
        withExtendedLifetime(server) {}
    }

    private func handle(_ event: OutputEvent) {
        guard findings.isEmpty else { return }
        switch event {
        case .outputs(let outputs): check(outputs)
        case .lost(let problem), .givenUp(let problem): add("fail", "display", problem)
        case .changeEnded, .window: return
        }
        loop.exit()
    }

    private func check(_ outputs: [Output]) {
        let names = outputs.shownNames.joined(separator: ", ")
        add("ok", "display", "outputs: \(names.isEmpty ? "none" : names)")
        guard let panel = outputs.panels(named: configuration.outputs).first else {
            let list = configuration.outputs.joined(separator: ", ")
            let wanted = list.isEmpty ? "no built-in panel (eDP, LVDS or DSI)" : "no output \(list)"
            let text = "\(wanted); Output= in agent.conf names the one to rotate"
            return add("warn", "panel", text, remedy: "man agent.conf")
        }
        add("ok", "panel", "\(panel.name), transform \(panel.transform)")
        checkTouch(panel)
    }

    private func checkTouch(_ panel: Output) {
        let devices: [InputDevice]
        do throws(SystemError) {
            devices = try InputDevice.all().builtIn
        } catch {
            return add("warn", "touch", "\(error)")
        }
        for device in devices {
            let setting = Compositor.detected.flatMap { InputSetting(for: device, on: panel.name, in: $0) }
            guard let setting else {
                let condition = unmetCondition
                let text = "\(device.name) follows \(panel.name)" + (condition.map { " only \($0)" } ?? "")
                add(condition == nil ? "ok" : "warn", "touch", text)
                continue
            }
            if setting.isPresent {
                add("ok", "touch", "\(device.name) is mapped to \(panel.name) in ~/.config/\(setting.file)")
            } else {
                add("warn", "touch", "\(device.name) may not follow \(panel.name); add to \(setting)")
            }
        }
    }

    /// The first condition for orient-agent to map devices that is not met; nil if all are.
    private var unmetCondition: String? {
        let served: [Compositor?] = [.sway, .hyprland]
        if backend.resolved != .x11, !served.contains(Compositor.detected) { return "if the compositor maps it" }
        guard configuration.inputMapping == .auto else { return "with MapInput=auto" }
        return agent == nil ? "while orient-agent runs" : nil
    }

    private func checkRivals() {
        let isHyprland = Compositor.detected == .hyprland
        let names = ["rot8"] + OtherRotators.programs + (isHyprland ? ["kanshi"] : [])
        guard let processes = try? FileDescriptor.names(in: "/proc") else { return }
        for process in processes where Int32(process) != nil {
            guard let bytes = try? FileDescriptor.contents(of: "/proc/\(process)/comm", limit: 64) else { continue }
            let name = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            guard names.contains(name) else { continue }
            let text =
                name == "kanshi"
                ? "kanshi (process \(process)) resets the transform on Hyprland"
                : "\(name) (process \(process)) rotates the display as well"
            add("warn", "rival", text, remedy: "pkill -x \(name)")
        }
    }
}
