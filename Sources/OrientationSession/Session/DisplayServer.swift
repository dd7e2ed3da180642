// SPDX-License-Identifier: Apache-2.0

import CLinux
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

    private let choice: BackendChoice
    /// How the display is reached, as it was found for the last connection.
    private(set) var surroundings: Surroundings
    /// Whether niri serves the display, or did.
    private var needsNiri = false
    private let loop: EventLoop
    private let longestAnswer: Double
    private var state = State.disconnected
    private var timer: Timer?
    /// The number of attempts to connect again since the outputs were known.
    private var attempts = 0

    private var wayland: WaylandConnection?
    private var waylandOutputs: WaylandOutputs?
    private var outputs: (any OutputBackend)?
    /// The outputs of an X server; nil for a compositor, or without a connection.
    private(set) var x11: X11Outputs?
    private(set) var toplevels: WlrToplevels?
    private var workspaces: ExtWorkspaces?
    /// The outputs as the backend has reported them last, and completed by what Wayland says.
    private var heads: [Output] = [], completed: [Output] = []
    private var change = OutputChange()

    /// Set once, before ``connect()``.
    var onEvent: (OutputEvent) -> Void = { _ in }

    /// The server has `longestAnswer` seconds to report its outputs, and to answer a change.
    init(_ choice: BackendChoice, loop: EventLoop, longestAnswer: Double = 8) throws(SystemError) {
        self.choice = choice
        self.loop = loop
        self.longestAnswer = longestAnswer
        surroundings = try Surroundings(choice)
        timer = try loop.timer(owned(by: self) { $0.timePassed() })
    }

    // MARK: - Connection

    /// Connects; reports the outputs once they are known.
    func connect() throws(SystemError) {
        surroundings.update()
        needsNiri = needsNiri || choice != .wlr && surroundings.isNiri
        if needsNiri, niri == nil {
            // Over wlr-output-management, a client replaces niri's whole configuration of outputs.
            throw SystemError("connect to niri at", surroundings.display, errno: Errno(ECONNREFUSED))
        }
        if surroundings.isX11 {
            x11 = try X11Outputs(to: surroundings.name, loop: loop, onEvent: owned(by: self) { $0.handle($1) })
            outputs = x11
        } else {
            wayland = try WaylandConnection(
                to: surroundings.name,
                loop: loop,
                onReady: owned(by: self) { $0.globalsKnown() },
                onLost: owned(by: self) { $0.handle(.lost($1)) }
            )
        }
        enter(.connecting)
    }

    /// The path of niri's socket, if that is used.
    private var niri: String? { choice == .wlr ? nil : surroundings.path(of: .niri) }

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
        case .connecting, .changing:
            let kind = surroundings.isX11 ? "X server" : "compositor"
            handle(.lost("the \(kind) at \(surroundings.display) does not answer", isSilent: true))
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

    private func retry(after problem: String) {
        outputs = nil
        x11 = nil
        toplevels = nil
        workspaces = nil
        waylandOutputs = nil
        wayland = nil
        heads = []
        change = OutputChange()
        enter(.disconnected)
        if attempts >= Self.retry.most { onEvent(.givenUp("\(problem); giving up")) }
    }

    private func globalsKnown() {
        guard let wayland else { return }
        let waylandOutputs = WaylandOutputs(on: wayland)
        self.waylandOutputs = waylandOutputs
        let report: (OutputEvent) -> Void = owned(by: self) { $0.handle($1) }
        do throws(SystemError) {
            outputs =
                if let niri {
                    try NiriOutputs(niri, loop: loop, onEvent: report)
                } else if let folder = surroundings.path(of: .hyprland) {
                    HyprlandOutputs(folder, on: wayland, loop: loop, onEvent: report)
                } else {
                    WlrOutputs(on: wayland, onEvent: report)
                }
        } catch {
            return handle(.lost("\(error)"))
        }
        guard outputs != nil else {
            let problem = "does not offer wlr-output-management, which orient-agent needs; giving up"
            return onEvent(.givenUp("the compositor at \(wayland.name) \(problem)"))
        }
        waylandOutputs.onChange = owned(by: self) {
            $0.outputs?.requestOutputs()
            $0.update()
        }
        toplevels = WlrToplevels(on: wayland, outputs: waylandOutputs, onEvent: report)
        workspaces = ExtWorkspaces(on: wayland, outputs: waylandOutputs, onEvent: report)
    }

    private func update() {
        guard !heads.isEmpty, let waylandOutputs, waylandOutputs.complete(heads) != completed else { return }
        handle(.outputs(heads))
    }

    // MARK: - Outputs

    /// Requests a change, whose end is reported.
    func apply(_ change: OutputChange) {
        enter(.changing)
        guard let waylandOutputs else { return outputs?.apply(change) ?? () }
        waylandOutputs.askForPower(completion: owned(by: self) { $0.apply(change, whileOff: $1) })
    }

    private func apply(_ change: OutputChange, whileOff off: Set<String>) {
        guard change.appliesWhileOff || off.isDisjoint(with: change.transforms.keys) else {
            return handle(.changeEnded(.off))
        }
        self.change = change
        self.change.blanked = off
        outputs?.apply(self.change)
    }

    private func handle(_ event: OutputEvent) {
        var event = event
        switch event {
        case .outputs(let outputs):
            heads = outputs
            completed = waylandOutputs?.complete(heads) ?? heads
            event = .outputs(completed)
        case .changeEnded(let result):
            // labwc lights each output that a change names, and a change must name all. What is outdated was not made:
            // somebody may have lit one.
            if result != .outdated { waylandOutputs?.turnOff(change.blanked) }
            // sway reports what was changed when the output is on again.
            let isBlanked = !change.blanked.isDisjoint(with: change.transforms.keys)
            if result == .applied, isBlanked { event = .changeEnded(.off) }
            change = OutputChange()
        case .window, .workspace, .reloaded, .lost, .givenUp: break
        }
        switch (state, event) {
        case (.connecting, .outputs):
            attempts = 0
            enter(.connected)
        case (.changing, .changeEnded): enter(.connected)
        case (_, .changeEnded): return
        // A display that cannot be reached at the start is a mistake in the environment; later it may come back.
        case (_, .givenUp(let problem)) where attempts > 0: return retry(after: problem)
        default: break
        }
        onEvent(event)
        if case .lost(let reason, _) = event { retry(after: reason) }
    }
}
