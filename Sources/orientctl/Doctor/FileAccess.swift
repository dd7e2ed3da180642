// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// The user and groups of a process.
struct Account: Hashable {
    let name: String
    let user: UInt32
    let groups: [UInt32]
}

extension Account {
    /// Finds an account by name, with all its groups; nil if it does not exist.
    static func named(_ name: String) -> Account? { getpwnam(name).map(Account.init) }

    /// Finds the account of a user id, also of one without a name.
    static func ofUser(_ user: UInt32) -> Account {
        getpwuid(user).map(Account.init) ?? Account(name: "user \(user)", user: user, groups: [])
    }

    private init(_ entry: UnsafeMutablePointer<passwd>) {
        let (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        let name = String(cString: entry.pointee.pw_name)
        var groups = [gid_t](repeating: 0, count: 64)
        var count = Int32(groups.count)
        let result = getgrouplist(name, group, &groups, &count)
        self.init(name: name, user: user, groups: result < 0 ? groups : Array(groups.prefix(Int(count))))
    }
}

/// A file's owner and mode; access control lists are ignored.
struct FileAccess: Hashable {
    let owner, group: UInt32
    /// The nine bits that `chmod` sets.
    let permissions: UInt32

    enum Use: UInt32 { case read = 4, write = 2, readAndWrite = 6 }

    func allows(_ use: Use, to account: Account) -> Bool {
        guard account.user != 0 else { return true }
        let shift: UInt32 = account.user == owner ? 6 : account.groups.contains(group) ? 3 : 0
        return (permissions >> shift) & use.rawValue == use.rawValue
    }
}

extension FileAccess {
    init(of path: String) throws(SystemError) {
        var status = stat()
        try checkSystem("stat", path, stat(path, &status))
        self.init(owner: status.st_uid, group: status.st_gid, permissions: UInt32(status.st_mode) & 0o777)
    }
}

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
