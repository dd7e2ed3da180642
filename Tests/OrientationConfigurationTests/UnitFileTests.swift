// SPDX-License-Identifier: Apache-2.0

import CLinux
import SystemdBus
import Testing

@testable import OrientationConfiguration

@Suite struct UnitFileTests {
    private let administrator: TemporaryFolder
    private let vendor: TemporaryFolder
    private let unit = "example.service"

    init() throws {
        administrator = try TemporaryFolder()
        vendor = try TemporaryFolder()
    }

    private var path: String? { UnitFile.path(of: unit, in: [administrator.path, vendor.path]) }

    @Test func `systemd's folders include the administrator's and the vendor's, in that order`() throws {
        let folders = ServiceManager.unitFolders
        let administrator = try #require(folders.firstIndex(of: "/etc/systemd/system"))
        let vendor = try #require(folders.firstIndex(of: "/usr/lib/systemd/system"))
        #expect(administrator < vendor)
        #expect(folders.contains("/run/systemd/system") && folders.contains("/usr/local/lib/systemd/system"))
    }

    @Test func `there is none without a file`() {
        #expect(path == nil)
    }

    @Test func `the first folder that has it counts`() throws {
        try vendor.write("[Unit]".utf8, to: unit)
        #expect(path == vendor.path + "/" + unit)
        try administrator.write("[Unit]".utf8, to: unit)
        #expect(path == administrator.path + "/" + unit)
    }

    @Test func `a unit masked by a link counts as none`() throws {
        try vendor.write("[Unit]".utf8, to: unit)
        #expect(symlink("/dev/null", administrator.path + "/" + unit) == 0)
        #expect(path == nil)
    }

    @Test func `a unit masked by an empty file counts as none`() throws {
        try vendor.write("[Unit]".utf8, to: unit)
        try administrator.write([], to: unit)
        #expect(path == nil)
    }
}
