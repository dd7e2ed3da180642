// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// The compositors whose touch screens and pens do not follow the panel unless they are mapped to it.
enum Compositor: String, CaseIterable, Sendable {
    case sway, hyprland, niri, labwc, wayfire, river

    /// The compositor of this session; nil if it is none of these.
    static var detected: Compositor? {
        detected { environment($0) }
    }

    /// Whether the compositor's own socket, which the environment names, does not exist.
    var isSocketMissing: Bool {
        switch self {
        case .sway: environment("SWAYSOCK").map { access($0, F_OK) != 0 } ?? false
        case .niri: environment("NIRI_SOCKET").map { access($0, F_OK) != 0 } ?? false
        case .hyprland, .labwc, .wayfire, .river: false
        }
    }

    /// Finds it by the name of the desktop, or else by the variables that compositors set for their own sockets.
    static func detected(_ value: (String) -> String?) -> Compositor? {
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
}
