// SPDX-License-Identifier: Apache-2.0

import CLinux
import CSystemd
import POSIX

/// The notifications of a service of `Type=notify`; without a service manager they do nothing.
package enum ServiceManager {
    package static func ready(status: String) {
        sd_notify(0, "READY=1\nSTATUS=\(printable(status))")
    }

    /// Sets the line that `systemctl status` shows.
    package static func status(_ status: String) { sd_notify(0, "STATUS=\(printable(status))") }

    package static func stopping() { sd_notify(0, "STOPPING=1") }

    /// The folders of system units, in the order in which systemd searches them; empty if memory is short.
    package static var unitFolders: [String] {
        var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        sd_path_lookup_strv(UInt64(SD_PATH_SYSTEMD_SEARCH_SYSTEM_UNIT), nil, &list)
        guard let list else { return [] }
        defer { free(list) }
        var folders: [String] = []
        while let folder = list[folders.count] {
            folders.append(String(cString: folder))
            free(folder)
        }
        return folders
    }
}
