// SPDX-License-Identifier: Apache-2.0

import CLinux
package import CWayland
import CWaylandProtocols
package import POSIX
package import SystemdBus

/// A connection to a Wayland compositor, read by an event loop.
///
/// No call waits for the compositor.
package final class WaylandConnection {
    /// How many objects a compositor may have: globals, and outputs, modes and windows that it creates.
    private static let mostObjects = 10_000
    /// The compositor's socket, for messages.
    package let name: String
    private let display: WaylandDisplay
    /// Nil once the connection is lost.
    private var source: EventSource?
    private var registry: WaylandObject?
    private var sync: WaylandObject?
    private let onReady: () -> Void
    private let onLost: (String) -> Void
    /// Is called after all events that have arrived together were handled.
    package var afterEvents: () -> Void = {}
    /// Is called when a global object has come or gone, after ``onReady`` was called.
    package var onGlobalsChanged: () -> Void = {}
    /// The global objects that the compositor offers: the number and the version of each interface.
    private var globals: [(number: UInt32, interface: String, version: UInt32)] = []

    /// Connects to a socket, by its name or its whole path.
    ///
    /// `onReady` is called once all globals are known; `onLost`, once, when the connection breaks, with the reason.
    /// Both are called from the loop.
    package init(
        to name: String,
        loop: EventLoop,
        onReady: @escaping () -> Void,
        onLost: @escaping (String) -> Void
    ) throws(SystemError) {
        self.name = name
        display = try WaylandDisplay(name)
        self.onReady = onReady
        self.onLost = onLost
        source = try loop.watch(wl_display_get_fd(display.pointer), owned(by: self) { $0.read() })
        registry = object(wl_display_get_registry(display.pointer), owned(by: self) { $0.registryChanged($1, $2) })
        let synced: WaylandObject.Handler = owned(by: self) { connection, _, _ in
            connection.sync = nil
            connection.onReady()
        }
        sync = object(wl_display_sync(display.pointer), synced)
        flush()
    }

    /// The numbers of the globals of an interface.
    package func globals(of interface: UnsafePointer<wl_interface>) -> [UInt32] {
        let name = String(cString: interface.pointee.name)
        return globals.filter { $0.interface == name }.map { $0.number }
    }

    /// Creates the object for a global, the first of an interface if none is given; nil if the compositor offers none.
    package func bind(
        _ interface: UnsafePointer<wl_interface>,
        version: UInt32,
        number: UInt32? = nil,
        _ handler: @escaping WaylandObject.Handler
    ) -> WaylandObject? {
        guard let registry, let number = number ?? globals(of: interface).first,
            let global = globals.first(where: { $0.number == number })
        else { return nil }
        let pointer = wl_registry_bind(registry.proxy, number, interface, min(version, global.version))
        return object(pointer.map { OpaquePointer($0) }, handler)
    }

    /// Owns an object that the compositor or a request has created.
    package func object(_ proxy: OpaquePointer?, _ handler: @escaping WaylandObject.Handler) -> WaylandObject? {
        proxy.map { WaylandObject($0, on: display, handler) }
    }

    /// Sends the requests that were made; what does not fit into the socket is sent after the next event.
    package func flush() {
        guard wl_display_flush(display.pointer) < 0, Errno.current != .again else { return }
        // The next read reports the failure: no handler is called from here.
        shutdown(wl_display_get_fd(display.pointer), Int32(SHUT_RD))
    }

    private func registryChanged(_ event: Int, _ values: WaylandObject.Values) {
        if event == WL_REGISTRY_EVENT_GLOBAL {
            globals.append((values[0].u, String(cString: values[1].s), values[2].u))
        } else {
            globals.removeAll { $0.number == values[0].u }
        }
        if sync == nil { onGlobalsChanged() }
    }

    private func read() {
        let pointer = display.pointer
        while wl_display_prepare_read(pointer) != 0 {
            guard wl_display_dispatch_pending(pointer) >= 0 else { return fail() }
        }
        guard wl_display_read_events(pointer) >= 0, wl_display_dispatch_pending(pointer) >= 0 else { return fail() }
        guard max(display.objects, globals.count) <= Self.mostObjects else {
            source = nil
            return onLost("the compositor at \(name) has more than \(Self.mostObjects) objects")
        }
        afterEvents()
        flush()
    }

    private func fail() {
        source = nil
        let error = Errno(wl_display_get_error(display.pointer))
        guard error.code == EPROTO else {
            let isClosed = error.code == EPIPE || error.code == ECONNRESET
            return onLost(
                isClosed
                    ? "the compositor at \(name) closed the connection"
                    : "cannot read from the compositor at \(name): \(error)"
            )
        }
        var interface: UnsafePointer<wl_interface>?
        let code = wl_display_get_protocol_error(display.pointer, &interface, nil)
        let object = interface.map { String(cString: $0.pointee.name) } ?? "an unknown object"
        onLost("the compositor at \(name) reported protocol error \(code) of \(object)")
    }
}
