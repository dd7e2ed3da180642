// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import orientctl

@Suite struct DistributionTests {
    static let releases: [(String, Distribution.PackageManager?, String)] = [
        ("PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n", .apt, "sudo apt install polkitd"),
        ("ID=ubuntu\nID_LIKE=debian\n", .apt, "sudo apt install polkitd"),
        ("NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"", .apt, "sudo apt install polkitd"),
        ("ID=fedora\n", .dnf, "sudo dnf install polkit"),
        ("ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n", .zypper, "sudo zypper install polkit"),
        ("ID=manjaro\nID_LIKE=arch\n", .pacman, "sudo pacman -S polkit"),
        ("ID=postmarketos\nID_LIKE=alpine\n", .apk, "sudo apk add polkit"),
        ("ID='void'\n", .xbps, "sudo xbps-install polkit"), ("ID=nixos\n", nil, "install the package of polkit"),
        ("", nil, "install the package of polkit"), ("ID\n=\n==debian\n\n", nil, "install the package of polkit"),
    ]

    @Test(arguments: releases)
    func `packages are installed with the distribution's own command`(
        release: String,
        manager: Distribution.PackageManager?,
        command: String
    ) {
        let distribution = Distribution(osRelease: release)
        #expect(distribution.packageManager == manager)
        #expect(distribution.installingPolkit == command)
    }

    @Test(arguments: [
        ("/usr/bin/orientctl", true, "sudo dnf reinstall orientd"), ("/usr/bin/orientctl", false, "sudo make install"),
        ("/usr/local/bin/orientctl", true, "sudo make install"),
        ("/home/anna/orientd/.build/bin/orientctl", true, "sudo make install"),
    ])
    func `what was installed with make is installed with make again`(path: String, isPackaged: Bool, command: String) {
        let fedora = Distribution(osRelease: "ID=fedora\n")
        #expect(fedora.reinstalling(path, isPackaged: isPackaged) == command)
    }
}
