// SPDX-License-Identifier: Apache-2.0

import POSIX

/// The compositors whose touch screens and pens do not follow the panel unless they are mapped to it.
package enum Compositor: String, CaseIterable, Sendable {
    case sway, hyprland, niri, labwc, wayfire, river

    /// The compositor of this session; nil if it is none of these.
    package static var detected: Compositor? {
        detected { environment($0) }
    }

    /// Goes by the name of the desktop, or else by the variables that compositors set for their own sockets.
    package static func detected(_ variable: (String) -> String?) -> Compositor? {
        func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
        for name in value("XDG_CURRENT_DESKTOP")?.utf8.split(separator: UInt8(ascii: ":")) ?? [] {
            let name = String(decoding: name, as: UTF8.self).lowercased()
            if let compositor = Compositor(rawValue: name) { return compositor }
        }
        if value("NIRI_SOCKET") != nil { return .niri }
        if value("HYPRLAND_INSTANCE_SIGNATURE") != nil { return .hyprland }
        if value("SWAYSOCK") != nil { return .sway }
        if value("LABWC_PID") != nil { return .labwc }
        return value("WAYFIRE_SOCKET") == nil ? nil : .wayfire
    }

    /// What the user must add to the compositor's configuration so that a device follows an output.
    package struct InputSetting: Hashable, Sendable {
        package var file: String
        /// What surrounds the line in the file; nil for nothing.
        package var section: String?
        package var line: String
    }

    /// The setting for a device; nil where orient-agent maps it.
    package func inputSetting(for device: InputDevice, on output: String) -> InputSetting? {
        let isTouch = device.kind == .touchScreen
        switch self {
        case .sway, .hyprland: return nil
        case .niri:
            let device = isTouch ? "touch" : "tablet"
            return InputSetting(
                file: "~/.config/niri/config.kdl",
                section: "input",
                line: "\(device) { map-to-output \"\(output)\"; }"
            )
        case .labwc:
            let line =
                isTouch
                ? "<touch deviceName=\"\(device.name)\" mapToOutput=\"\(output)\"/>"
                : "<tablet mapToOutput=\"\(output)\"/>"
            return InputSetting(file: "~/.config/labwc/rc.xml", section: "<labwc_config>", line: line)
        case .wayfire:
            return InputSetting(
                file: "~/.config/wayfire.ini",
                section: "[input-device:\(device.name)]",
                line: "output = \(output)"
            )
        case .river:
            // river's names end with the kernel's, with underscores.
            let name = String(decoding: device.name.utf8.map { $0 == 0x20 ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
            return InputSetting(
                file: "~/.config/river/init",
                line: "riverctl input '*-\(name)' map-to-output \(output)"
            )
        }
    }
}

extension Compositor.InputSetting: CustomStringConvertible {
    package var description: String {
        "\(file)\(section.map { ", in \($0)" } ?? ""): \(line)"
    }
}
