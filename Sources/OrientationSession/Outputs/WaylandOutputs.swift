// SPDX-License-Identifier: Apache-2.0

import CWayland
import Wayland

/// The outputs as every Wayland client knows them: by name, and with a notice of each change.
final class WaylandOutputs {
    /// From version 4 on, an output has a name.
    private static let version: UInt32 = 4

    private let connection: WaylandConnection
    private var names: [OpaquePointer: String] = [:]

    /// Is called after an output was described or described anew, and when one is removed.
    var onChange: () -> Void = {}

    /// Is called with an output that is removed; another one may get its address.
    var onRemoval: (OpaquePointer) -> Void = { _ in }

    /// Binds all outputs of a connection whose globals are known.
    init(on connection: WaylandConnection) {
        self.connection = connection
        connection.observe(orientd_output(), version: Self.version) { [unowned(unsafe) self] proxy, event in
            switch event?.number {
            case 4: names[proxy] = event.map { String(cString: $0.values[0].s) }
            case 2: onChange()
            case nil:
                names[proxy] = nil
                onRemoval(proxy)
                onChange()
            default: break  // geometry, mode, scale, description
            }
        }
    }

    deinit {
        connection.stopObserving()
    }

    /// The connectors of outputs that this connection has bound; nil if the compositor does not name one of them.
    func names(of proxies: Set<OpaquePointer>) -> Set<String>? {
        let found = proxies.compactMap { names[$0] }
        return found.count == proxies.count ? Set(found) : nil
    }
}
