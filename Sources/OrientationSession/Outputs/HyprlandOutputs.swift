// SPDX-License-Identifier: Apache-2.0

import JSON
import POSIX
import SystemdBus
import Wayland

/// The outputs of Hyprland, over its own socket.
///
/// Hyprland 0.57 makes a change over wlr-output-management only when it draws its next frame, and an idle screen draws
/// none; afterwards it reports nothing there. From 0.44 on, what a client has set there takes precedence over `hyprctl
/// keyword monitor`, also for outputs that are to be disabled. So that protocol is used for changes only where all else
/// fails.
final class HyprlandOutputs: OutputBackend {
    private let hyprland: HyprlandSocket
    private let onEvent: (OutputEvent) -> Void
    private var wlr: WlrOutputs?
    /// What wlr-output-management has reported.
    private var heads: [Output] = []
    /// What Hyprland has answered last.
    private var monitors: [HyprlandMonitor] = []
    /// The transforms of the keywords that were sent last, until one is reported.
    private var sent: [String: Transform] = [:]
    /// Whether a change was made over the protocol in their place, after which keywords have no effect.
    private var usesHeads = false

    /// Binds the manager of outputs on a connection whose globals are known; nil if Hyprland does not offer one.
    ///
    /// `folder` has Hyprland's own sockets.
    init?(
        _ folder: String,
        on connection: WaylandConnection,
        loop: EventLoop,
        onEvent: @escaping (OutputEvent) -> Void
    ) {
        hyprland = HyprlandSocket(in: folder, loop: loop)
        self.onEvent = onEvent
        wlr = WlrOutputs(on: connection, onEvent: owned(by: self) { $0.handle($1) })
        if wlr == nil { return nil }
    }

    func apply(_ change: OutputChange) {
        guard let script = HyprlandMonitor.script(for: change, monitors) else { return applyToHeads(change) }
        let completion: (String?) -> Void = owned(by: self) { outputs, problem in
            outputs.handle(.changeEnded(problem.map { .refused("Hyprland refused it: \($0)") } ?? .applied))
        }
        let mayBeLua = hyprland.isLua == false
        hyprland.evaluate(
            script,
            orElse: owned(by: self) { outputs in
                let keywords = HyprlandMonitor.keywords(for: change, outputs.monitors)
                // A block `monitorv2`, as Hyprland 0.50 to 0.54 have it, overrules keywords.
                let isRepeated = !change.transforms.isEmpty && outputs.sent == change.transforms
                if keywords.isEmpty || isRepeated || outputs.usesHeads { return outputs.applyToHeads(change) }
                outputs.sent = change.transforms
                let answered: (String?) -> Void = owned(by: outputs) { outputs, problem in
                    if problem == nil { return outputs.handle(.changeEnded(.applied)) }
                    // The configuration may be in Lua now.
                    mayBeLua ? outputs.apply(change) : outputs.applyToHeads(change)
                }
                outputs.hyprland.send(keywords, answered)
            },
            completion: completion
        )
    }

    private func applyToHeads(_ change: OutputChange) {
        usesHeads = true
        wlr?.apply(change)
    }

    private func handle(_ event: OutputEvent) {
        if case .outputs(let outputs) = event { heads = outputs }
        switch event {
        case .outputs where !heads.isEmpty: requestOutputs()
        case .changeEnded:
            onEvent(event)
            requestOutputs()
        case .outputs, .window, .workspace, .reloaded, .lost, .givenUp: onEvent(event)
        }
    }

    func requestOutputs() {
        // Before the heads are known, no change can be made.
        guard !heads.isEmpty else { return }
        hyprland.send("j/monitors all", completion: owned(by: self) { $0.report($1) })
    }

    private func report(_ reply: HyprlandSocket.Reply) {
        let list: JSONValue? = if case .text(let text) = reply { try? JSONValue(Array(text.utf8)) } else { nil }
        monitors = list.flatMap { HyprlandMonitor.all($0) } ?? []
        if monitors.contains(where: { sent[$0.output.name] == $0.output.transform }) { sent = [:] }
        // Where Hyprland does not answer, its heads are the best that is known.
        onEvent(.outputs(monitors.isEmpty ? heads : monitors.map { $0.output }))
    }
}

/// A monitor of Hyprland: in its JSON, and in its Lua.
struct HyprlandMonitor {
    let output: Output
    private let mode: String
    /// What else belongs to a rule for its present picture: names and values.
    private var extras: [(String, String)] = []
    /// Whether it shows the picture of another one, or may do so, as before 0.45.
    private let isMirror: Bool

