// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import POSIX
import Synchronization
import Testing

@testable import OrientationSensors

@Suite struct FoundSettingsTests {
    private let log = CallLog()
    private let rate = ScriptedDevice.Rate()

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

    static let rateFile = FoundSetting(file: "/sys/devices/a/sampling_frequency", text: "12.500000")
    static let sensitivityFile = FoundSetting(file: "/sys/devices/a/in_accel_hysteresis", text: "0.0 = off")

    @Test(arguments: [[rateFile], [rateFile, sensitivityFile]])
    func `settings are read as they were written, until there are none`(settings: [FoundSetting]) throws {
        try withFolder { folder in
            let file = try #require(SettingsFile(of: ScriptedDevice("a"), folders: folder + ":/other"))
            #expect(file.read() == nil)
            try file.write(settings)
            #expect(file.read() == settings)
            try file.write([])
            #expect(file.read() == nil && FileDescriptor.inode(of: file.path) == nil)
        }
    }

    static let malformed = [
        "", "inode=7\n/sys/devices/a/rate=10\n", "/sys/devices/a/rate=10\n", "inode=none\n/sys/devices/a/rate",
        "inode=none\n/sys/devices/b/rate=10\n", "inode=none\n/sys/devices/a=10\n",
    ]

    @Test(arguments: malformed)
    func `a malformed file and that of another device count as none`(text: String) throws {
        try withFolder { folder in
            let file = try #require(SettingsFile(of: ScriptedDevice("a"), folders: folder))
            try OutputFile.replace(file.path, with: text.utf8, permissions: 0o600)
            #expect(file.read() == nil)
        }
    }

    /// Makes a device and prepares it; the log of its calls is empty then.
    private func access(
        _ folder: String? = nil,
        _ settings: FoundSettings = FoundSettings(),
        sensitivity: ScriptedDevice.Sensitivity? = nil,
        buffer: ScriptedBuffer? = nil,
        log: CallLog? = nil
    ) -> DeviceAccess {
        let device = ScriptedDevice("a", log: log ?? self.log, rate: rate, sensitivity: sensitivity, buffer: buffer)
        return DeviceAccess(device, isPrepared: false, settings: settings, folders: folder)
    }

    // A crash between the two left the rate that was set.
    @Test func `settings are on the disk before the first of them is changed`() throws {
        try withFolder { folder in
            let file = try #require(SettingsFile(of: ScriptedDevice("a"), folders: folder))
            let log = CallLog { file.read() == nil ? $0 + ", before the file" : $0 }
            let buffer = try ScriptedBuffer(log: log) { _ throws(SystemError) in nil }
            let access = access(folder, sensitivity: .init(0.1), buffer: buffer, log: log)
            _ = access.run(.prepare, rate: 15, scans: 8)
            _ = access.run(.open(buffered: true), rate: 15, scans: 8)
            #expect(log.calls == ["a 10 to 15 Hz", "a sensitivity 0.0", "a open"])
            #expect(file.read()?.map { $0.text } == ["10.0", "0.1"])
            _ = access.run(.close, rate: 15, scans: 8)
            #expect(file.read() == nil)
        }
    }

    @Test func `what a crash has left is restored and removed when the device is prepared`() throws {
        try withFolder { folder in
            let file = try #require(SettingsFile(of: ScriptedDevice("a"), folders: folder))
            try file.write([FoundSetting(file: "/sys/devices/a/rate", text: "12.5")])
            for name in ["a.settings.x7Yz12", "ab.settings"] {
                try OutputFile.replace("\(folder)/\(name)", with: [], permissions: 0o600)
            }
            #expect(access(folder).run(.prepare, rate: 15, scans: 8) == .done(warnings: []))
            #expect(try FileDescriptor.names(in: folder) == ["ab.settings"])
            #expect(log.calls == ["a restore 12 Hz"])
            unlink(folder + "/ab.settings")
        }
    }

    // The first that closed restored the rate under the other, which then restored the rate that the first had set.
    @Test func `the last of two sensors of a device restores a rate that they share`() throws {
        try withFolder { folder in
            let file = try #require(SettingsFile(of: ScriptedDevice("a"), folders: folder))
            let settings = FoundSettings()
            let (first, second) = (access(folder, settings), access(folder, settings))
            for access in [first, second] { _ = access.run(.prepare, rate: 0, scans: 0) }
            _ = first.run(.open(buffered: false), rate: 50, scans: 0)
            _ = second.run(.open(buffered: false), rate: 15, scans: 0)
            #expect(rate.value == 50)
            _ = first.run(.close, rate: 50, scans: 0)
            #expect(rate.value == 50 && file.read()?.map { $0.text } == ["10.0"])
            // A scan that finds the first again leaves the settings of the second alone.
            _ = first.run(.prepare, rate: 50, scans: 0)
            #expect(rate.value == 50)
            _ = second.run(.close, rate: 15, scans: 0)
            #expect(rate.value == 10 && file.read() == nil)
        }
    }

    // The failure was ignored, and the file removed.
    @Test func `a setting that cannot be restored is a warning, and restored later`() throws {
        try withFolder { folder in
            let file = try #require(SettingsFile(of: ScriptedDevice("a"), folders: folder))
            let access = access(folder)
            _ = access.run(.prepare, rate: 15, scans: 0)
            rate.canRestore.store(false, ordering: .relaxed)
            for _ in 1...2 {
                _ = access.run(.open(buffered: false), rate: 15, scans: 0)
                let warning = "cannot restore a: Input/output error; the setting stays changed"
                #expect(access.run(.close, rate: 15, scans: 0) == .done(warnings: [warning]))
                #expect(rate.value == 15 && file.read()?.map { $0.text } == ["10.0"])
            }
            rate.canRestore.store(true, ordering: .relaxed)
            // The next start.
            #expect(self.access(folder).run(.prepare, rate: 15, scans: 0) == .done(warnings: []))
            #expect(rate.value == 10 && file.read() == nil)
        }
    }

    @Test func `nothing is kept without a folder`() {
        #expect(SettingsFile(of: ScriptedDevice("a"), folders: nil) == nil)
        #expect(SettingsFile(of: ScriptedDevice("a"), folders: "") == nil)
    }
}
