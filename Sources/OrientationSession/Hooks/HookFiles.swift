// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// The files of the hook folders; any file of the user hides that of its name in the system's folder.
struct HookFiles {
    /// The paths of those that run, sorted by name.
    private(set) var executables: [String] = []
    /// The user's files that are not executable, except those that disable one of the system.
    private(set) var notExecutable: [String] = []

    init() {
        // Without a home, there is no folder of that name.
        let own = userConfigurationFolder.map { $0 + "/orientd/hooks.d/" } ?? ""
        let system = "/etc/orientd/hooks.d/"
        let (ownNames, systemNames) = (Self.names(in: own), Self.names(in: system))
        for name in (ownNames + systemNames.filter { !ownNames.contains($0) }).sorted() {
            let isOwn = ownNames.contains(name)
            let path = (isOwn ? own : system) + name
            var status = stat()
            // A folder is executable, too.
            guard stat(path, &status) == 0, status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else { continue }
            if access(path, X_OK) == 0 {
                executables.append(path)
            } else if isOwn, !systemNames.contains(name) {
                notExecutable.append(path)
            }
        }
    }

    /// The names of files, without the backups and hidden files that editors leave.
    private static func names(in folder: String) -> [String] {
        let names = (try? FileDescriptor.names(in: folder)) ?? []
        return names.filter { !$0.begins(with: ".") && !$0.ends(with: "~") }
    }
}
