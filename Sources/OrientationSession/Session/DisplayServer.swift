// SPDX-License-Identifier: Apache-2.0

import OrientationConfiguration
import OrientationCore
import POSIX
import SystemdBus
import Wayland

/// How to reach the outputs of the session.
package enum BackendChoice: String, NamedValue {
    /// niri's socket if there is one, or else Wayland if there is a display, or else X11.
    case auto
    case wlr, niri, x11

    /// The backend that is used; nil if `auto` finds none in the environment.
    var resolved: BackendChoice? { self == .auto ? Self.detected : self }

    private static var detected: BackendChoice? {
        let isSet = { (name: String) in !(environment(name) ?? "").isEmpty }
        if isSet("NIRI_SOCKET") { return .niri }
        if isSet("WAYLAND_DISPLAY") { return .wlr }
        return isSet("DISPLAY") ? .x11 : nil
    }
}

/// The session's compositor or X server; connects to it again after it was restarted or no longer answers.
package final class DisplayServer {
    /// Seconds between attempts to connect, and how many there are.
    private static let retry = (seconds: 1.0, most: 30)
    /// Seconds that a server has to report its outputs, and to answer a change.
    private static let longestAnswer = 8.0

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
    private var state = State.disconnected
    private var timer: Timer?
    /// How often a connection was tried since the outputs were known, besides the first time.
    private var attempts = 0

    private var wayland: WaylandConnection?
    private var waylandOutputs: WaylandOutputs?
    private var outputs: (any OutputBackend)?
    private var toplevels: WlrToplevels?

    /// Set once, before ``connect()``.
    unowned(unsafe) var delegate: (any OutputBackendDelegate)?

    init(_ backend: BackendChoice, loop: EventLoop) throws(SystemError) {
        self.backend = backend
        self.loop = loop
        timer = try loop.timer { [unowned(unsafe) self] in withExtendedLifetime(self) { timePassed() } }
    }

    // MARK: - Environment

    /// The name of the display in this session, for the files that belong to it.
    static func name(for backend: BackendChoice) -> String {
        guard backend == .x11 else {
            // The whole path of a socket in the standard folder names the same display.
            let (name, folder) = (WaylandConnection.socketName, environment("XDG_RUNTIME_DIR") ?? "")
            guard !folder.isEmpty, name.utf8.starts(with: (folder + "/").utf8) else { return name }
            return String(decoding: name.utf8.dropFirst(folder.utf8.count + 1), as: UTF8.self)
        }
        // Without the number of the screen: `:0` and `:0.0` are one display.
        let display = environment("DISPLAY") ?? ":0"
        guard let colon = display.utf8.lastIndex(of: UInt8(ascii: ":")),
            let point = display.utf8[colon...].firstIndex(of: UInt8(ascii: "."))
        else { return display }
        return String(decoding: display.utf8[..<point], as: UTF8.self)
    }

    /// What is wrong if no backend was found.
    static let noDisplay = "neither WAYLAND_DISPLAY nor DISPLAY is set"

    /// Why no display can be rotated, as a message; nil if the environment has all that is needed.
    package static func problem(for backend: BackendChoice) -> String? {
        if backend.resolved == nil { return "\(noDisplay): orient-agent needs a graphical session" }
        if backend == .niri, (environment("NIRI_SOCKET") ?? "").isEmpty {
            return "NIRI_SOCKET is not set: --backend=niri needs it"
        }
        return AgentLock.folder == nil ? "XDG_RUNTIME_DIR is not set: orient-agent keeps its files there" : nil
    }

    // MARK: - Connection

    /// Connects; the delegate gets the outputs once they are known.
    func connect() throws(SystemError) {
        if backend == .x11 {
            outputs = try X11Outputs(loop: loop, delegate: self) { [unowned(unsafe) self] problem in
                // A display that never existed is a mistake.
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
        case .connecting, .changing: timer?.arm(after: Self.longestAnswer)
        case .connected: timer?.disarm()
        case .disconnected: timer?.arm(after: Self.retry.seconds)
        }
    }

    private func timePassed() {
        switch state {
        case .connecting, .changing: backendLost("the \(kind) at \(Self.name(for: backend)) does not answer")
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

    /// Lets built-in touch screens and pens follow an output from now on, or puts back what they had before.
    func mapInput(to output: String, _ isMapped: Bool) { outputs?.mapInput(to: output, isMapped) }

    /// Calls `completion` when input devices are as requested, at once without a connection.
    func finish(completion: @escaping () -> Void) {
        if let outputs { outputs.finish(completion: completion) } else { completion() }
    }
}

extension DisplayServer: OutputBackendDelegate {
    package func outputsChanged(_ outputs: [Output]) {
        if state == .connecting {
            attempts = 0
            enter(.connected)
        }
        delegate?.outputsChanged(outputs)
    }

    package func changeEnded(_ result: OutputResult) {
        guard state == .changing else { return }
        enter(.connected)
        delegate?.changeEnded(result)
    }

    package func windowChanged(_ window: FocusedWindow?) { delegate?.windowChanged(window) }

    package func backendLost(_ reason: String) {
        delegate?.backendLost(reason)
        retry(after: reason)
    }

    package func serverGivenUp(_ problem: String) { delegate?.serverGivenUp(problem) }
}
