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
