// SPDX-License-Identifier: Apache-2.0

import CWayland
import Wayland

/// The wl_output objects, which every compositor offers: they have names and report changes.
final class WaylandOutputs {
    /// From version 4 on, an output has a name.
    private static let version: UInt32 = 4

    private let connection: WaylandConnection
    /// The outputs by the numbers of their globals, and their names by proxy.
    private var outputs: [UInt32: WaylandObject] = [:]
    private var names: [OpaquePointer: String] = [:]

    /// Is called after an output was described or described anew, and when one is removed.
    var onChange: () -> Void = {}

    /// Is called with an output that is removed; another one may get its address.
    var onRemoval: (OpaquePointer) -> Void = { _ in }

    /// Binds all outputs of a connection whose globals are known.
    init(on connection: WaylandConnection) {
        self.connection = connection
        connection.onGlobalsChanged = { [unowned(unsafe) self] in update() }
        update()
    }

    deinit {
        connection.onGlobalsChanged = {}
    }

    private func update() {
        guard let interface = orientd_output() else { return }
        let numbers = connection.globals(of: interface)
        for number in numbers where outputs[number] == nil {
            outputs[number] = connection.bind(interface, version: Self.version, number: number) {
                [unowned(unsafe) self] event, values in
                switch event {
                case 4: if let proxy = outputs[number]?.proxy { names[proxy] = String(cString: values[0].s) }
                case 2: onChange()
                default: break  // geometry, mode, scale, description
                }
            }
        }
        for number in outputs.keys where !numbers.contains(number) {
            guard let output = outputs.removeValue(forKey: number) else { continue }
            names[output.proxy] = nil
            onRemoval(output.proxy)
            onChange()
        }
        connection.flush()
    }

    /// The connectors of outputs that this connection has bound; nil if the compositor does not name one of them.
    func names(of proxies: Set<OpaquePointer>) -> Set<String>? {
        let found = proxies.compactMap { names[$0] }
        return found.count == proxies.count ? Set(found) : nil
    }
}
