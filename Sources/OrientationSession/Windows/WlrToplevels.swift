// SPDX-License-Identifier: Apache-2.0

import CWayland
import CWaylandProtocols
import SystemdBus
import Wayland

/// The focused window of a compositor that supports wlr-foreign-toplevel-management-unstable-v1.
final class WlrToplevels {
    /// From version 2 on, a window says whether it covers the screen.
    private static let version: UInt32 = 3

    private let onEvent: (OutputEvent) -> Void
    private let connection: WaylandConnection
    private let outputs: WaylandOutputs
    private var manager: WaylandObject?
    private var windows: [OpaquePointer: Window] = [:]
    private var focused: FocusedWindow?
    /// The window that had the focus last; nil if it was closed.
    private var last: OpaquePointer?
    /// Whether a window's state is complete and not reported yet.
    private var isNew = false

    /// A window, with the state that an event announces as complete.
    private struct Window {
        let object: WaylandObject
        var appID = ""
        var isActivated = false, isFullscreen = false, isMinimized = false
        /// Nil until the compositor names one.
        var outputs: Set<OpaquePointer>?

        mutating func enter(_ output: OpaquePointer) { outputs = (outputs ?? []).union([output]) }
    }

    /// Binds the manager; nil if the compositor does not offer one.
    init?(on connection: WaylandConnection, outputs: WaylandOutputs, onEvent: @escaping (OutputEvent) -> Void) {
        self.connection = connection
        self.outputs = outputs
        self.onEvent = onEvent
        let handler: WaylandObject.Handler = owned(by: self) { $0.managerChanged($1, $2) }
        manager = connection.bind(orientd_foreign_toplevel_manager(), version: Self.version, handler)
        if manager == nil { return nil }
        outputs.onRemoval = owned(by: self) { toplevels, output in
            for window in toplevels.windows.keys { toplevels.windows[window]?.outputs?.remove(output) }
            toplevels.isNew = true
        }
        // Some compositors announce the loss of the focus apart from its gain.
        connection.afterEvents = owned(by: self) { $0.update() }
    }

    deinit {
        connection.afterEvents = {}
        outputs.onRemoval = { _ in }
    }

    private func managerChanged(_ event: Int, _ values: WaylandObject.Values) {
        switch event {
        case ZWLR_FOREIGN_TOPLEVEL_MANAGER_EVENT_TOPLEVEL:
            guard let proxy = values[0].o else { return }
            let object = connection.object(proxy, owned(by: self) { $0.changed(proxy, $1, $2) })
            windows[proxy] = object.map { Window(object: $0) }
        default: manager = nil
        }
    }

    private func changed(_ window: OpaquePointer, _ event: Int, _ values: WaylandObject.Values) {
        switch event {
        case ZWLR_FOREIGN_TOPLEVEL_HANDLE_EVENT_APP_ID: windows[window]?.appID = String(cString: values[0].s)
        case ZWLR_FOREIGN_TOPLEVEL_HANDLE_EVENT_OUTPUT_ENTER:
            if let output = values[0].o { windows[window]?.enter(output) }
        case ZWLR_FOREIGN_TOPLEVEL_HANDLE_EVENT_OUTPUT_LEAVE:
            if let output = values[0].o { windows[window]?.outputs?.remove(output) }
        case ZWLR_FOREIGN_TOPLEVEL_HANDLE_EVENT_STATE:
            let states = values[0].a.map { array in
                UnsafeBufferPointer(
                    start: array.pointee.data?.assumingMemoryBound(to: UInt32.self),
                    count: array.pointee.size / MemoryLayout<UInt32>.size
                )
            }
            let has = { (state: Int) in states?.contains(UInt32(state)) ?? false }
            windows[window]?.isMinimized = has(ZWLR_FOREIGN_TOPLEVEL_HANDLE_STATE_MINIMIZED)
            windows[window]?.isActivated = has(ZWLR_FOREIGN_TOPLEVEL_HANDLE_STATE_ACTIVATED)
            windows[window]?.isFullscreen = has(ZWLR_FOREIGN_TOPLEVEL_HANDLE_STATE_FULLSCREEN)
        case ZWLR_FOREIGN_TOPLEVEL_HANDLE_EVENT_DONE: isNew = true
        case ZWLR_FOREIGN_TOPLEVEL_HANDLE_EVENT_CLOSED:
            windows[window]?.object.send(ZWLR_FOREIGN_TOPLEVEL_HANDLE_DESTROY)
            windows[window] = nil
            // Another one may get its address.
            if last == window { last = nil }
            isNew = true
        default: break  // title, parent
        }
    }

    /// Another workspace is shown on the panel: compositors do not say that windows are not shown any more.
    func workspaceChanged() {
        last = nil
        // The window that loses the focus may report that later.
        guard !windows.values.contains(where: { $0.isActivated }) else { return }
        isNew = true
        update()
    }

    private func update() {
        guard isNew else { return }
        isNew = false
        // A launcher or an on-screen keyboard takes the focus from a film that it only covers.
        last = windows.first { $0.value.isActivated }?.key ?? last
        let window = last.flatMap { windows[$0] }.flatMap { window in
            window.isActivated || window.isFullscreen && !window.isMinimized ? window : nil
        }
        let focused = window.map {
            FocusedWindow(
                appID: $0.appID,
                isFullscreen: $0.isFullscreen,
                outputs: $0.outputs.flatMap { outputs.names(of: $0) }
            )
        }
        guard focused != self.focused else { return }
        self.focused = focused
        onEvent(.window(focused))
    }
}
