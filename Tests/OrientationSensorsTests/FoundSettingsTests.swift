// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import POSIX
import SystemdBus
import Testing

@testable import OrientationSensors

@Suite struct FoundSettingsTests {
    /// Calls `body` with a folder that is removed afterwards.
    private func withFolder(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/orientd-settings.XXXXXX".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer {
            unlink(folder + "/a.settings")
            rmdir(folder)
        }
        try body(folder)
    }

    static let settings = [
        FoundSettings(), FoundSettings(rate: 12.5), FoundSettings(sensitivity: 0),
        FoundSettings(rate: 1e-3, sensitivity: 0.980665),
    ]

    @Test(arguments: settings)
    func `settings are read as they were written, until the file is removed`(settings: FoundSettings) throws {
        try withFolder { folder in
            let file = try #require(SettingsFile(of: ScriptedDevice("a").description, folders: folder + ":/other"))
            #expect(file.read() == nil)
            try file.write(settings)
            #expect(file.read() == settings)
            file.remove()
            #expect(file.read() == nil)
        }
    }

    @Test(arguments: ["rate=x\n", "rate\n", "speed=3\n", "rate=10\nsensitivity="])
    func `a malformed file counts as none`(text: String) throws {
        try withFolder { folder in
            let file = try #require(SettingsFile(of: ScriptedDevice("a").description, folders: folder))
            try OutputFile.replace(file.path, with: text.utf8, permissions: 0o600)
            #expect(file.read() == nil)
        }
    }

    @Test func `nothing is kept without a folder`() {
        #expect(SettingsFile(of: ScriptedDevice("a").description, folders: nil) == nil)
        #expect(SettingsFile(of: ScriptedDevice("a").description, folders: "") == nil)
    }
}
