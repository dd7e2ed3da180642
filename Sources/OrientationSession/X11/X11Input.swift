// SPDX-License-Identifier: Apache-2.0

import CXCB
import OrientationCore
import POSIX

/// Maps the built-in touch screens, pens and erasers to the panel, by their Coordinate Transformation Matrix.
///
/// What a device had before is kept in a property of the device, so that an agent that ends early loses nothing.
final class X11Input {
    private struct Device {
        let id: xcb_input_device_id_t
        var baseline: MatrixBaseline
        /// The matrix that the device has now.
        var matrix: CalibrationMatrix
        /// The mapping that the device follows; nil while it follows none.
        var mapping: CalibrationMatrix?
        /// Whether this agent or an earlier one has set the matrix, and the baseline is saved in the device.
        var isChanged: Bool
        /// Whether the baseline's matrix may be for a layout that is to come: somebody has set it while the agent runs,
        /// or before, and it maps to no output yet.
        var isNew = false
        /// Whether somebody has mapped it to another output: it is left alone.
        var isElsewhere = false
    }

    private enum Scan {
        case first
        /// Devices have come, gone or changed since the last scan.
        case needed
        case done
    }

    /// The events that XInput 2 numbers.
    private static let hierarchyChanged: UInt16 = 11, propertyChanged: UInt16 = 12
    private static let allDevices: UInt16 = 0

    /// The properties of devices.
    private static let matrix = "Coordinate Transformation Matrix", baseline = "orient-agent Baseline"
    private static let node = "Device Node"

    private let connection: X11Connection
    private let opcode: UInt8

    private var devices: [Device] = []
    private var scan = Scan.first
    /// The output that the devices belong to, and whether they are mapped to it; nil while unknown.
    private var target: (panel: String, isMapped: Bool)?
    /// What maps the devices to the panel in the present layout; nil while that is unknown.
    private var mapping: CalibrationMatrix?
    private var layout: (outputs: [Output], screen: Extent) = ([], Extent(width: 0, height: 0))
    /// Whether there is something to do in ``update()``.
    private(set) var isStale = false

    /// Follows the devices of a server with XInput 2; nil if it is older.
    init?(_ connection: X11Connection) {
        guard let (opcode, _) = connection.numbers(ofExtension: "XInputExtension"),
            let version = connection.ask(xcb_input_xi_query_version_reply, { xcb_input_xi_query_version($0, 2, 2) }),
            version.header.major_version >= 2
        else { return nil }
        self.connection = connection
        self.opcode = opcode
        // The header of a mask, and its only word.
        let mask: (xcb_input_event_mask_t, UInt32) = (
            xcb_input_event_mask_t(deviceid: Self.allDevices, mask_len: 1),
            1 << Self.hierarchyChanged | 1 << Self.propertyChanged
        )
        withUnsafeBytes(of: mask) { bytes in
            let header = bytes.baseAddress?.assumingMemoryBound(to: xcb_input_event_mask_t.self)
            connection.send { xcb_input_xi_select_events($0, connection.root, 1, header) }
        }
    }

    // MARK: - Events

    func handle(_ event: X11Event) {
        let change = event.fields(xcb_input_property_event_t.self)
        guard change.extension == opcode else { return }
        let property = change.event_type == Self.propertyChanged ? change.property : 0
        let mayMoveDevice = change.event_type == Self.hierarchyChanged || property == connection.atom(Self.node)
        if mayMoveDevice, scan == .done { scan = .needed }
        if scan != .done || property == connection.atom(Self.matrix) { isStale = true }
    }

    func layoutChanged(_ outputs: [Output], screen: Extent) {
        layout = (outputs, screen)
        isStale = true
    }

    /// Maps the devices to an output from now on, or restores their own matrices.
    func map(to panel: String, _ isMapped: Bool) {
        target = (panel, isMapped)
        isStale = true
    }

