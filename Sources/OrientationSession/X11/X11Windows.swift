// SPDX-License-Identifier: Apache-2.0

import CXCB

/// The focused window, as window managers report it according to EWMH.
final class X11Windows {
    /// The number of words of a property that are read at most; class and states are far shorter.
    private static let limit: UInt32 = 256

    private let connection: X11Connection
    private let activeWindow, state, fullscreen: xcb_atom_t
    private var active = xcb_window_t(XCB_NONE)
    private var focused: FocusedWindow?

    /// Whether something changed since the last ``update()``.
    private(set) var isStale = true

    init(_ connection: X11Connection) {
        self.connection = connection
        activeWindow = connection.atom("_NET_ACTIVE_WINDOW")
        state = connection.atom("_NET_WM_STATE")
        fullscreen = connection.atom("_NET_WM_STATE_FULLSCREEN")
        follow(connection.root, true)
    }

    func layoutChanged() { isStale = true }

    func handle(_ event: X11Event) {
        switch Int32(event.number) {
        // The window is at the same place in both.
        case XCB_CONFIGURE_NOTIFY, XCB_DESTROY_NOTIFY, XCB_UNMAP_NOTIFY:
            if event.fields(xcb_destroy_notify_event_t.self).window == active { isStale = true }
        case XCB_PROPERTY_NOTIFY:
            let change = event.fields(xcb_property_notify_event_t.self)
            let properties = change.window == connection.root ? [activeWindow] : [state, XCB_ATOM_WM_CLASS.rawValue]
            if [connection.root, active].contains(change.window), properties.contains(change.atom) { isStale = true }
        default: break
        }
    }

    /// Asks for the focused window, and reports it if it or its state has changed; nil for none.
    func update(_ outputs: [Output], _ report: (FocusedWindow?) -> Void) {
        isStale = false
        let windows: [xcb_window_t] = values(activeWindow, of: connection.root, type: XCB_ATOM_WINDOW)
        var window = windows.first ?? 0
        // A menu takes the focus from a film that it only covers.
        if window == 0, focused?.isFullscreen == true, isVisible(active) { window = active }
        if window != active {
            if active != connection.root, active != 0 { follow(active, false) }
            active = window
            if window != connection.root, window != 0 { follow(window, true) }
        }
        var focused: FocusedWindow?
        if window != 0 {
            let states: [xcb_atom_t] = values(state, of: window, type: XCB_ATOM_ATOM)
            let area = area(of: window)
            focused = FocusedWindow(
                appID: applicationClass(of: window),
                isFullscreen: states.contains(fullscreen),
                // Until the window manager has moved it after a rotation, it may reach into another output.
                outputs: Set(outputs.filter { $0.isShown && area?.isMostly(in: $0.area) ?? false }.map { $0.name })
            )
        }
        guard focused != self.focused else { return }
        self.focused = focused
        report(focused)
    }

    /// Asks for changes of a window's properties and place, or for no more of them.
    private func follow(_ window: xcb_window_t, _ isFollowed: Bool) {
        let events = XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue | XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue
        let mask = [isFollowed ? events : 0]
        connection.send { xcb_change_window_attributes($0, window, XCB_CW_EVENT_MASK.rawValue, mask) }
    }

    private func isVisible(_ window: xcb_window_t) -> Bool {
        let attributes = connection.ask(xcb_get_window_attributes_reply) { xcb_get_window_attributes($0, window) }
        return attributes.map { UInt32($0.header.map_state) } == XCB_MAP_STATE_VIEWABLE.rawValue
    }

    /// The part of the screen that a window covers; nil if it has been closed.
    private func area(of window: xcb_window_t) -> Area? {
        let size = connection.ask(xcb_get_geometry_reply) { xcb_get_geometry($0, window) }
        let origin = connection.ask(xcb_translate_coordinates_reply) {
            xcb_translate_coordinates($0, window, connection.root, 0, 0)
        }
        guard let size = size?.header, let origin = origin?.header else { return nil }
        return Area(x: Int(origin.dst_x), y: Int(origin.dst_y), width: Int(size.width), height: Int(size.height))
    }

    /// The values of a property; none if it has another type or format.
    private func values<Value: BitwiseCopyable>(
        _ property: xcb_atom_t,
        of window: xcb_window_t,
        type: xcb_atom_enum_t
    ) -> [Value] {
        let reply = connection.ask(xcb_get_property_reply) {
            xcb_get_property($0, 0, window, property, type.rawValue, 0, Self.limit)
        }
        return reply.flatMap { $0.values(format: $0.header.format, count: Int($0.header.value_len)) } ?? []
    }

    /// The second of the two strings in WM_CLASS.
    private func applicationClass(of window: xcb_window_t) -> String {
        let bytes: [UInt8] = values(XCB_ATOM_WM_CLASS.rawValue, of: window, type: XCB_ATOM_STRING)
        let strings = bytes.split(separator: 0, omittingEmptySubsequences: false)
        return strings.count > 1 ? String(decoding: strings[1], as: UTF8.self) : ""
    }
}
