// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// The programs that have a device node open, as far as this user may know.
struct DeviceHolders: Hashable {
    /// `game (process 123)`, for each.
    var names: [String] = []

    /// Whether the files of all processes could be read: those of other users only root can read.
    var isComplete = true
}

extension DeviceHolders {
    /// Looks at the open files of each process but one, and this.
    init(of path: String, except daemon: Int32?) {
        self.init()
        var node = stat()
        guard stat(path, &node) == 0 else { return }
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { "/" + String(Substring($0)) } ?? path
        for process in runningProcesses where process != daemon && process != getpid() {
            let folder = "/proc/\(process)/fd"
            let files: [String]
            do throws(SystemError) {
                files = try FileDescriptor.names(in: folder)
            } catch {
                // A process may have ended meanwhile.
                if error.errno.code == EACCES || error.errno.code == EPERM { isComplete = false }
                continue
            }
            // By its name first: looking at a file of a network that hangs would hang, too.
            let holds = files.contains { file in
                let link = folder + "/" + file
                guard Self.target(of: link).ends(with: name) else { return false }
                var other = stat()
                return stat(link, &other) == 0 && (other.st_dev, other.st_ino) == (node.st_dev, node.st_ino)
            }
            if holds { names.append("\(commandName(of: process) ?? "") (process \(process))") }
        }
    }

    /// The path that a symbolic link has; empty if it cannot be read.
    static func target(of link: String) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { text in
            let count = text.baseAddress.map { readlink(link, $0, text.count) } ?? -1
            return count < 0 ? "" : String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
