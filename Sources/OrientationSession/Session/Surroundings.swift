// SPDX-License-Identifier: Apache-2.0

import OrientationConfiguration
import OrientationCore
import POSIX

/// How to reach the outputs of the session.
package enum BackendChoice: String, NamedValue {
    /// Wayland if a compositor answers, over niri's socket if it is niri, or else X11.
    case auto
    case wlr, niri, x11
}

/// The display of this session and its compositor, found by asking.
///
/// A variable of the environment counts if its socket answers: the environment of a service may lack variables, or have
/// those of a session that has ended. A compositor's own socket counts if the process that serves the display answers.
struct Surroundings {
    /// A compositor's own socket; the path is that of a folder for Hyprland, which has several.
    typealias Socket = (compositor: Compositor, path: String)

    let isX11: Bool
    /// The display as clients name it: a socket's name or path, or `:0`.
    let name: String
    /// The process that serves a Wayland display, 0 if it is unknown; nil if none answers.
    private(set) var server: Int32?
    private(set) var socket: Socket?

    /// Throws if there is no display, or no niri where `choice` asks for it.
    init(_ choice: BackendChoice) throws(SystemError) {
        let wayland = environment("WAYLAND_DISPLAY"), x11 = environment("DISPLAY")
        let answers = wayland.map { listener(at: Self.path($0)) != nil } ?? false
        let server = choice == .auto ? x11.map { Self.xServer($0) } : nil
        if let x11, choice == .x11 || server == .own && !answers {
            isX11 = true
            name = x11
        } else if choice == .x11 {
            throw SystemError("find", "a display", errno: .notFound, reason: "DISPLAY is not set, which X11 needs")
        } else if let found = answers ? wayland : Self.onlyCompositor ?? wayland {
            isX11 = false
            name = found
        } else if let x11, server == .silent {
            isX11 = true
            name = x11
        } else {
            let reason =
                if x11 == nil {
                    "neither WAYLAND_DISPLAY nor DISPLAY is set: orient-agent needs a graphical session"
                } else if choice != .auto {
                    "WAYLAND_DISPLAY is not set, which the backend \(choice.name) needs"
                } else {
                    "DISPLAY is that of Xwayland, and WAYLAND_DISPLAY is not set"
                }
            throw SystemError("find", "a display", errno: .notFound, reason: reason)
        }
        update()
        guard choice != .niri || path(of: .niri) != nil else {
            let isSet = environment("NIRI_SOCKET") != nil
            let reason = isSet ? "the socket of NIRI_SOCKET does not answer" : "NIRI_SOCKET is not set"
            throw SystemError("find", "niri", errno: .notFound, reason: reason)
        }
    }

    /// Asks again, after the server has gone.
    mutating func update() {
        guard !isX11 else { return }
        server = listener(at: Self.path(name))
        socket = server.flatMap { Self.socket(of: $0) }
    }

    // MARK: - Displays

    private static var folder: String { AgentLock.runtimeFolder ?? "" }

    private static func path(_ name: String, in folder: String = folder) -> String {
        name.utf8.first == UInt8(ascii: "/") ? name : "\(folder)/\(name)"
    }

    /// The compositors of this user that answer, by the names of their sockets.
    private static var compositors: [(name: String, process: Int32)] {
        names(in: folder, from: "wayland-").compactMap { name in listener(at: path(name)).map { (name, $0) } }
    }

    /// The only one of these; nil if there are none or several.
    private static var onlyCompositor: String? { compositors.count == 1 ? compositors[0].name : nil }

    private enum XServer {
        /// A server with outputs of its own.
        case own
        case xwayland, silent
    }

    /// Asks a local X server; a remote one is not asked.
    ///
    /// The socket of Xwayland belongs to it or to what starts it: a compositor or xwayland-satellite.
    private static func xServer(_ display: String) -> XServer {
        guard display.utf8.first == UInt8(ascii: ":") else { return .own }
        let number = display.utf8.dropFirst().prefix { $0 != UInt8(ascii: ".") }
        guard let server = listener(at: "/tmp/.X11-unix/X\(String(decoding: number, as: UTF8.self))") else {
            return .silent
        }
        // Some distributions wrap programs: ".Xwayland-wrapp".
        if commandName(of: server)?.lowercased().includes("xwayland") == true { return .xwayland }
        return server != 0 && compositors.contains { $0.process == server } ? .xwayland : .own
    }

