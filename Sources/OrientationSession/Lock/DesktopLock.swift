// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationConfiguration
import POSIX

/// The rotation switch of a desktop: a key of GSettings, a Boolean that is true if the display stays as it is.
struct DesktopLock: Hashable, Sendable {
    /// mutter and phosh, which read the same key.
    static let gnome = DesktopLock(schema: "org.gnome.settings-daemon.peripherals.touchscreen", standard: false)
    static let cinnamon = DesktopLock(schema: "org.cinnamon.settings-daemon.peripherals.touchscreen", standard: true)

    static let key = "orientation-lock"

    let schema: String
    /// The value of a key that was never written.
    let standard: Bool

    /// The key in dconf: `/org/gnome/...`.
    var path: String {
        let slash = UInt8(ascii: "/")
        let folders = schema.utf8.map { $0 == UInt8(ascii: ".") ? slash : $0 }
        return "/" + String(decoding: folders, as: UTF8.self) + "/" + Self.key
    }

    /// Whether the user's own database of dconf alone says what was written, and may be written.
    ///
    /// Not with another backend of GSettings, with a profile of other databases than the user's before those of the
    /// system, and if one of these locks the key.
    var isInUserDatabase: Bool {
        guard environment("GSETTINGS_BACKEND") ?? "dconf" == "dconf" else { return false }
        guard let profile = Self.profiles.lazy.compactMap({ try? FileDescriptor.contents(of: $0, limit: 65536) }).first
        else { return environment("DCONF_PROFILE") == nil }
        var isFirst = true
        // The lines have the form of assignments: system-db:local
        for line in IniParser.lines(of: profile) {
            guard case .assignment(_, let kind, let name) = line.content else { return false }
            switch (isFirst, kind) {
            case (true, "user-db"): guard name == "user" else { return false }
            case (false, "system-db"), (false, "file-db"):
                let bytes = try? FileDescriptor.contents(of: kind == "file-db" ? name : "/etc/dconf/db/" + name)
                // dconf ignores a database that is missing or invalid.
                if let bytes, let database = try? DconfDatabase(bytes), database.isLocked(path) { return false }
            default: return false
            }
            isFirst = false
        }
        return !isFirst
    }

    /// The files that may have dconf's profile, of which the first one counts.
    private static var profiles: [String] {
        let name = environment("DCONF_PROFILE")
        if let name, name.hasPrefix("/") { return [name] }
        let folders = "/etc/dconf:" + (environment("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share")
        let shared = folders.utf8.split(separator: UInt8(ascii: ":")).map { folder in
            let folder = String(decoding: folder, as: UTF8.self)
            return folder + (folder == "/etc/dconf" ? "" : "/dconf") + "/profile/" + (name ?? "user")
        }
        if name != nil { return shared }
        return ["/run/dconf/user/\(getuid())", (environment("XDG_RUNTIME_DIR") ?? "") + "/dconf/profile"] + shared
    }
}

/// What a rotation switch reports.
enum SwitchEvent {
    case reads(LockSync.Reading)
    /// Why it cannot be read, as a message.
    case unreadable(String)
    case written
    case refused(String)
    /// Why nothing more will be reported, as a message.
    case ended(String)
}

/// The rotation switch of the desktop in which this process runs.
protocol DesktopSwitch: AnyObject {
    /// Reports what it reads at first.
    func begin()
    /// Writes it; `written` or `refused` is reported, later or at once.
    func write(_ isLocked: Bool)
}
