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

    // A crash between the two left the rate that was set.
    @Test func `settings are on the disk before the first of them is changed`() throws {
        try withFolder { folder in
            let file = try #require(SettingsFile(of: ScriptedDevice("a").description, folders: folder))
            let log = CallLog { file.read() == nil ? $0 + ", before the file" : $0 }
            let buffer = try ScriptedBuffer(log: log) { _ throws(SystemError) in nil }
            let device = ScriptedDevice("a", log: log, sensitivity: .init(0.1), buffer: buffer)
            let access = DeviceAccess(device, isPrepared: false, folders: folder)
            _ = access.run(.open(buffered: true), rate: 15, scans: 8)
            #expect(log.calls == ["a 10 to 15 Hz", "a sensitivity 0.0", "a open"])
            #expect(file.read() == FoundSettings(rate: 10, sensitivity: 0.1))
            _ = access.run(.close, rate: 15, scans: 8)
            #expect(file.read() == nil)
        }
    }

    @Test func `what a crash while writing has left is removed when the device is prepared`() throws {
        try withFolder { folder in
            let file = try #require(SettingsFile(of: ScriptedDevice("a").description, folders: folder))
            try file.write(FoundSettings(rate: 12))
            for name in ["a.settings.x7Yz12", "ab.settings"] {
                try OutputFile.replace("\(folder)/\(name)", with: [], permissions: 0o600)
            }
            let log = CallLog()
            let device = ScriptedDevice("a", log: log)
            let access = DeviceAccess(device, isPrepared: false, folders: folder)
            #expect(access.run(.prepare, rate: 15, scans: 8) == .done(warnings: []))
            #expect(try FileDescriptor.names(in: folder) == ["ab.settings"])
            #expect(log.calls == ["a restore 12 Hz"])
            unlink(folder + "/ab.settings")
        }
    }

    @Test func `nothing is kept without a folder`() {
        #expect(SettingsFile(of: ScriptedDevice("a").description, folders: nil) == nil)
        #expect(SettingsFile(of: ScriptedDevice("a").description, folders: "") == nil)
    }
}
