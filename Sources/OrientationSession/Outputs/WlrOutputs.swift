// SPDX-License-Identifier: Apache-2.0

import CWayland
import CWaylandProtocols
import POSIX
import SystemdBus
import Wayland

/// The outputs of a compositor that supports wlr-output-management-unstable-v1.
final class WlrOutputs: OutputBackend {
    /// From version 2 on, a head has all that is needed; what a client does not set stays as it is.
    private static let version: UInt32 = 2

    private let onEvent: (OutputEvent) -> Void
    private let connection: WaylandConnection
    private var manager: WaylandObject?
    private var heads: [WlrHead] = []
    /// That of the last complete state; nil before the first.
    private var serial: UInt32?
    private var configuration: WaylandObject?

    /// Binds the manager on a connection whose globals are known; nil if the compositor does not offer one.
    init?(on connection: WaylandConnection, onEvent: @escaping (OutputEvent) -> Void) {
        self.connection = connection
        self.onEvent = onEvent
        let handler: WaylandObject.Handler = owned(by: self) { $0.managerChanged($1, $2) }
        manager = connection.bind(orientd_output_manager(), version: Self.version, handler)
        if manager == nil { return nil }
    }

    // MARK: - State

    private func managerChanged(_ event: Int, _ values: WaylandObject.Values) {
        switch event {
        case ZWLR_OUTPUT_MANAGER_EVENT_HEAD: heads.append(WlrHead(values[0].o, on: connection))
        case ZWLR_OUTPUT_MANAGER_EVENT_DONE:
            serial = values[0].u
            heads.removeAll { $0.isFinished }
            onEvent(.outputs(heads.map { $0.output }))
        default:
            manager = nil
            onEvent(.lost("the compositor at \(connection.name) no longer manages outputs"))
        }
    }

    // MARK: - Changes

    func apply(_ change: OutputChange) {
        guard let serial, let manager else { return }
        configuration = manager.create(
            orientd_output_configuration(),
            by: ZWLR_OUTPUT_MANAGER_CREATE_CONFIGURATION,
            [wl_argument(u: serial)],
            owned(by: self) { outputs, event, _ in outputs.configurationEnded(event) }
        )
        // Every head must be named; a head that is only named stays as it is.
        for head in heads where !head.isFinished { configure(head, change) }
        configuration?.send(ZWLR_OUTPUT_CONFIGURATION_APPLY)
        connection.flush()
    }

    private func configure(_ head: WlrHead, _ change: OutputChange) {
        // labwc reports an output that is blanked as disabled, and removes one that a client disables.
        guard head.output.isEnabled || change.blanked.contains(head.output.name) else {
            configuration?.send(ZWLR_OUTPUT_CONFIGURATION_DISABLE_HEAD, [head.argument])
            return
        }
        // The compositor's object lives as long as the configuration; this end is not needed any more.
        let enabled = configuration?.create(
            orientd_output_configuration_head(),
            by: ZWLR_OUTPUT_CONFIGURATION_ENABLE_HEAD,
            [head.argument]
        )
        if let transform = change.transforms[head.output.name] {
            enabled?.send(ZWLR_OUTPUT_CONFIGURATION_HEAD_SET_TRANSFORM, [wl_argument(i: transform.rawValue)])
        }
        if let position = change.positions[head.output.name] {
            let place = [position.x, position.y].map { wl_argument(i: Int32(clamping: $0)) }
            enabled?.send(ZWLR_OUTPUT_CONFIGURATION_HEAD_SET_POSITION, place)
        }
    }

    private func configurationEnded(_ event: Int) {
        configuration?.send(ZWLR_OUTPUT_CONFIGURATION_DESTROY)
        configuration = nil
        switch event {
        case ZWLR_OUTPUT_CONFIGURATION_EVENT_SUCCEEDED: onEvent(.changeEnded(.applied))
        case ZWLR_OUTPUT_CONFIGURATION_EVENT_FAILED: onEvent(.changeEnded(.refused("the compositor refused it")))
        default: onEvent(.changeEnded(.outdated))
        }
    }
}

/// An output as the compositor reports it, event by event.
private final class WlrHead {
    private(set) var isFinished = false
    private var state = Output(name: "")
    private var modes: [OpaquePointer: (object: WaylandObject, width: Int, height: Int)] = [:]
    private var currentMode: OpaquePointer?
    private let connection: WaylandConnection
    private var head: WaylandObject?

    /// Owns the head that an event has created.
    init(_ proxy: OpaquePointer?, on connection: WaylandConnection) {
        self.connection = connection
        head = connection.object(proxy, owned(by: self) { $0.changed($1, $2) })
    }

    var argument: wl_argument { wl_argument(o: head?.proxy) }

    var output: Output {
        var output = state
        if let mode = currentMode.flatMap({ modes[$0] }) {
            output.width = mode.width
            output.height = mode.height
        }
        return output
    }

    private func changed(_ event: Int, _ values: WaylandObject.Values) {
        switch event {
        case ZWLR_OUTPUT_HEAD_EVENT_NAME: state.name = String(cString: values[0].s)
        case ZWLR_OUTPUT_HEAD_EVENT_MODE:
            guard let mode = values[0].o else { return }
            let object = connection.object(mode, owned(by: self) { $0.modeChanged(mode, $1, $2) })
            modes[mode] = object.map { ($0, 0, 0) }
        case ZWLR_OUTPUT_HEAD_EVENT_ENABLED: state.isEnabled = values[0].i != 0
        case ZWLR_OUTPUT_HEAD_EVENT_CURRENT_MODE: currentMode = values[0].o
        case ZWLR_OUTPUT_HEAD_EVENT_POSITION: state.position = Position(x: Int(values[0].i), y: Int(values[1].i))
        case ZWLR_OUTPUT_HEAD_EVENT_TRANSFORM: state.transform = Transform(rawValue: values[0].i) ?? .normal
        case ZWLR_OUTPUT_HEAD_EVENT_SCALE:
            let scale = wl_fixed_to_double(values[0].f)
            if Output.isScale(scale) { state.scale = scale }
        case ZWLR_OUTPUT_HEAD_EVENT_FINISHED: isFinished = true
        default: break
        }
    }

    private func modeChanged(_ mode: OpaquePointer, _ event: Int, _ values: WaylandObject.Values) {
        switch event {
        case ZWLR_OUTPUT_MODE_EVENT_SIZE:
            modes[mode]?.width = Int(values[0].i)
            modes[mode]?.height = Int(values[1].i)
        case ZWLR_OUTPUT_MODE_EVENT_FINISHED: modes[mode] = nil
        default: break
        }
    }
}
