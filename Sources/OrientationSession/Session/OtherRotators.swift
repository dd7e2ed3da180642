// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import POSIX
import SystemdBus

/// The other programs that may rotate the display of this session.
enum OtherRotators {
    /// A desktop that rotates the display itself.
    struct Desktop {
        /// Who rotates the display, as a sentence.
        let description: String
        /// Its rotation switch; nil if it has none that holds the display as it is.
        let lock: DesktopLock?
    }

    /// The desktops that follow net.hadess.SensorProxy, by their names in XDG_CURRENT_DESKTOP.
    private static let desktops: [(name: String, lock: DesktopLock?)] = [
        ("GNOME", .gnome), ("KDE", nil), ("X-Cinnamon", .cinnamon), ("Phosh", .gnome),
    ]

    /// Programs that follow net.hadess.SensorProxy and rotate a display, by the names of their processes.
    static let programs = ["iio-hyprland", "iio-niri", "iio-sway"]

    /// The desktop that rotates the display of this session; nil if the session has none of these.
    static var desktop: Desktop? {
        let names = environment("XDG_CURRENT_DESKTOP") ?? ""
        for name in names.utf8.split(separator: UInt8(ascii: ":")).map({ String(decoding: $0, as: UTF8.self) }) {
            guard let desktop = desktops.first(where: { $0.name == name }) else { continue }
            return Desktop(description: "\(name) rotates the display", lock: desktop.lock)
        }
        // A session without a bus has no mutter.
        guard let session = try? Bus(.session), let mutter = session.owner(of: "org.gnome.Mutter.DisplayConfig") else {
            return nil
        }
        return Desktop(description: "\(mutter) rotates the display", lock: .gnome)
    }

    /// Describes the client of net.hadess.SensorProxy that rotates the display; nil if none of these does.
    ///
    /// `clients` are unique names on `bus`; `server` is the process that provides the display.
    static func client(among clients: [String], on bus: Bus, server: Int32?) -> String? {
        for client in clients {
            guard let owner = bus.owner(of: client), owner.process != 0 else { continue }
            if owner.process == server, !NiriConfiguration.leavesAllOutputs {
                return "the compositor rotates the display itself: \(owner)"
            }
            if owner.command == "phosh" || programs.contains(owner.command) {
                return "another program rotates the display: \(owner)"
            }
        }
        return nil
    }
}
