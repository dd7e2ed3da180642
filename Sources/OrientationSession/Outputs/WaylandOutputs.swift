// SPDX-License-Identifier: Apache-2.0

import CWayland
import CWaylandProtocols
import SystemdBus
import Wayland

/// The wl_output objects, which every compositor offers, with what it says about them elsewhere: size and power.
///
/// A client that has an object for the power of an output excludes all others. So one is made for each use, and destroyed
/// by the next request, before the compositor reads what another client sends.
final class WaylandOutputs {
    /// From version 4 on, an output has a name.
    private static let version: UInt32 = 4

    private struct Description {
        let output: WaylandObject
        /// Empty until the compositor names it.
        var name = ""
        var geometry: WaylandObject?
        var mode, logicalSize: Extent?
    }

    private let connection: WaylandConnection
    private var geometryManager, powerManager: WaylandObject?
    /// By the numbers of their globals.
    private var outputs: [UInt32: Description] = [:]
    /// The outputs whose power was asked for, and those of them that are off.
    private var asked: [String: WaylandObject] = [:]
    private var off: Set<String> = []
    private var onPower: (Set<String>) -> Void = { _ in }

    /// Is called after an output was described or described anew, and when one is removed.
    var onChange: () -> Void = {}

    /// Is called with an output that is removed; another one may get its address.
    var onRemoval: (OpaquePointer) -> Void = { _ in }

    /// Binds all outputs of a connection whose globals are known.
    init(on connection: WaylandConnection) {
        self.connection = connection
        geometryManager = connection.bind(orientd_xdg_output_manager(), version: 3) { _, _ in }
        powerManager = connection.bind(orientd_output_power_manager(), version: 1) { _, _ in }
        connection.onGlobalsChanged = owned(by: self) { $0.update() }
        update()
    }

    deinit { connection.onGlobalsChanged = {} }

    private func update() {
        guard let interface = orientd_output() else { return }
        let numbers = connection.globals(of: interface)
        for number in numbers where outputs[number] == nil { add(number, interface) }
        for number in outputs.keys where !numbers.contains(number) {
            guard let output = outputs.removeValue(forKey: number) else { continue }
            onRemoval(output.output.proxy)
            onChange()
        }
    }

    private func add(_ number: UInt32, _ interface: UnsafePointer<wl_interface>) {
        let handler: WaylandObject.Handler = owned(by: self) { $0.outputChanged(number, $1, $2) }
        guard let bound = connection.bind(interface, version: Self.version, number: number, handler) else { return }
        var output = Description(output: bound)
        output.geometry = geometryManager?.create(
            orientd_xdg_output(),
            by: ZXDG_OUTPUT_MANAGER_GET_XDG_OUTPUT,
            [wl_argument(o: bound.proxy)],
            owned(by: self) { $0.geometryChanged(number, $1, $2) }
        )
        outputs[number] = output
    }

    private func outputChanged(_ number: UInt32, _ event: Int, _ values: WaylandObject.Values) {
        switch event {
        case WL_OUTPUT_EVENT_NAME: outputs[number]?.name = String(cString: values[0].s)
        case WL_OUTPUT_EVENT_MODE where values[0].u & WL_OUTPUT_MODE_CURRENT.rawValue != 0:
            outputs[number]?.mode = Extent(width: Int(values[1].i), height: Int(values[2].i))
        case WL_OUTPUT_EVENT_DONE: onChange()
        default: break
        }
    }

    private func geometryChanged(_ number: UInt32, _ event: Int, _ values: WaylandObject.Values) {
        // From version 3 on, the output's own `done` announces that all is described.
        guard event == ZXDG_OUTPUT_EVENT_LOGICAL_SIZE, values[0].i > 0, values[1].i > 0 else { return }
        outputs[number]?.logicalSize = Extent(width: Int(values[0].i), height: Int(values[1].i))
        onChange()
    }

    // MARK: - Power

    /// Calls `completion` with the names of the outputs that are blanked; at once if that is unknown.
    func askForPower(completion: @escaping (Set<String>) -> Void) {
        off = []
        onPower = completion
        for output in outputs.values {
            let name = output.name
            asked[name] = power(of: output, owned(by: self) { $0.powerReported(name, $1, $2) })
            asked[name]?.send(ZWLR_OUTPUT_POWER_DESTROY)
        }
        connection.flush()
        if asked.isEmpty { completion([]) }
    }

    private func powerReported(_ name: String, _ event: Int, _ values: WaylandObject.Values) {
        guard asked.removeValue(forKey: name) != nil else { return }
        if event == ZWLR_OUTPUT_POWER_EVENT_MODE, values[0].u == ZWLR_OUTPUT_POWER_OFF { off.insert(name) }
        if asked.isEmpty { onPower(off) }
    }

    func turnOff(_ names: Set<String>) {
        for output in outputs.values where names.contains(output.name) {
            let power = power(of: output) { _, _ in }
            power?.send(ZWLR_OUTPUT_POWER_SET_MODE, [wl_argument(u: UInt32(ZWLR_OUTPUT_POWER_OFF))])
            power?.send(ZWLR_OUTPUT_POWER_DESTROY)
        }
        connection.flush()
    }

    private func power(of output: Description, _ handler: @escaping WaylandObject.Handler) -> WaylandObject? {
        let arguments = [wl_argument(o: output.output.proxy)]
        return powerManager?.create(
            orientd_output_power(),
            by: ZWLR_OUTPUT_POWER_MANAGER_GET_OUTPUT_POWER,
            arguments,
            handler
        )
    }

    // MARK: - Descriptions

    /// Adds what is known about heads that another protocol describes.
    func complete(_ heads: [Output]) -> [Output] {
        heads.map { head in
            var head = head
            guard let known = outputs.values.first(where: { $0.name == head.name }) else { return head }
            // A mode that the compositor has made itself may be none of the head's.
            if head.width == 0, let mode = known.mode { (head.width, head.height) = (mode.width, mode.height) }
            if let size = known.logicalSize { head.setLogicalSize(size) }
            return head
        }
    }

    /// The connectors of outputs that this connection has bound; nil if the compositor does not name one of them.
    func names(of proxies: Set<OpaquePointer>) -> Set<String>? {
        let found = outputs.values.filter { proxies.contains($0.output.proxy) && !$0.name.isEmpty }.map { $0.name }
        return found.count == proxies.count ? Set(found) : nil
    }
}
