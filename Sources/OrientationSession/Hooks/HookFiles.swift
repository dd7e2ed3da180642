// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// The paths of the files of the hook folders that run, sorted by name, and of the user's that are not executable, except
/// those that disable one of the system.
///
/// Any file of the user hides that of its name in the system's folder.
func hookFiles() -> (executables: [String], notExecutable: [String]) {
    // Without a home, there is no folder of that name.
    let own = userConfigurationFolder.map { $0 + "/orientd/hooks.d/" } ?? ""
    let system = "/etc/orientd/hooks.d/"
    let (ownNames, systemNames) = (names(in: own), names(in: system))
    var files: (executables: [String], notExecutable: [String]) = ([], [])
    for name in (ownNames + systemNames.filter { !ownNames.contains($0) }).sorted() {
        let isOwn = ownNames.contains(name)
        let path = (isOwn ? own : system) + name
        var status = stat()
        // A folder is executable, too.
        guard stat(path, &status) == 0, status.isKind(S_IFREG) else { continue }
        if access(path, X_OK) == 0 {
            files.executables.append(path)
        } else if isOwn, !systemNames.contains(name) {
            files.notExecutable.append(path)
        }
    }
    return files
}

/// The names of files, without the backups and hidden files that editors leave.
private func names(in folder: String) -> [String] {
    ((try? FileDescriptor.names(in: folder)) ?? []).filter { !$0.begins(with: ".") && !$0.ends(with: "~") }
}
