// SPDX-License-Identifier: Apache-2.0

import CLinux
package import CWayland
import POSIX

/// The connection as libwayland knows it; closed with its last object.
final class WaylandDisplay {
    let pointer: OpaquePointer
    /// How many objects there are, most of which the compositor has created.
    fileprivate(set) var objects = 0

    init(_ name: String) throws(SystemError) {
        orientd_silence_wayland()
        guard let display = wl_display_connect(name) else {
            throw SystemError("connect to the Wayland display", name, errno: .current)
        }
        pointer = display
    }

    deinit { wl_display_disconnect(pointer) }
}

/// An object on a Wayland connection; its last reference destroys the proxy without a request to the compositor.
package final class WaylandObject {
    /// The arguments of an event or a request.
    package typealias Values = UnsafeMutablePointer<wl_argument>

    /// Is called with the number of each event, in the order of the protocol, and its arguments.
    package typealias Handler = (_ event: Int, _ values: Values) -> Void

    package let proxy: OpaquePointer
    private let display: WaylandDisplay
    fileprivate let handler: Handler

    init(_ proxy: OpaquePointer, on display: WaylandDisplay, _ handler: @escaping Handler) {
        self.proxy = proxy
        self.display = display
        self.handler = handler
        display.objects += 1
        wl_proxy_add_dispatcher(proxy, dispatch, Unmanaged.passUnretained(self).toOpaque(), nil)
    }

    deinit {
        display.objects -= 1
        wl_proxy_destroy(proxy)
    }

    package func send(_ request: Int, _ values: [wl_argument] = []) { _ = marshal(request, values, nil) }

    /// Makes a request whose first argument is the object that it creates.
    package func create(
        _ interface: UnsafePointer<wl_interface>?,
        by request: Int,
        _ values: [wl_argument],
        _ handler: @escaping Handler = { _, _ in }
    ) -> WaylandObject? {
        marshal(request, [wl_argument(n: 0)] + values, interface).map { WaylandObject($0, on: display, handler) }
    }

    private func marshal(
        _ request: Int,
        _ values: [wl_argument],
        _ interface: UnsafePointer<wl_interface>?
    ) -> OpaquePointer? {
        var values = values
        let version = wl_proxy_get_version(proxy)
        return wl_proxy_marshal_array_flags(proxy, UInt32(request), interface, version, 0, &values)
    }
}

/// Delivers an event to its object, as libwayland's dispatcher.
private func dispatch(
    _ object: UnsafeRawPointer?,
    _: UnsafeMutableRawPointer?,
    _ event: UInt32,
    _: UnsafePointer<wl_message>?,
    _ values: UnsafeMutablePointer<wl_argument>?
) -> Int32 {
    guard let object, let values else { return 0 }
    // It may release the object.
    let handler = Unmanaged<WaylandObject>.fromOpaque(object).takeUnretainedValue().handler
    handler(Int(event), values)
    return 0
}
