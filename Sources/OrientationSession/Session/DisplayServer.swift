// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus
import Wayland

/// The session's compositor or X server; connects to it again after it was restarted or no longer answers.
final class DisplayServer {
    /// Seconds between attempts to connect, and how many there are.
    private static let retry = (seconds: 1.0, most: 30)

    private enum State {
        /// Until the outputs are known.
        case connecting
        case connected
        /// Until the server has answered a change.
        case changing
        /// Until the next attempt to connect.
        case disconnected
    }

    private let backend: BackendChoice
    private let loop: EventLoop
    private let longestAnswer: Double
    private var state = State.disconnected
    private var timer: Timer?
    /// The number of attempts to connect again since the outputs were known.
    private var attempts = 0

    private var wayland: WaylandConnection?
    private var waylandOutputs: WaylandOutputs?
    private var outputs: (any OutputBackend)?
    private var toplevels: WlrToplevels?

    /// Set once, before ``connect()``.
    unowned(unsafe) var delegate: (any OutputBackendDelegate)?

    /// The server has `longestAnswer` seconds to report its outputs, and to answer a change.
    init(_ backend: BackendChoice, loop: EventLoop, longestAnswer: Double = 8) throws(SystemError) {
        (self.backend, self.loop, self.longestAnswer) = (backend, loop, longestAnswer)
        timer = try loop.timer { [unowned(unsafe) self] in withExtendedLifetime(self) { timePassed() } }
    }

    // MARK: - Connection

    /// Connects; the delegate gets the outputs once they are known.
    func connect() throws(SystemError) {
        if backend == .x11 {
            outputs = try X11Outputs(loop: loop, delegate: self) { [unowned(unsafe) self] problem in
                // A display that cannot be reached at the start is a mistake in the environment.
                if attempts == 0 { serverGivenUp(problem) } else { retry(after: problem) }
            }
        } else {
            wayland = try WaylandConnection(
                loop: loop,
                onReady: { [unowned(unsafe) self] in globalsKnown() },
                onLost: { [unowned(unsafe) self] in backendLost($0) }
            )
        }
        enter(.connecting)
    }

    private func enter(_ state: State) {
        self.state = state
        switch state {
        case .connecting, .changing: timer?.arm(after: longestAnswer)
        case .connected: timer?.disarm()
        case .disconnected: timer?.arm(after: Self.retry.seconds)
        }
    }

    private func timePassed() {
        switch state {
        case .connecting, .changing: backendLost("the \(kind) at \(backend.display) does not answer")
        case .connected: break
        case .disconnected:
            attempts += 1
            do throws(SystemError) {
                try connect()
            } catch {
                retry(after: "\(error)")
            }
        }
    }

    private var kind: String { backend == .x11 ? "X server" : "compositor" }

    private func retry(after problem: String) {
        outputs = nil
        toplevels = nil
        waylandOutputs = nil
        wayland = nil
        enter(.disconnected)
        if attempts >= Self.retry.most { delegate?.serverGivenUp("\(problem); giving up") }
    }

    private func globalsKnown() {
        guard let wayland else { return }
        let waylandOutputs = WaylandOutputs(on: wayland)
        self.waylandOutputs = waylandOutputs
        do throws(SystemError) {
            outputs =
                if backend == .niri {
                    try NiriOutputs(changes: waylandOutputs, loop: loop, delegate: self)
                } else if Compositor.detected == .hyprland {
                    HyprlandOutputs(on: wayland, changes: waylandOutputs, loop: loop, delegate: self)
                } else {
                    WlrOutputs(on: wayland, delegate: self)
                }
        } catch {
            return backendLost("\(error)")
        }
        guard outputs != nil else {
            let problem = "does not offer wlr-output-management, which orient-agent needs; giving up"
            return serverGivenUp("the compositor at \(wayland.name) \(problem)")
        }
        toplevels = WlrToplevels(on: wayland, outputs: waylandOutputs, delegate: self)
    }

    // MARK: - Outputs

    /// The process that provides the display; nil if unknown.
    var process: Int32? { outputs?.server ?? wayland?.compositor }

    var mayPlaceAutomatically: Bool { backend != .x11 }

    /// Requests a change; the delegate gets the result.
    func apply(_ change: OutputChange) {
        enter(.changing)
        outputs?.apply(change)
    }

    /// Makes built-in touch screens and pens follow an output from now on, or restores what they had before.
    func mapInput(to output: String, _ isMapped: Bool) { outputs?.mapInput(to: output, isMapped) }

    /// Calls `completion` when the mappings of input devices are as requested; at once without a connection.
    func finish(completion: @escaping () -> Void) {
        if let outputs { outputs.finish(completion: completion) } else { completion() }
    }
}

extension DisplayServer: OutputBackendDelegate {
    func outputsChanged(_ outputs: [Output]) {
        if state == .connecting {
            attempts = 0
            enter(.connected)
        }
        delegate?.outputsChanged(outputs)
    }

    func changeEnded(_ result: OutputResult) {
        guard state == .changing else { return }
        enter(.connected)
        delegate?.changeEnded(result)
    }

    func windowChanged(_ window: FocusedWindow?) { delegate?.windowChanged(window) }

    func backendLost(_ reason: String) {
        delegate?.backendLost(reason)
        retry(after: reason)
    }

    func serverGivenUp(_ problem: String) { delegate?.serverGivenUp(problem) }
}
