// SPDX-License-Identifier: Apache-2.0

import JSON
import POSIX
import SystemdBus
import Wayland

/// The outputs of Hyprland, over its own socket.
///
/// Hyprland 0.57 makes a change over wlr-output-management only when it draws its next frame, and an idle screen draws
/// none; afterwards it reports nothing there. So that protocol is used for changes only without a Lua configuration.
final class HyprlandOutputs: OutputBackend {
    private let hyprland: HyprlandSocket
    private let onEvent: (OutputEvent) -> Void
    private var wlr: WlrOutputs?
    /// What wlr-output-management has reported.
    private var heads: [Output] = []

    /// Binds the manager of outputs on a connection whose globals are known; nil if Hyprland does not offer one.
    ///
    /// `folder` has Hyprland's own sockets.
    init?(
        _ folder: String,
        on connection: WaylandConnection,
        changes: WaylandOutputs,
        loop: EventLoop,
        onEvent: @escaping (OutputEvent) -> Void
    ) {
        hyprland = HyprlandSocket(in: folder, loop: loop)
        self.onEvent = onEvent
        wlr = WlrOutputs(on: connection, onEvent: owned(by: self) { $0.handle($1) })
        if wlr == nil { return nil }
        changes.onChange = owned(by: self) { $0.requestOutputs() }
    }

    func apply(_ change: OutputChange) {
        guard let script = HyprlandMonitor.script(for: change) else { return wlr?.apply(change) ?? () }
        hyprland.evaluate(
            script,
            orElse: owned(by: self) { $0.wlr?.apply(change) },
            completion: owned(by: self) { outputs, problem in
                outputs.handle(.changeEnded(problem.map { .refused("Hyprland refused it: \($0)") } ?? .applied))
            }
        )
    }

    private func handle(_ event: OutputEvent) {
        if case .outputs(let outputs) = event { heads = outputs }
        switch event {
        case .outputs where !heads.isEmpty: requestOutputs()
        case .changeEnded:
            onEvent(event)
            requestOutputs()
        case .outputs, .window, .lost, .givenUp: onEvent(event)
        }
    }

    private func requestOutputs() {
        // Before the heads are known, no change can be made.
        guard !heads.isEmpty else { return }
        hyprland.send("j/monitors all", completion: owned(by: self) { $0.report($1) })
    }

    private func report(_ reply: HyprlandSocket.Reply) {
        let list: JSONValue? = if case .text(let text) = reply { try? JSONValue(Array(text.utf8)) } else { nil }
        // Where Hyprland does not answer, its heads are the best that is known.
        onEvent(.outputs(list.flatMap { HyprlandMonitor.all($0) } ?? heads))
    }
}

/// The outputs in Hyprland's JSON and in its Lua.
enum HyprlandMonitor {
    /// The Lua script that makes a change; nil for a name that would end a string in Lua.
    ///
    /// `hl.monitor` keeps what it is not given: mode, scale, adaptive sync.
    static func script(for change: OutputChange) -> String? {
        let turns = change.transforms.map { ($0.key, "transform = \($0.value.rawValue)") }
        let moves = change.positions.map { ($0.key, "position = \"\($0.value.x)x\($0.value.y)\"") }
        let settings = turns.sorted { $0.0 < $1.0 } + moves.sorted { $0.0 < $1.0 }
        guard settings.allSatisfy({ HyprlandCommand.isPlain($0.0) }) else { return nil }
        return settings.map { "hl.monitor({ output = \"\($0.0)\", \($0.1) })" }.joined(separator: " ")
    }

    /// Reads the reply to `monitors all`; nil if it is invalid.
    static func all(_ reply: JSONValue) -> [Output]? {
        guard let monitors = reply.list else { return nil }
        let outputs = monitors.compactMap { output($0) }
        return outputs.count == monitors.count ? outputs : nil
    }

    private static func output(_ monitor: JSONValue) -> Output? {
        guard let name = monitor["name"]?.text else { return nil }
        if monitor["disabled"]?.flag == true { return Output(name: name, isEnabled: false) }
        let transform = monitor["transform"]?.integer.flatMap { Transform(rawValue: Int32(clamping: $0)) }
        return Output(name, monitor, transform)
    }
}
