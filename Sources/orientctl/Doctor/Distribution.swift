// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationConfiguration
import POSIX

/// The distribution, as os-release(5) names it: its commands for packages.
struct Distribution: Hashable {
    enum PackageManager: String { case apt, dnf, zypper, pacman, apk, xbps }

    /// Nil for a distribution that this does not know.
    let packageManager: PackageManager?

    /// The one that this machine runs.
    static var current: Distribution {
        for path in ["/etc/os-release", "/usr/lib/os-release"] {
            guard let text = try? FileDescriptor.contents(of: path, limit: 65536) else { continue }
            return Distribution(osRelease: String(decoding: text, as: UTF8.self))
        }
        return Distribution(osRelease: "")
    }

    /// Reads the contents of os-release: `ID`, and then `ID_LIKE`, the closest first.
    init(osRelease text: String) {
        var fields = ["ID": "", "ID_LIKE": ""]
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard parts.count == 2 else { continue }
            let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'")]
            fields[String(decoding: parts[0], as: UTF8.self)] = String(
                decoding: parts[1].filter { !quotes.contains($0) },
                as: UTF8.self
            )
        }
        let names = ((fields["ID"] ?? "") + " " + (fields["ID_LIKE"] ?? "")).utf8.split(separator: UInt8(ascii: " "))
        packageManager = names.lazy.compactMap { Self.manager(of: String(decoding: $0, as: UTF8.self)) }.first
    }

    private static func manager(of distribution: String) -> PackageManager? {
        switch distribution {
        case "debian", "ubuntu": .apt
        case "fedora", "rhel": .dnf
        case "suse", "opensuse": .zypper
        case "arch": .pacman
        case "alpine", "postmarketos": .apk
        case "void": .xbps
        default: nil
        }
    }

    /// The command that installs polkit.
    var installingPolkit: String {
        switch packageManager {
        case .apt: "sudo apt install polkitd"
        case .dnf: "sudo dnf install polkit"
        case .zypper: "sudo zypper install polkit"
        case .pacman: "sudo pacman -S polkit"
        case .apk: "sudo apk add polkit"
        case .xbps: "sudo xbps-install polkit"
        case nil: "install the package of polkit"
        }
    }

    /// The command that puts back the files of orientd; `program` is the path of orientctl.
    ///
    /// `isPackaged` says that a package has that file, of which only apt is asked.
    func reinstalling(_ program: String, isPackaged: Bool) -> String {
        let isSystem = program.utf8.starts(with: "/usr/".utf8) && !program.utf8.starts(with: "/usr/local/".utf8)
        guard isSystem, isPackaged else { return "sudo make install" }
        return switch packageManager {
        case .apt: "sudo apt install --reinstall orientd"
        case .dnf: "sudo dnf reinstall orientd"
        case .zypper: "sudo zypper install --force orientd"
        case .pacman: "sudo pacman -S orientd"
        case .apk: "sudo apk fix orientd"
        case .xbps: "sudo xbps-install --force orientd"
        case nil: "install the package of orientd again"
        }
    }

    /// The command that puts back the files of the orientd that is installed.
    var reinstallingThis: String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &bytes, bytes.count)
        let program = String(decoding: bytes.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let isPackaged = packageManager != .apt || access("/var/lib/dpkg/info/orientd.list", F_OK) == 0
        return reinstalling(program, isPackaged: isPackaged)
    }
}
