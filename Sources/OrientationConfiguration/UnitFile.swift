// SPDX-License-Identifier: Apache-2.0

import CLinux
import SystemdBus

/// The unit files of systemd's services.
package enum UnitFile {
    /// Returns the file of `unit`; nil if there is none, or if it is masked: empty, or a link to /dev/null.
    package static func path(of unit: String) -> String? {
        path(of: unit, in: ServiceManager.unitFolders)
    }

    static func path(of unit: String, in folders: [String]) -> String? {
        let paths = folders.map { "\($0)/\(unit)" }
        guard let path = paths.first(where: { access($0, F_OK) == 0 }) else { return nil }
        // The null device has no size.
        var status = stat()
        return stat(path, &status) == 0 && status.st_size == 0 ? nil : path
    }
}
