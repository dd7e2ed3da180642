// SPDX-License-Identifier: Apache-2.0

import POSIX
package import SystemdBus

extension NameOwner {
    /// Whether the owner of a desktop's name can be what rotates a display.
    ///
    /// `server` is the process that serves the display on Wayland: 0 if it is unknown, nil on X11.
    /// The user may have another session on the same bus, and programs that rotate nothing own such names, too.
    package func mayRotate(isKWin: Bool, displayOf server: Int32?) -> Bool {
        // KWin rotates on Wayland only, and niri has mutter's name for screen casts. Some distributions wrap programs:
        // ".kwin_wayland-w".
        guard !isKWin || command.includes("kwin_wayland"), !command.includes("niri") else { return false }
        // Phosh is no compositor. A socket that systemd has passed may seem to be that of process 1.
        guard let server, server > 1, process != 0, !command.includes("phosh") else { return true }
        // The socket of KWin is that of kwin_wayland_wrapper, which starts it.
        return process == server || parent(of: process) == server
    }
}