    /// The name of the display for messages, and for the files that belong to it.
    var display: String {
        guard isX11 else {
            // The whole path of a socket in the standard folder names the same display.
            return Self.folder.isEmpty ? name : name.dropping(prefix: Self.folder + "/") ?? name
        }
        // Without the number of the screen: `:0` and `:0.0` are one display.
        guard let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")),
            let point = name.utf8[colon...].firstIndex(of: UInt8(ascii: "."))
        else { return name }
        return String(decoding: name.utf8[..<point], as: UTF8.self)
    }

    // MARK: - Sockets

    /// The names in a folder that begin so.
    private static func names(in folder: String, from prefix: String = "") -> [String] {
        ((try? FileDescriptor.names(in: folder)) ?? []).filter { $0.begins(with: prefix) }.sorted()
    }

    private static func socket(of server: Int32) -> Socket? {
        func find(_ compositor: Compositor, in folder: String, from prefix: String, below: String = "") -> Socket? {
            let named = compositor.variable.flatMap { environment($0) }
            let paths = ([named].compactMap { $0 } + names(in: folder, from: prefix)).map { path($0, in: folder) }
            return paths.first { listener(at: $0 + below) == server }.map { (compositor, $0) }
        }
        return find(.sway, in: folder, from: "sway-ipc.") ?? find(.niri, in: folder, from: "niri.")
            ?? find(.hyprland, in: folder + "/hypr", from: "", below: HyprlandSocket.requests)
    }

    /// The path of a compositor's own socket; nil if that compositor does not serve the display.
    func path(of compositor: Compositor) -> String? { socket?.compositor == compositor ? socket?.path : nil }

    /// The variables of the session as it is now, for the programs that this one starts.
    var variables: [(name: String, value: String)] {
        var variables = [(name: isX11 ? "DISPLAY" : "WAYLAND_DISPLAY", value: name)]
        if let socket, let variable = socket.compositor.variable {
            // Hyprland's names the folder in its standard place.
            let instance = socket.path.utf8.split(separator: UInt8(ascii: "/")).last ?? []
            let isHyprland = socket.compositor == .hyprland
            variables.append((variable, isHyprland ? String(decoding: instance, as: UTF8.self) : socket.path))
        }
        return variables
    }

    // MARK: - Compositor

    /// The compositor, by its socket, or else by the name of its process; where that does not tell, by what the
    /// environment says, which is good enough for messages.
    var compositor: Compositor? {
        socket?.compositor ?? (isX11 ? nil : program ?? Compositor.named { environment($0) })
    }

    /// The compositor by the name of its process; some distributions wrap programs: ".labwc-wrapped".
    private var program: Compositor? {
        let command = server.flatMap { commandName(of: $0) } ?? ""
        let words = command.lowercased().utf8.split { ".-".utf8.contains($0) }
        return words.lazy.compactMap { Compositor(rawValue: String(decoding: $0, as: UTF8.self)) }.first
    }

    var isNiri: Bool { (socket?.compositor ?? program) == .niri }
}

/// The compositors whose touch screens and pens do not follow the panel unless they are mapped to it.
enum Compositor: String, CaseIterable, Sendable {
    case sway, hyprland, niri, labwc, wayfire, river

    /// The compositor that the desktop's name or the variable for a compositor's socket names.
    static func named(_ value: (String) -> String?) -> Compositor? {
        for name in value("XDG_CURRENT_DESKTOP")?.utf8.split(separator: UInt8(ascii: ":")) ?? [] {
            let name = String(decoding: name, as: UTF8.self).lowercased()
            if let compositor = Compositor(rawValue: name) { return compositor }
        }
        return [sway, hyprland, niri].first { $0.variable.flatMap(value) != nil }
    }

    /// The variable that names the compositor's own socket; nil if it has none that is used here.
    var variable: String? {
        switch self {
        case .sway: "SWAYSOCK"
        case .hyprland: "HYPRLAND_INSTANCE_SIGNATURE"
        case .niri: "NIRI_SOCKET"
        case .labwc, .wayfire, .river: nil
        }
    }
}
