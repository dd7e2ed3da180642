// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// The unit files of systemd's services, as far as this daemon must know of others.
package enum UnitFile {
    /// Where systemd looks for a unit; the first folder that has it counts.
    package static let folders = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map { $0 + "/systemd/system" }

    /// Returns the file of `unit`; nil where there is none, or it is masked: empty, as a link to /dev/null is.
    package static func path(of unit: String, in folders: [String] = folders) -> String? {
        let paths: [String] = folders.map { "\($0)/\(unit)" }
        guard let path = paths.first(where: { access($0, F_OK) == 0 }) else { return nil }
        return isEmpty(path) ? nil : path
    }

    private static func isEmpty(_ path: String) -> Bool {
        do throws(SystemError) {
            return try FileDescriptor.contents(of: path, limit: 1).isEmpty
        } catch {
            // It is there, and is not for everybody to read.
            return false
        }
    }
}
