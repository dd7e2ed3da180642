// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// The files of the hook folders; any file of the user hides that of its name in the system's folder.
struct HookFiles {
    /// The paths of those that run, sorted by name.
    private(set) var executables: [String] = []
    /// The user's files that are not executable, except those that disable one of the system.
    private(set) var notExecutable: [String] = []

    /// Reads the folders.
    init() {
        let system = "/etc/orientd/hooks.d"
        let folders = [userConfigurationFolder.map { $0 + "/orientd/hooks.d" }, system]
        var paths: [String: String] = [:]
        var hiding: [String] = []
        for folder in folders.compactMap({ $0 }) {
            guard let names = try? FileDescriptor.names(in: folder) else { continue }
            for name in names {
                if paths[name] == nil { paths[name] = folder + "/" + name } else { hiding.append(name) }
            }
        }
        // Editors leave backups and hidden files; a folder is executable, too.
        let kept = paths.filter { !$0.key.begins(with: ".") && !$0.key.ends(with: "~") }
        for (name, path) in kept.sorted(by: { $0.key < $1.key }) {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else { continue }
            if access(path, X_OK) == 0 {
                executables.append(path)
            } else if !hiding.contains(name), !path.begins(with: system + "/") {
                notExecutable.append(path)
            }
        }
    }
}
