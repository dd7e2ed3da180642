// SPDX-License-Identifier: Apache-2.0

package import JSON
import POSIX
import SystemdBus
import Wayland

/// The outputs of Hyprland, over its own socket.
///
/// Hyprland 0.57 carries out a change over wlr-output-management with the next frame only, which an idle screen does not
/// have, and reports nothing afterwards. That protocol is used for changes only where the configuration is not in Lua.
final class HyprlandOutputs: OutputBackend {
    /// How Hyprland takes changes.
    private enum Interface {
        case lua, wlr
    }

    private unowned(unsafe) let delegate: any OutputBackendDelegate
    private let loop: EventLoop
    private var heads: WlrOutputs?
    /// What wlr-output-management has reported.
    private var reported: [Output] = []
    private var question: HyprlandRequest?
    /// Whether something changed while the outputs were asked for.
    private var isStale = false
    /// Nil until a change has shown it.
    private var interface: Interface?
    private var request: HyprlandRequest?

    var server: Int32? { heads?.server }

    /// Binds the manager of outputs on a connection whose globals are known; nil if Hyprland does not offer one.
    init?(
        on connection: WaylandConnection,
        changes: WaylandOutputs,
        loop: EventLoop,
        delegate: any OutputBackendDelegate
    ) {
        self.delegate = delegate
        self.loop = loop
        heads = WlrOutputs(on: connection, delegate: self)
        if heads == nil { return nil }
        changes.onChange = { [unowned(unsafe) self] in requestOutputs() }
    }

    // MARK: - Changes

    func apply(_ change: OutputChange) {
        guard interface != .wlr, let script = HyprlandMonitor.script(for: change),
            let request = try? HyprlandRequest(
                "/eval " + script,
                loop: loop,
                completion: { [unowned(unsafe) self] in ended(change, $0) }
            )
        else {
            heads?.apply(change)
            return
        }
        self.request = request
    }

    private func ended(_ change: OutputChange, _ result: HyprlandRequest.Result) {
        request = nil
        switch result {
        case .reply(Array("ok".utf8)):
            interface = .lua
            changeEnded(.applied)
        case .reply(Array("unknown request".utf8)):
            interface = .wlr
            heads?.apply(change)
        case .reply(let text) where interface == .lua:
            changeEnded(.refused("Hyprland refused it: \(String(decoding: text, as: UTF8.self))"))
        case .failure(let problem) where interface == .lua: changeEnded(.refused(problem))
        case .reply, .failure:
            // Nothing is known of this Hyprland yet: the next change tries its socket again.
            heads?.apply(change)
        }
    }

    // MARK: - State

    private func requestOutputs() {
        // Before the heads are known, no change can be made.
        guard !reported.isEmpty else { return }
        isStale = question != nil
        guard !isStale else { return }
        question = try? HyprlandRequest("j/monitors all", loop: loop) { [unowned(unsafe) self] in answered($0) }
        if question == nil { delegate.outputsChanged(reported) }
    }

    private func answered(_ result: HyprlandRequest.Result) {
        question = nil
        // Where Hyprland does not answer, its heads are the best that is known.
        var outputs = reported
        if case .reply(let bytes) = result, let value = try? JSONValue(bytes), let monitors = HyprlandMonitor.all(value)
        {
            outputs = monitors
        }
        if isStale { requestOutputs() }
        delegate.outputsChanged(outputs)
    }
}

extension HyprlandOutputs: OutputBackendDelegate {
    func outputsChanged(_ outputs: [Output]) {
        reported = outputs
        if outputs.isEmpty { delegate.outputsChanged([]) } else { requestOutputs() }
    }

    func changeEnded(_ result: OutputResult) {
        delegate.changeEnded(result)
        requestOutputs()
    }

    func windowChanged(_ window: FocusedWindow?) {}

    func backendLost(_ reason: String) { delegate.backendLost(reason) }

    func serverGivenUp(_ problem: String) { delegate.serverGivenUp(problem) }
}

/// The outputs in Hyprland's JSON and in its Lua.
package enum HyprlandMonitor {
    /// The Lua that makes a change; nil for names that Lua would not take as they are.
    ///
    /// `hl.monitor` keeps what it is not given: mode, scale, adaptive sync.
    package static func script(for change: OutputChange) -> String? {
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
    package static func all(_ reply: JSONValue) -> [Output]? {
        guard let monitors = reply.list else { return nil }
        let outputs = monitors.compactMap { output($0) }
        return outputs.count == monitors.count ? outputs : nil
    }

    private static func output(_ monitor: JSONValue) -> Output? {
        guard let name = monitor["name"]?.text else { return nil }
        if monitor["disabled"]?.flag == true { return Output(name: name, isEnabled: false) }
        guard let x = monitor["x"]?.integer, let y = monitor["y"]?.integer,
            let width = monitor["width"]?.integer, let height = monitor["height"]?.integer,
            let scale = monitor["scale"]?.number, Output.isScale(scale),
            let number = monitor["transform"]?.integer,
            let transform = Transform(rawValue: Int32(clamping: number))
        else { return nil }
        return Output(
            name: name,
            position: Position(x: x, y: y),
            width: width,
            height: height,
            scale: scale,
            transform: transform
        )
    }
}
