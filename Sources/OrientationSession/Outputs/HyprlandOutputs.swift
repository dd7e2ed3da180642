// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus
import Wayland

/// The outputs of Hyprland: changed with wlr-output-management, and read from its own socket.
///
/// Hyprland 0.57 announces `done` before it carries out a change, reports nothing afterwards, and carries one out with the
/// next frame only, which an idle screen does not have.
final class HyprlandOutputs: OutputBackend {
    /// Seconds until the first request for a frame while a change is pending, and between further ones, and how many
    /// there are.
    private static let frames = (first: 0.05, next: 0.5, most: 5)

    private unowned(unsafe) let delegate: any OutputBackendDelegate
    private let loop: EventLoop
    private var heads: WlrOutputs?
    /// What wlr-output-management has reported.
    private var reported: [Output] = []
    private var question: HyprlandRequest?
    /// Whether something changed while the outputs were asked for.
    private var isStale = false

    private var timer: Timer?
    private var frame: HyprlandRequest?
    private var frameCount = 0

    let mayPlaceAutomatically = true
    var server: Int32? { heads?.server }

    /// Binds the manager of outputs on a connection whose globals are known; nil if Hyprland does not offer one.
    init?(
        on connection: WaylandConnection,
        changes: WaylandOutputs,
        loop: EventLoop,
        delegate: any OutputBackendDelegate
    ) throws(SystemError) {
        self.delegate = delegate
        self.loop = loop
        timer = try loop.timer { [unowned(unsafe) self] in withExtendedLifetime(self) { requestFrame() } }
        heads = WlrOutputs(on: connection, delegate: self)
        if heads == nil { return nil }
        changes.onChange = { [unowned(unsafe) self] in requestOutputs() }
    }

    func apply(_ change: OutputChange) {
        heads?.apply(change)
        frameCount = 0
        timer?.arm(after: Self.frames.first)
    }

    private func requestFrame() {
        frameCount += 1
        // Versions before 0.55, which need no frame, do not know the request; what goes wrong shows as a pending change.
        frame = try? request("/eval hl.dispatch(hl.dsp.force_renderer_reload())") { [unowned(unsafe) self] _ in
            frame = nil
        }
        if frameCount < Self.frames.most { timer?.arm(after: Self.frames.next) }
    }

    // MARK: - State

    private func requestOutputs() {
        // Before the heads are known, no change can be made.
        guard !reported.isEmpty else { return }
        isStale = question != nil
        guard !isStale else { return }
        question = try? request("j/monitors all") { [unowned(unsafe) self] in answered($0) }
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

    private func request(
        _ text: String,
        completion: @escaping (HyprlandRequest.Result) -> Void
    ) throws(SystemError) -> HyprlandRequest {
        try HyprlandRequest(text, to: HyprlandRequest.folder + "/.socket.sock", loop: loop, completion: completion)
    }
}

extension HyprlandOutputs: OutputBackendDelegate {
    func outputsChanged(_ outputs: [Output]) {
        reported = outputs
        if outputs.isEmpty { delegate.outputsChanged([]) } else { requestOutputs() }
    }

    func changeEnded(_ result: OutputResult) {
        timer?.disarm()
        delegate.changeEnded(result)
        requestOutputs()
    }

    func windowChanged(_ window: FocusedWindow?) {}

    func backendLost(_ reason: String) { delegate.backendLost(reason) }

    func serverGivenUp(_ problem: String) { delegate.serverGivenUp(problem) }
}

/// The outputs in Hyprland's JSON.
package enum HyprlandMonitor {
    /// Reads the reply to `monitors all`; nil if it is invalid.
    package static func all(_ reply: JSONValue) -> [Output]? {
        guard let monitors = reply.list else { return nil }
        let outputs = monitors.compactMap { output($0) }
        return outputs.count == monitors.count ? outputs : nil
    }

    private static func output(_ monitor: JSONValue) -> Output? {
        guard let name = monitor["name"]?.text else { return nil }
        if monitor["disabled"] == .flag(true) { return Output(name: name, isEnabled: false) }
        guard let x = monitor["x"]?.integer, let y = monitor["y"]?.integer,
            let width = monitor["width"]?.integer, let height = monitor["height"]?.integer,
            let scale = monitor["scale"]?.number, scale > 0,
            let number = monitor["transform"]?.integer, let transform = Transform(rawValue: Int32(clamping: number))
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
