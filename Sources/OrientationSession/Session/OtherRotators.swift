// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import POSIX
import SystemdBus

/// The other programs that may rotate the display of this session, found by the names that they own on its bus, and by
/// their claims of the sensor.
enum OtherRotators {
    /// The names of what follows net.hadess.SensorProxy: mutter, which is also a library of other desktops, and Phosh in
    /// its place, Cinnamon, and KWin.
    private static let desktops: [(name: String, lock: DesktopLock?)] = [
        ("org.gnome.Mutter.DisplayConfig", .gnome), ("org.Cinnamon", .cinnamon), ("org.kde.KWin", nil),
    ]

    /// Desktops that follow it without a name of those: Phosh of old, and Enlightenment on X11.
    private static let namelessDesktops = ["phosh", "enlightenment"]

    /// Programs that follow net.hadess.SensorProxy and rotate a display, by the names of their processes.
    static let programs = ["iio-hyprland", "iio-niri", "iio-sway"]

    /// Describes the desktop that rotates the display of this session, as a sentence; nil if the session has none of these,
    /// or no bus.
    ///
    /// `server` is the process that provides the display on Wayland. The lock is nil for a desktop without a rotation
    /// switch that holds the display as it is.
    static func desktop(server: Int32?) -> (description: String, lock: DesktopLock?)? {
        guard let session = try? Bus(.session) else { return nil }
        for (name, lock) in desktops {
            guard let owner = session.owner(of: name),
                owner.mayRotate(isKWin: name == "org.kde.KWin", displayOf: server)
            else { continue }
            return ("\(owner), which owns \(name), is a desktop that rotates displays itself", lock)
        }
        return nil
    }

    /// Whether a process has the name of a program; some distributions wrap programs: ".iio-sway-wrapp".
    static func isProgram(_ program: String, _ command: String) -> Bool {
        command == program || command.begins(with: ".\(program)-")
    }

    /// Calls `handler` when a desktop that rotates the display appears on the session's bus.
    static func onDesktop(on session: Bus, _ handler: @escaping () -> Void) throws(SystemError) -> [BusSlot] {
        try desktops.map { name, _ throws(SystemError) in
            try session.onOwnerChange(of: name) { if $0 != nil { handler() } }
        }
    }

    /// Describes the client of net.hadess.SensorProxy that rotates the display; nil if none of these does.
    ///
    /// `clients` are unique names on `bus`; `server` is the process that provides the display.
    static func client(among clients: [String], on bus: Bus, server: Int32?) -> String? {
        for client in clients {
            guard let owner = bus.owner(of: client), owner.process != 0 else { continue }
            if owner.process == server { return "the compositor rotates the display itself: \(owner)" }
            if (namelessDesktops + programs).contains(where: { isProgram($0, owner.command) }) {
                return "another program rotates the display: \(owner)"
            }
        }
        return nil
    }
}