    /// How HDR shows what has no HDR: the names in JSON and in a rule, and the default.
    ///
    /// hyprlang has no luminances.
    private static let brightness: [(String, String, Double)] = [
        ("sdrBrightness", "sdrbrightness", 1), ("sdrSaturation", "sdrsaturation", 1),
        ("sdrMinLuminance", "sdr_min_luminance", 0.2), ("sdrMaxLuminance", "sdr_max_luminance", 80),
    ]

    /// Reads the reply to `monitors all`; nil if it is invalid.
    static func all(_ reply: JSONValue) -> [HyprlandMonitor]? {
        guard let list = reply.list else { return nil }
        let monitors = list.compactMap { HyprlandMonitor($0) }
        return monitors.count == list.count ? monitors : nil
    }

    private init?(_ monitor: JSONValue) {
        guard let name = monitor["name"]?.text else { return nil }
        if monitor["disabled"]?.flag == true {
            output = Output(name: name, isEnabled: false)
            mode = ""
            isMirror = false
            return
        }
        let transform = monitor["transform"]?.integer.flatMap { Transform(rawValue: Int32(clamping: $0)) }
        guard var output = Output(name, monitor, transform) else { return nil }
        output.scale = Self.scale(output)
        self.output = output
        mode = "\(output.width)x\(output.height)" + (monitor["refreshRate"]?.number.map { "@\($0)" } ?? "")
        isMirror = monitor["mirrorOf"]?.text != "none"
        if monitor["currentFormat"]?.text?.includes("2101010") == true { extras.append(("bitdepth", "10")) }
        if let colors = monitor["colorManagementPreset"]?.text, colors != "srgb", HyprlandCommand.isPlain(colors) {
            extras.append(("cm", colors))
        }
        for (key, field, usual) in Self.brightness {
            guard let number = monitor[key]?.number, number > 0, number != usual else { continue }
            extras.append((field, monitor[key]?.integer.map { "\($0)" } ?? "\(number)"))
        }
    }

    /// The scale of an output, which Hyprland up to 0.56 reports with two decimals: it accepts only multiples of 1/120
    /// with which width and height are whole numbers.
    private static func scale(_ output: Output) -> Double {
        let (hundredths, parts) = (output.scale * 100, output.scale * 120)
        guard abs(hundredths - hundredths.rounded()) < 1e-6 else { return output.scale }
        let nearest = Int(parts.rounded())
        let exact = [nearest, nearest - 1, nearest + 1].first { part in
            part > 0 && abs(Double(part) - parts) < 0.601 && (output.width &* 120) % part == 0
                && (output.height &* 120) % part == 0
        }
        return exact.map { Double($0) / 120 } ?? output.scale
    }

    /// The Lua script that makes a change; nil for a name that would end a string in Lua.
    ///
    /// `hl.monitor` begins with Hyprland's defaults, unless a rule names exactly this output: the example configuration
    /// has one for all. So it is told all that is known of the monitors.
    static func script(for change: OutputChange, _ monitors: [HyprlandMonitor]) -> String? {
        let names = Set(change.transforms.keys).union(change.positions.keys).sorted()
        guard names.allSatisfy(HyprlandCommand.isPlain) else { return nil }
        let scripts = names.map { name in
            let monitor = monitors.first { $0.output.name == name }
            var options: [(String, String)] =
                monitor.map { [("mode", $0.mode), ("scale", "\($0.output.scale)")] + $0.extras } ?? []
            if let position = change.positions[name] ?? monitor?.output.position {
                options.append(("position", "\(position.x)x\(position.y)"))
            }
            if let transform = change.transforms[name] ?? monitor?.output.transform {
                options.append(("transform", "\(transform.rawValue)"))
            }
            return HyprlandCommand.script("monitor", ("output", name), options)
        }
        return scripts.joined(separator: " ")
    }

    /// The requests that make a change where the configuration is in hyprlang, in which one rule replaces the other.
    ///
    /// Empty if a monitor is unknown, off or a mirror: a rule would change more than place and transform.
    static func keywords(for change: OutputChange, _ monitors: [HyprlandMonitor]) -> [String] {
        let names = Set(change.transforms.keys).union(change.positions.keys).sorted()
        let keywords = names.compactMap { name in
            monitors.first { $0.output.name == name && $0.output.isShown && !$0.isMirror }.map { monitor in
                let position = change.positions[name] ?? monitor.output.position
                let transform = change.transforms[name] ?? monitor.output.transform
                let fields = [
                    name, monitor.mode, "\(position.x)x\(position.y)", "\(monitor.output.scale)", "transform",
                    "\(transform.rawValue)",
                ]
                let extras = monitor.extras.filter { !$0.0.includes("luminance") }.flatMap { [$0.0, $0.1] }
                return "/keyword monitor " + (fields + extras).joined(separator: ",")
            }
        }
        return keywords.count == names.count ? keywords : []
    }
}
