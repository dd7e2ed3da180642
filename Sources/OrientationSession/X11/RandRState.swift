// SPDX-License-Identifier: Apache-2.0

import CXCB

/// What RandR says about one screen.
struct RandRState {
    /// A part of the screen that is scanned out.
    struct Crtc: Hashable {
        let id: xcb_randr_crtc_t
        /// On the screen: rotated, and with the CRTC's own transformation.
        var area: Area
        /// 0 for a CRTC that is off.
        var mode: xcb_randr_mode_t
        var rotation: UInt16
        let rotations: UInt16
        var outputs: [xcb_randr_output_t]

        var isOn: Bool { mode != 0 }
        var off: Crtc {
            let origin = Area(x: 0, y: 0, width: area.width, height: area.height)
            return Crtc(id: id, area: origin, mode: 0, rotation: 1, rotations: rotations, outputs: [])
        }
    }

    typealias Connector = (name: String, crtc: xcb_randr_crtc_t, isPanel: Bool)

    let timestamp: xcb_timestamp_t
    let screen: Extent
    private(set) var crtcs: [Crtc] = []
    /// Those that are connected or on.
    private(set) var connectors: [Connector] = []
    private(set) var modes: [xcb_randr_mode_t: Extent] = [:]

    /// Asks the server; nil if it does not answer as RandR 1.3 requires.
    init?(_ connection: X11Connection) {
        let root = connection.root
        let current = {
            connection.ask(xcb_randr_get_screen_resources_current_reply) {
                xcb_randr_get_screen_resources_current($0, root)
            }
        }
        guard let geometry = connection.ask(xcb_get_geometry_reply, { xcb_get_geometry($0, root) }),
            var resources = current()
        else { return nil }
        // Probing the hardware takes long, but servers with a driver for RandR 1.0 know their output only afterwards.
        if resources.header.num_outputs == 0 {
            _ = connection.ask(xcb_randr_get_screen_resources_reply) { xcb_randr_get_screen_resources($0, root) }
            guard let probed = current() else { return nil }
            resources = probed
        }
        screen = Extent(width: Int(geometry.header.width), height: Int(geometry.header.height))
        let header = resources.header
        timestamp = header.config_timestamp
        let crtcIDs = 32
        let outputIDs = crtcIDs + 4 * Int(header.num_crtcs)
        let modeInfos = outputIDs + 4 * Int(header.num_outputs)
        guard let crtcs = resources.values(xcb_randr_crtc_t.self, count: Int(header.num_crtcs), at: crtcIDs),
            let outputs = resources.values(xcb_randr_output_t.self, count: Int(header.num_outputs), at: outputIDs),
            let modes = resources.values(xcb_randr_mode_info_t.self, count: Int(header.num_modes), at: modeInfos)
        else { return nil }
        for mode in modes { self.modes[mode.id] = Extent(width: Int(mode.width), height: Int(mode.height)) }
        for id in crtcs {
            guard let crtc = crtc(id, on: connection) else { return nil }
            self.crtcs.append(crtc)
        }
        connectors = outputs.compactMap { connector($0, on: connection) }
    }

    private func crtc(_ id: xcb_randr_crtc_t, on connection: X11Connection) -> Crtc? {
        let reply = connection.ask(xcb_randr_get_crtc_info_reply) { xcb_randr_get_crtc_info($0, id, timestamp) }
        guard let reply, reply.header.status == XCB_RANDR_SET_CONFIG_SUCCESS.rawValue,
            let outputs = reply.values(xcb_randr_output_t.self, count: Int(reply.header.num_outputs))
        else { return nil }
        let info = reply.header
        return Crtc(
            id: id,
            area: Area(x: Int(info.x), y: Int(info.y), width: Int(info.width), height: Int(info.height)),
            mode: info.mode,
            rotation: info.rotation,
            rotations: info.rotations,
            outputs: outputs
        )
    }

    /// Describes an output; nil if it is not used and nothing is connected to it.
    private func connector(_ id: xcb_randr_output_t, on connection: X11Connection) -> Connector? {
        let reply = connection.ask(xcb_randr_get_output_info_reply) { xcb_randr_get_output_info($0, id, timestamp) }
        guard let reply, reply.header.status == XCB_RANDR_SET_CONFIG_SUCCESS.rawValue else { return nil }
        let info = reply.header
        let lists = 4 * (Int(info.num_crtcs) + Int(info.num_modes) + Int(info.num_clones))
        let start = MemoryLayout<xcb_randr_get_output_info_reply_t>.size
        guard info.crtc != 0 || info.connection != XCB_RANDR_CONNECTION_DISCONNECTED.rawValue,
            let name = reply.values(UInt8.self, count: Int(info.name_len), at: start + lists)
        else { return nil }
        let type = connection.ask(xcb_randr_get_output_property_reply) {
            let property = connection.atom("ConnectorType")
            return xcb_randr_get_output_property($0, id, property, XCB_ATOM_ATOM.rawValue, 0, 1, 0, 0)
        }
        let isPanel = type?.header.num_items == 1 && type?.values(count: 1, at: 32) == [connection.atom("Panel")]
        return (String(decoding: name, as: UTF8.self), info.crtc, isPanel)
    }

    /// The outputs, of which those without a CRTC are disabled.
    var outputs: [Output] {
        connectors.map { connector in
            guard let crtc = crtcs.first(where: { $0.id == connector.crtc && $0.isOn }) else {
                return Output(name: connector.name, isEnabled: false, isPanel: connector.isPanel)
            }
            let transform = Transform(randr: crtc.rotation)
            let size = crtc.area.size.transformed(transform)
            return Output(
                name: connector.name,
                position: crtc.area.position,
                width: size.width,
                height: size.height,
                transform: transform,
                isPanel: connector.isPanel
            )
        }
    }
}

extension Transform {
    private static let reflectX = UInt16(XCB_RANDR_ROTATION_REFLECT_X.rawValue)
    private static let reflectY = UInt16(XCB_RANDR_ROTATION_REFLECT_Y.rawValue)

    /// Converts RandR's flags: a counter-clockwise rotation, before which the picture is reflected.
    init(randr flags: UInt16) {
        let turns = [1, 2, 4, 8].firstIndex(of: flags & 0xf) ?? 0
        let isMirrored = (flags & Self.reflectX != 0) != (flags & Self.reflectY != 0)
        // Reflecting at the horizontal axis is reflecting at the vertical one and half a turn.
        let halfTurn = flags & Self.reflectY != 0 ? 2 : 0
        self = Transform(rawValue: Int32((turns + halfTurn) % 4 + (isMirrored ? 4 : 0))) ?? .normal
    }

    var randrFlags: UInt16 { UInt16(1) << UInt16(quarterTurns) | (isMirrored ? Self.reflectX : 0) }
}
