// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationConfiguration
import OrientationCore
package import POSIX
import SystemdBus

/// What `orientctl doctor` reports about this session: display, panel, touch screens, other programs and the agent.
package final class SessionCheck {
    /// A line of the report: a verdict (ok, warn or fail), a subject, a text, and a command that helps, if there is one.
    package typealias Line = (verdict: String, subject: String, text: String, remedy: String)

    /// Seconds that the display server has to tell its outputs.
    private static let timeout = 2.0

    private let configuration: AgentConfiguration
    private let backend: BackendChoice
    private let loop: EventLoop
    private var lines: [Line] = []
    /// The agent of this display; nil if none runs.
    private var agent: AgentLock.Holder?
    private var isX11 = false

    package init(configuration: AgentConfiguration, backend: BackendChoice) throws(SystemError) {
        self.configuration = configuration
        self.backend = backend
        loop = try EventLoop()
    }

    /// Checks the session that the environment describes.
    package func run() throws(SystemError) -> [Line] {
        if let desktop = OtherRotators.desktop {
            return [("ok", "session", "\(desktop); orient-agent is not needed", "")]
        }
        guard let backend = backend.resolved else { return [("warn", "session", DisplayServer.noDisplay, "")] }
        let display = AgentLock.name(of: DisplayServer.name(for: backend))
        agent = AgentLock.holders.first { $0.display == display }
        isX11 = backend == .x11
        try checkDisplay(backend)
        checkRivals()
        checkAgent()
        return lines
    }

    private func checkDisplay(_ backend: BackendChoice) throws(SystemError) {
        let server = try DisplayServer(backend, loop: loop)
        let timer = try loop.timer { [self] in
            lines.append(("fail", "display", "\(DisplayServer.name(for: backend)) does not answer", ""))
            loop.exit()
        }
        server.delegate = self
        do throws(SystemError) {
            try server.connect()
        } catch {
            return lines.append(("fail", "display", "\(error)", ""))
        }
        timer.arm(after: Self.timeout)
        _ = try loop.run()
        withExtendedLifetime((server, timer)) {}
    }

    private func check(_ outputs: [Output]) {
        let names = outputs.filter { $0.isShown }.map { $0.name }.joined(separator: ", ")
        lines.append(("ok", "display", "outputs: \(names.isEmpty ? "none" : names)", ""))
        let settings = "man agent.conf"
        guard let panel = outputs.panel(named: configuration.output) else {
            let wanted = configuration.output.map { "no output \($0)" } ?? "no built-in panel (eDP, LVDS or DSI)"
            return lines.append(("warn", "panel", "\(wanted); Output= in agent.conf names the one to rotate", settings))
        }
        lines.append(("ok", "panel", "\(panel.name), transform \(panel.transform)", ""))
        checkTouch(panel)
    }

    private func checkTouch(_ panel: Output) {
        let devices: [InputDevice]
        do throws(SystemError) {
            devices = try InputDevice.all().builtIn
        } catch {
            return lines.append(("warn", "touch", "\(error)", ""))
        }
        for device in devices {
            let setting = Compositor.detected.flatMap { InputSetting(for: device, on: panel.name, in: $0) }
            guard let setting else {
                lines.append(touch(device, panel))
                continue
            }
            guard !setting.isPresent else {
                let text = "\(device.name) is mapped to \(panel.name) in ~/.config/\(setting.file)"
                lines.append(("ok", "touch", text, ""))
                continue
            }
            let text = "\(device.name) may not follow \(panel.name); add to \(setting)"
            lines.append(("warn", "touch", text, ""))
        }
    }

    /// The line of a device that orient-agent maps, if it maps any here.
    private func touch(_ device: InputDevice, _ panel: Output) -> Line {
        let compositor = Compositor.detected
        guard isX11 || compositor == .sway || compositor == .hyprland else {
            return ("warn", "touch", "\(device.name) follows \(panel.name) only if the compositor maps it", "")
        }
        guard configuration.inputMapping == .auto else {
            return ("warn", "touch", "\(device.name) does not follow \(panel.name): MapInput=no", "")
        }
        guard agent != nil else {
            return ("warn", "touch", "\(device.name) follows \(panel.name) only while orient-agent runs", "")
        }
        return ("ok", "touch", "\(device.name) follows \(panel.name)", "")
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
            lines.append(("warn", "rival", text, "pkill -x \(name)"))
        }
    }

    private func checkAgent() {
        guard let agent else {
            return lines.append(("warn", "agent", "orient-agent does not run in this session", "orient-agent &"))
        }
        lines.append(("ok", "agent", "process \(agent.process) \(agent.activity)", ""))
    }
}

extension SessionCheck: OutputBackendDelegate {
    func outputsChanged(_ outputs: [Output]) {
        guard lines.isEmpty else { return }
        check(outputs)
        loop.exit()
    }

    func changeEnded(_ result: OutputResult) {}
    func windowChanged(_ window: FocusedWindow?) {}

    func backendLost(_ reason: String) {
        lines.append(("fail", "display", reason, ""))
        loop.exit()
    }

    func serverGivenUp(_ problem: String) { backendLost(problem) }
}
