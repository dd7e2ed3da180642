// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationConfiguration
import POSIX

/// The rotation switch of a desktop: a key of GSettings, a Boolean that is true if the display stays as it is.
struct DesktopLock: Hashable, Sendable {
    /// That of mutter and phosh.
    static let gnome = DesktopLock(schema: "org.gnome.settings-daemon.peripherals.touchscreen", standard: false)
    static let cinnamon = DesktopLock(schema: "org.cinnamon.settings-daemon.peripherals.touchscreen", standard: true)

    static let key = "orientation-lock"

    let schema: String
    /// The value of a key that was never written.
    let standard: Bool

    /// The key in dconf: `/org/gnome/...`.
    var path: String {
        let names = schema.utf8.split(separator: UInt8(ascii: ".")).map { String(Substring($0)) }
        return "/" + (names + [Self.key]).joined(separator: "/")
    }

    /// Whether the user's database of dconf alone says what was written, and may be written.
    ///
    /// False with another backend of GSettings, with a profile that the environment names, with a profile that has more
    /// than the user's database followed by those of the system, and if one of these locks the key.
    var isInUserDatabase: Bool {
        guard environment("GSETTINGS_BACKEND") ?? "dconf" == "dconf", environment("DCONF_PROFILE") == nil else {
            return false
        }
        let files = ["/run/dconf/user/\(getuid())", (environment("XDG_RUNTIME_DIR") ?? "") + "/dconf/profile"]
        let shared = environment("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
        let folders = ["/etc"] + shared.utf8.split(separator: UInt8(ascii: ":")).map { String(Substring($0)) }
        let profiles = files + folders.map { $0 + "/dconf/profile/user" }
        guard let profile = profiles.lazy.compactMap({ try? FileDescriptor.contents(of: $0, limit: 65536) }).first
        else { return true }
        let lines = IniParser.lines(of: profile)
        guard !lines.isEmpty else { return false }
        // The lines have the form of assignments: `system-db:local`.
        return lines.enumerated().allSatisfy { index, line in
            guard case .assignment(_, let kind, let name) = line.content else { return false }
            // The parser leaves a comment in the name.
            if name.utf8.contains(UInt8(ascii: "#")) { return false }
            if index == 0 { return kind == "user-db" && name == "user" }
            guard kind == "system-db" || kind == "file-db" else { return false }
            // dconf ignores a database that is missing or invalid.
            let bytes = try? FileDescriptor.contents(of: kind == "file-db" ? name : "/etc/dconf/db/" + name)
            return (try? DconfDatabase(bytes ?? []).isLocked(path)) != true
        }
    }
}

/// The rotation switch of the desktop in which this process runs.
protocol DesktopSwitch: AnyObject {
    /// Reports what it reads at first, and later its changes.
    func begin()
    /// Writes it, and reports `written` or `refused`, later or at once.
    func write(_ isLocked: Bool)
}

/// Gets what a switch reports: what it reads or the end of a write, why that failed, or both.
typealias SwitchReport = (_ event: LockSync.Event?, _ problem: String?) -> Void
