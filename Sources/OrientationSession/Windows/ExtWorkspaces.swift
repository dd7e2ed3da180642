// SPDX-License-Identifier: Apache-2.0

import CWayland
import CWaylandProtocols
import SystemdBus
import Wayland

/// The workspaces that a compositor shows, by ext-workspace-v1.
final class ExtWorkspaces {
    private let onEvent: (OutputEvent) -> Void
    private let connection: WaylandConnection
    private let outputs: WaylandOutputs
    private var manager: WaylandObject?
    private var groups: [OpaquePointer: Group] = [:]
    private var workspaces: [OpaquePointer: (object: WaylandObject, isActive: Bool)] = [:]

    /// The workspaces of one or more outputs.
    private struct Group {
        let object: WaylandObject
        var outputs: Set<OpaquePointer> = []
        var members: Set<OpaquePointer> = []
        /// The members that were shown when the compositor's last changes were complete; nil once one of them was removed,
        /// whose address another one may get.
        var shown: Set<OpaquePointer>? = []
    }

    /// Binds the manager; nil if the compositor does not offer one.
    init?(on connection: WaylandConnection, outputs: WaylandOutputs, onEvent: @escaping (OutputEvent) -> Void) {
        self.connection = connection
        self.outputs = outputs
        self.onEvent = onEvent
        let handler: WaylandObject.Handler = owned(by: self) { $0.managerChanged($1, $2) }
        manager = connection.bind(orientd_workspace_manager(), version: 1, handler)
        if manager == nil { return nil }
    }

    private func managerChanged(_ event: Int, _ values: WaylandObject.Values) {
        switch event {
        case EXT_WORKSPACE_MANAGER_EVENT_WORKSPACE_GROUP:
            guard let proxy = values[0].o else { return }
            let object = connection.object(proxy, owned(by: self) { $0.groupChanged(proxy, $1, $2) })
            groups[proxy] = object.map { Group(object: $0) }
        case EXT_WORKSPACE_MANAGER_EVENT_WORKSPACE:
            guard let proxy = values[0].o else { return }
            let object = connection.object(proxy, owned(by: self) { $0.workspaceChanged(proxy, $1, $2) })
            workspaces[proxy] = object.map { ($0, isActive: false) }
        case EXT_WORKSPACE_MANAGER_EVENT_DONE: update()
        default: manager = nil
        }
    }

    private func groupChanged(_ group: OpaquePointer, _ event: Int, _ values: WaylandObject.Values) {
        switch event {
        case EXT_WORKSPACE_GROUP_HANDLE_EVENT_OUTPUT_ENTER:
            if let output = values[0].o { groups[group]?.outputs.insert(output) }
        case EXT_WORKSPACE_GROUP_HANDLE_EVENT_OUTPUT_LEAVE:
            if let output = values[0].o { groups[group]?.outputs.remove(output) }
        case EXT_WORKSPACE_GROUP_HANDLE_EVENT_WORKSPACE_ENTER:
            if let workspace = values[0].o { groups[group]?.members.insert(workspace) }
        case EXT_WORKSPACE_GROUP_HANDLE_EVENT_WORKSPACE_LEAVE:
            if let workspace = values[0].o { groups[group]?.members.remove(workspace) }
        case EXT_WORKSPACE_GROUP_HANDLE_EVENT_REMOVED:
            groups[group]?.object.send(EXT_WORKSPACE_GROUP_HANDLE_DESTROY)
            groups[group] = nil
        default: break  // capabilities
        }
    }

    private func workspaceChanged(_ workspace: OpaquePointer, _ event: Int, _ values: WaylandObject.Values) {
        switch event {
        case EXT_WORKSPACE_HANDLE_EVENT_STATE:
            workspaces[workspace]?.isActive = values[0].u & UInt32(EXT_WORKSPACE_HANDLE_STATE_ACTIVE) != 0
        case EXT_WORKSPACE_HANDLE_EVENT_REMOVED:
            workspaces[workspace]?.object.send(EXT_WORKSPACE_HANDLE_DESTROY)
            workspaces[workspace] = nil
            for group in groups.keys {
                groups[group]?.members.remove(workspace)
                if groups[group]?.shown?.contains(workspace) ?? false { groups[group]?.shown = nil }
            }
        default: break  // id, name, coordinates, capabilities
        }
    }

    /// Reports the outputs that show other workspaces than before.
    private func update() {
        var changed: Set<OpaquePointer> = []
        for (proxy, group) in groups {
            let shown = group.members.filter { workspaces[$0]?.isActive ?? false }
            guard shown != group.shown else { continue }
            groups[proxy]?.shown = shown
            changed.formUnion(group.outputs)
        }
        // An output that has gone, of which the group was not told, has no name.
        let names = changed.compactMap { outputs.names(of: [$0])?.first }
        if !names.isEmpty { onEvent(.workspace(outputs: Set(names))) }
    }
}
