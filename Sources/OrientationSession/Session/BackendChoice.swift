// SPDX-License-Identifier: Apache-2.0

import OrientationConfiguration
import OrientationCore
import POSIX
import Wayland

/// How to reach the outputs of the session.
package enum BackendChoice: String, NamedValue {
    /// niri's socket if there is one, or else Wayland if there is a display, or else X11.
    case auto
    case wlr, niri, x11

    /// The backend that is used; nil if `auto` finds none in the environment.
    var resolved: BackendChoice? { self == .auto ? Self.detected : self }

    private static var detected: BackendChoice? {
        if environment("NIRI_SOCKET") != nil { return .niri }
        if environment("WAYLAND_DISPLAY") != nil { return .wlr }
        return environment("DISPLAY") == nil ? nil : .x11
    }

    /// The name of the display in this session, for messages and the files that belong to it.
    var display: String {
        guard self == .x11 else {
            // The whole path of a socket in the standard folder names the same display.
            let (name, folder) = (WaylandConnection.socketName, environment("XDG_RUNTIME_DIR") ?? "")
            guard !folder.isEmpty, name.utf8.starts(with: (folder + "/").utf8) else { return name }
            return String(decoding: name.utf8.dropFirst(folder.utf8.count + 1), as: UTF8.self)
        }
        // Without the number of the screen: `:0` and `:0.0` are one display.
        let display = environment("DISPLAY") ?? ":0"
        guard let colon = display.utf8.lastIndex(of: UInt8(ascii: ":")),
            let point = display.utf8[colon...].firstIndex(of: UInt8(ascii: "."))
        else { return display }
        return String(decoding: display.utf8[..<point], as: UTF8.self)
    }

    /// What is wrong if no backend was found.
    static let noDisplay = "neither WAYLAND_DISPLAY nor DISPLAY is set"

    /// Why no display can be rotated, as a message; nil if the environment has all that is needed.
    package var problem: String? {
        if resolved == nil { return "\(Self.noDisplay): orient-agent needs a graphical session" }
        if self == .niri, environment("NIRI_SOCKET") == nil {
            return "NIRI_SOCKET is not set: --backend=niri needs it"
        }
        return AgentLock.folder == nil ? "XDG_RUNTIME_DIR is not set: orient-agent keeps its files there" : nil
    }
}