    func update() {
        isStale = false
        guard let (panel, isMapped) = target else { return }
        if let output = layout.outputs.first(where: { $0.name == panel && $0.isShown }) {
            mapping = CalibrationMatrix(area: output.area, output.transform, screen: layout.screen).rounded
        }
        guard let mapping else { return }
        for index in devices.indices { adopt(&devices[index], mapping) }
        if scan != .done { findDevices(mapping, of: panel) }
        for index in devices.indices {
            if devices[index].isNew { classify(&devices[index], panel) }
            if isMapped, !devices[index].isElsewhere {
                follow(mapping, &devices[index])
            } else {
                restore(in: mapping, &devices[index])
            }
        }
    }

    // MARK: - Matrices

    /// Finds out whether somebody has mapped a device to an output; if not, its matrix corrects how it is mounted.
    ///
    /// A script for a key may set the matrix before the layout: what maps to the panel only later counts then.
    private func classify(_ device: inout Device, _ panel: String) {
        let matrix = device.baseline.matrix
        guard matrix != .identity else { return }
        let found = outputs(matrix)
        if found.contains(where: { $0.name == panel }) {
            device.baseline = MatrixBaseline(matrix: matrix, mapping: matrix)
            device.isNew = false
            device.isElsewhere = false
            if device.isChanged { save(device) }
        } else if !found.isEmpty {
            device.isElsewhere = true
            forget(&device)
        }
    }

    /// The outputs to which a matrix maps.
    private func outputs(_ matrix: CalibrationMatrix) -> [Output] {
        layout.outputs.filter { $0.isShown && matrix.maps(to: $0, screen: layout.screen) }
    }

    /// Whether a device with this matrix belongs to another output than the panel, or may do so.
    private func isElsewhere(_ matrix: CalibrationMatrix, _ panel: String) -> Bool {
        let area = layout.outputs.first { $0.name == panel }?.area
        let hasOtherPanel = layout.outputs.contains { $0.name != panel && $0.isBuiltIn }
        return hasOtherPanel || outputs(matrix).contains { $0.name != panel && $0.area != area }
    }

    /// Accepts the matrix that somebody else may have set: it stays until the layout changes.
    ///
    /// The identity is no wish, but the server's default: a device that was reset is mapped again.
    private func adopt(_ device: inout Device, _ mapping: CalibrationMatrix) {
        guard let matrix = matrix(of: device.id), matrix != device.matrix else { return }
        device.matrix = matrix
        guard matrix != .identity else {
            device.mapping = nil
            return
        }
        device.baseline = MatrixBaseline(matrix: matrix, mapping: mapping)
        device.isNew = true
        device.isElsewhere = false
        if device.isChanged { save(device) }
    }

    private func follow(_ mapping: CalibrationMatrix, _ device: inout Device) {
        guard device.mapping != mapping else { return }
        device.mapping = mapping
        let matrix = device.baseline.mapped(to: mapping).rounded
        guard matrix != device.matrix else { return }
        if !device.isChanged { save(device) }
        device.isChanged = true
        set(matrix, &device)
    }

    private func restore(in mapping: CalibrationMatrix, _ device: inout Device) {
        device.mapping = nil
        guard device.isChanged else { return }
        set(device.baseline.restored(in: mapping).rounded, &device)
        forget(&device)
    }

    /// Leaves the device with the matrix that it has.
    private func forget(_ device: inout Device) {
        guard device.isChanged else { return }
        device.isChanged = false
        connection.send { xcb_input_xi_delete_property($0, device.id, connection.atom(Self.baseline)) }
    }

    private func set(_ matrix: CalibrationMatrix, _ device: inout Device) {
        device.matrix = matrix
        change(Self.matrix, of: device.id, to: matrix.rows + [0, 0, 1])
    }

    private func save(_ device: Device) {
        change(Self.baseline, of: device.id, to: device.baseline.matrix.rows + device.baseline.mapping.rows)
    }

    private func change(_ property: String, of device: xcb_input_device_id_t, to values: [Double]) {
        let (property, type) = (connection.atom(property), connection.atom("FLOAT"))
        let (replace, values) = (UInt8(XCB_PROP_MODE_REPLACE.rawValue), values.map { Float($0) })
        connection.send {
            xcb_input_xi_change_property($0, device, replace, 32, property, type, UInt32(values.count), values)
        }
    }

