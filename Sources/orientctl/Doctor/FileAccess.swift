// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// Who a process runs as, as far as files are concerned.
struct Account: Hashable {
    let name: String
    let user: UInt32
    let groups: [UInt32]

    init(name: String, user: UInt32, groups: [UInt32]) {
        self.name = name
        self.user = user
        self.groups = groups
    }

    /// The account of that name with all its groups; nil where the system has none.
    init?(named name: String) {
        guard let entry = getpwnam(name) else { return nil }
        self.init(entry)
    }

    /// The account of a user's number, also of one that has no name.
    init(user: UInt32) {
        if let entry = getpwuid(user) {
            self.init(entry)
        } else {
            self.init(name: "user \(user)", user: user, groups: [])
        }
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

/// Who may do what with a file; an access control list of it is not looked at.
struct FileAccess: Hashable {
    let owner: UInt32
    let group: UInt32
    /// The nine bits that `chmod` sets.
    let permissions: UInt32

    init(owner: UInt32, group: UInt32, permissions: UInt32) {
        self.owner = owner
        self.group = group
        self.permissions = permissions
    }

    /// Looks at a file; throws where it is not there, or not for this user to look at.
    init(of path: String) throws(SystemError) {
        var status = stat()
        try checkSystem("look at", path, stat(path, &status))
        self.init(owner: status.st_uid, group: status.st_gid, permissions: UInt32(status.st_mode) & 0o777)
    }

    enum Use: UInt32 {
        case read = 4
        case write = 2
        case readAndWrite = 6
    }

    func allows(_ use: Use, to account: Account) -> Bool {
        guard account.user != 0 else { return true }
        let shift: UInt32 = account.user == owner ? 6 : account.groups.contains(group) ? 3 : 0
        return (permissions >> shift) & use.rawValue == use.rawValue
    }
}
