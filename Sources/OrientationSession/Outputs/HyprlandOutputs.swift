// SPDX-License-Identifier: Apache-2.0

import JSON
import POSIX
import SystemdBus
import Wayland

/// The outputs of Hyprland, over its own socket.
///
/// Hyprland 0.57 makes a change over wlr-output-management only when it draws its next frame, and an idle screen draws
/// none; afterwards it reports nothing there. That protocol is used for changes only where the configuration is not in
/// Lua.
final class HyprlandOutputs: WlrOutputs {
    private let hyprland: HyprlandSocket
    /// What wlr-output-management has reported.
    private var heads: [Output] = []
    private var question = Question.none

    private enum Question {
        case none, asked
        /// The outputs have changed since they were requested.
        case outdated
    }

    /// Binds the manager of outputs on a connection whose globals are known; nil if Hyprland does not offer one.
    init?(
        on connection: WaylandConnection,
        changes: WaylandOutputs,
        loop: EventLoop,
        delegate: any OutputBackendDelegate
    ) {
        hyprland = HyprlandSocket(loop: loop)
        super.init(on: connection, delegate: delegate)
        changes.onChange = { [unowned(unsafe) self] in requestOutputs() }
    }

    override func apply(_ change: OutputChange) {
        guard let script = HyprlandMonitor.script(for: change) else { return super.apply(change) }
        hyprland.evaluate(
            script,
            orElse: { [unowned(unsafe) self] in applyOverWayland(change) },
            completion: { [unowned(unsafe) self] problem in
                changeEnded(problem.map { .refused("Hyprland refused it: \($0)") } ?? .applied)
            }
        )
    }

    private func applyOverWayland(_ change: OutputChange) { super.apply(change) }

    override func changeEnded(_ result: OutputResult) {
        super.changeEnded(result)
        requestOutputs()
    }

    // MARK: - State

    override func outputsReported(_ outputs: [Output]) {
        heads = outputs
        if outputs.isEmpty { super.outputsReported([]) } else { requestOutputs() }
    }

    private func requestOutputs() {
        // Before the heads are known, no change can be made.
        guard !heads.isEmpty else { return }
        guard question == .none else { return question = .outdated }
        question = .asked
        hyprland.send("j/monitors all") { [unowned(unsafe) self] in outputsAnswered($0) }
    }

    private func outputsAnswered(_ reply: HyprlandSocket.Reply) {
        // Where Hyprland does not answer, its heads are the best that is known.
        var outputs = heads
        if case .text(let text) = reply, let value = try? JSONValue(Array(text.utf8)),
            let monitors = HyprlandMonitor.all(value)
        {
            outputs = monitors
        }
        let isOutdated = question == .outdated
        question = .none
        if isOutdated { requestOutputs() }
        super.outputsReported(outputs)
    }
}

/// The outputs in Hyprland's JSON and in its Lua.
enum HyprlandMonitor {
    /// The Lua script that makes a change; nil for a name that would end a string in Lua.
    ///
    /// `hl.monitor` keeps what it is not given: mode, scale, adaptive sync.
    static func script(for change: OutputChange) -> String? {
        let moves = change.positions.sorted { $0.key < $1.key }
        guard HyprlandCommand.isPlain(change.output), moves.allSatisfy({ HyprlandCommand.isPlain($0.key) }) else {
            return nil
        }
        var calls = ["hl.monitor({ output = \"\(change.output)\", transform = \(change.transform.rawValue) })"]
        for (name, position) in moves {
            calls.append("hl.monitor({ output = \"\(name)\", position = \"\(position.x)x\(position.y)\" })")
        }
        return calls.joined(separator: " ")
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