    // MARK: - Devices

    private func findDevices(_ mapping: CalibrationMatrix, of panel: String) {
        defer { scan = .done }
        let builtIn = builtIn(for: panel)
        for index in devices.indices where !builtIn.contains(devices[index].id) {
            restore(in: mapping, &devices[index])
        }
        devices.removeAll { !builtIn.contains($0.id) }
        for id in builtIn where !devices.contains(where: { $0.id == id }) {
            guard let matrix = matrix(of: id) else { continue }
            let saved = savedBaseline(of: id)
            // The matrix of a new device comes from the server's configuration, which does not depend on the layout.
            let found = MatrixBaseline(matrix: matrix, mapping: scan == .first ? mapping : .identity)
            var device = Device(id: id, baseline: saved ?? found, matrix: matrix, isChanged: saved != nil)
            // A matrix that turns the panel's own picture is a mounting here: the layout is not about to change.
            if saved == nil, scan == .first, matrix != mapping {
                device.isElsewhere = isElsewhere(matrix, panel)
                device.isNew = !device.isElsewhere && outputs(matrix).isEmpty
            }
            devices.append(device)
        }
    }

    /// The devices of the server that it reads from a node of a built-in touch screen or pen.
    private func builtIn(for panel: String) -> [xcb_input_device_id_t] {
        let known = InputDevice.all.serving(isAlone: layout.outputs.isAlone(panel))
        let reply = connection.ask(xcb_input_list_input_devices_reply) { xcb_input_list_input_devices($0) }
        let listed = reply?.values(xcb_input_device_info_t.self, count: Int(reply?.header.devices_len ?? 0)) ?? []
        return listed.map { xcb_input_device_id_t($0.device_id) }.filter { id in
            let path: [UInt8] = values(Self.node, of: id, type: XCB_ATOM_STRING.rawValue) ?? []
            let parts = path.prefix { $0 != 0 }.split(separator: UInt8(ascii: "/"))
            let node = String(decoding: parts.last ?? [], as: UTF8.self)
            guard let device = known.first(where: { $0.node == node }) else { return false }
            return known.isBuiltIn(device.kind) { $0.node == node }
        }
    }

    // MARK: - Properties

    /// The values of a property; nil if it has another type, another format or another number of them.
    private func values<Value: BitwiseCopyable>(
        _ property: String,
        of device: xcb_input_device_id_t,
        type: xcb_atom_t,
        count: Int? = nil
    ) -> [Value]? {
        let atom = connection.atom(property)
        let reply = connection.ask(xcb_input_xi_get_property_reply) {
            xcb_input_xi_get_property($0, device, 0, atom, type, 0, 64)
        }
        let found = Int(reply?.header.num_items ?? 0)
        guard let reply, found == count ?? found else { return nil }
        return reply.values(format: reply.header.format, count: found)
    }

    private func floats(_ property: String, of device: xcb_input_device_id_t, count: Int) -> [Double]? {
        let values: [Float]? = values(property, of: device, type: connection.atom("FLOAT"), count: count)
        guard let values, values.allSatisfy({ $0.isFinite }) else { return nil }
        return values.map { Double($0) }
    }

    private func matrix(of device: xcb_input_device_id_t) -> CalibrationMatrix? {
        floats(Self.matrix, of: device, count: 9).map { CalibrationMatrix(rows: $0) }
    }

    private func savedBaseline(of device: xcb_input_device_id_t) -> MatrixBaseline? {
        floats(Self.baseline, of: device, count: 12).map {
            MatrixBaseline(matrix: CalibrationMatrix(rows: $0), mapping: CalibrationMatrix(rows: Array($0[6...])))
        }
    }
}

extension CalibrationMatrix {
    /// The same with the precision of a property.
    fileprivate var rounded: CalibrationMatrix { CalibrationMatrix(rows: rows.map { Double(Float($0)) }) }
}
