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

/// The session's compositor or X server; connects to it again after it was restarted.
package final class DisplayServer {
    /// Seconds between attempts to connect, and how many there are.
    private static let retry = (seconds: 1.0, most: 30)
    /// Seconds that a compositor has to tell its outputs.
    private static let longestWait = 8.0

    private let backend: BackendChoice
    private let loop: EventLoop
    private var timer: Timer?
    private var silence: Timer?
    private var attempts = 0

    private var wayland: WaylandConnection?
    private var waylandOutputs: WaylandOutputs?
    private(set) var outputs: (any OutputBackend)?
    private var toplevels: WlrToplevels?

    /// Set once, before ``connect()``.
    unowned(unsafe) var delegate: (any OutputBackendDelegate)?

    init(_ backend: BackendChoice, loop: EventLoop) throws(SystemError) {
        self.backend = backend
        self.loop = loop
        timer = try loop.timer { [unowned(unsafe) self] in withExtendedLifetime(self) { reconnect() } }
        silence = try loop.timer { [unowned(unsafe) self] in
            withExtendedLifetime(self) {
                delegate?.backendLost("the compositor at \(Self.name(for: backend)) does not answer")
            }
        }
    }

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

    /// Connects; the delegate gets the outputs once they are known.
    func connect() throws(SystemError) {
        if backend == .x11, let delegate {
            outputs = try X11Outputs(loop: loop, delegate: delegate)
            return
        }
        wayland = try WaylandConnection(
            loop: loop,
            onReady: { [unowned(unsafe) self] in globalsKnown() },
            onLost: { [unowned(unsafe) self] in delegate?.backendLost($0) }
        )
        silence?.arm(after: Self.longestWait)
    }

    /// The connection works; the next loss is a new one.
    func outputsKnown() {
        attempts = 0
        silence?.disarm()
    }

    /// Drops the connection, and tries for a while to connect again.
    func connectionLost(_ reason: String) {
        silence?.disarm()
        outputs = nil
        toplevels = nil
        waylandOutputs = nil
        wayland = nil
        guard attempts < Self.retry.most else { return delegate?.serverGivenUp(reason) ?? () }
        timer?.arm(after: Self.retry.seconds)
    }

    private func reconnect() {
        attempts += 1
        do throws(SystemError) {
            try connect()
        } catch {
            connectionLost("\(error)")
        }
    }

    private func globalsKnown() {
        guard let wayland, let delegate else { return }
        let waylandOutputs = WaylandOutputs(on: wayland)
        self.waylandOutputs = waylandOutputs
        do throws(SystemError) {
            outputs =
                if backend == .niri {
                    try NiriOutputs(on: wayland, changes: waylandOutputs, loop: loop, delegate: delegate)
                } else if Compositor.detected == .hyprland {
                    HyprlandOutputs(on: wayland, changes: waylandOutputs, loop: loop, delegate: delegate)
                } else {
                    WlrOutputs(on: wayland, delegate: delegate)
                }
        } catch {
            return delegate.backendLost("\(error)")
        }
        guard outputs != nil else {
            let problem = "does not offer wlr-output-management, which orient-agent needs"
            return delegate.serverGivenUp("the compositor at \(wayland.name) \(problem)")
        }
        toplevels = WlrToplevels(on: wayland, outputs: waylandOutputs, delegate: delegate)
    }
}
