// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import POSIX
import Synchronization
import Testing

@testable import OrientationSensors

@Suite struct SettingsToRestoreTests {
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
            let access = SettingsToRestore()
            access.note(settings, of: ScriptedDevice("a"))
            #expect(access.noteChange(to: settings.map { FoundSetting(file: $0.file, text: "a=b") }))
            #expect(!access.noteChange(to: settings.map { FoundSetting(file: $0.file, text: "a=b") }))
            try file.write([])
            #expect(file.read() == nil && FileDescriptor.inode(of: file.path) == nil)
        }
    }

    @Test(arguments: ["", "inode=7\n/sys/devices/a/rate=10\n", "/sys/devices/a/rate=10\n"])
    func `the file of another device counts as none`(text: String) throws {
        try withFolder { folder in
            let file = try #require(SettingsFile(of: ScriptedDevice("a"), folders: folder))
            try OutputFile.replace(file.path, with: text.utf8, permissions: 0o600)
            #expect(file.contents == .ofOther)
        }
    }

    // What is behind `..` was written, and a file that was cut off counted as whole.
    @Test(arguments: [
        "/sys/devices/a/rate", "/sys/devices/b/rate=10", "/sys/devices/a=10", "/sys/devices/a/=10",
        "/sys/devices/a/../b/rate=10", "/sys/devices/a/buffer/../../../b=10", "/sys/devices/a//rate=10",
        "/sys/devices/a/./rate=10", "/sys/devices/a/rate=1\u{1b}",
        "/sys/devices/a/rate=\(String(repeating: "1", count: 65))",
    ])
    func `a line that names no setting of the device makes the file invalid`(line: String) throws {
        try withFolder { folder in
            let file = try #require(SettingsFile(of: ScriptedDevice("a"), folders: folder))
            let text = "inode=none\n/sys/devices/a/rate=10\n\(line)\n"
            try OutputFile.replace(file.path, with: text.utf8, permissions: 0o600)
            guard case .invalid(let problem) = file.contents else {
                Issue.record("it is read")
                return
            }
            #expect(problem.hasPrefix(file.path + ": \"") && problem.hasSuffix("\" is no setting of /sys/devices/a"))
            let warnings = [problem + ", ignored; the sensor keeps the settings it has"]
            #expect(access(folder).run(.prepare, rate: 15, scans: 8) == .done(warnings: warnings))
            #expect(log.calls.isEmpty && FileDescriptor.inode(of: file.path) == nil)
        }
    }

    @Test func `a file that is too large, a link and a pipe are invalid`() throws {
        try withFolder { folder in
            let file = try #require(SettingsFile(of: ScriptedDevice("a"), folders: folder))
            let line = "/sys/devices/a/rate=10\n"
            let text = "inode=none\n" + String(repeating: line, count: 8192 / line.utf8.count)
            try OutputFile.replace(file.path, with: text.utf8, permissions: 0o600)
            #expect(file.contents == .invalid(file.path + ": larger than 8192 bytes"))
            unlink(file.path)
            #expect(symlink("/etc/hostname", file.path) == 0)
            #expect(file.contents == .invalid("cannot read \(file.path): Too many levels of symbolic links"))
            unlink(file.path)
            #expect(mkfifo(file.path, 0o600) == 0)
            #expect(file.contents == .invalid(file.path + ": not a regular file of orientd's user"))
        }
    }

    @Test func `a device is written to below its own folder only, and no link is followed`() throws {
        var template = Array("/tmp/orientd-device.XXXXXX".utf8CString)
        let root = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer { for path in ["/a/buffer/length", "/a/rate", "/a/link", "/a/folder", "/other"] { unlink(root + path) } }
        defer { for path in ["/a/buffer", "/a", ""] { rmdir(root + path) } }
        for path in ["/a", "/a/buffer"] { mkdir(root + path, 0o700) }
        for path in ["/a/rate", "/a/buffer/length", "/other"] {
            try OutputFile.replace(root + path, with: "old\n".utf8, permissions: 0o600)
        }
        symlink("../other", root + "/a/link")
        symlink("..", root + "/a/folder")
        let folder = DeviceFolder(root + "/a")
        for path in ["/a/../other", "/a/buffer/../../other", "/a/link", "/a/folder/other", "/a/", "/a", "/other"] {
            #expect(throws: SystemError.self, "\(path)") { try folder.write("new", to: root + path) }
        }
        #expect(try FileDescriptor.contents(of: root + "/other") == Array("old\n".utf8))
        for path in ["/a/rate", "/a/buffer/length"] {
            try folder.write("new", to: root + path)
            #expect(try FileDescriptor.contents(of: root + path) == Array("new\n".utf8))
        }
        // Another device at the same path.
        #expect(rename(root + "/a", root + "/b") == 0 && mkdir(root + "/a", 0o700) == 0)
        #expect(throws: SystemError("use", root + "/a", errno: .noDevice)) {
            try folder.write("x", to: root + "/a/rate")
        }
        #expect(rmdir(root + "/a") == 0 && rename(root + "/b", root + "/a") == 0)
    }

    /// Makes a device and prepares it; the log of its calls is empty then.
    private func access(
        _ folder: String? = nil,
        _ settings: SettingsToRestore = SettingsToRestore(),
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
            let settings = SettingsToRestore()
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

    // A game's 1600 Hz became the rate that orientd had found.
    @Test func `a setting that another program has changed meanwhile is not restored`() throws {
        try withFolder { folder in
            let file = try #require(SettingsFile(of: ScriptedDevice("a"), folders: folder))
            let sensitivity = ScriptedDevice.Sensitivity(0.5)
            let buffer = try ScriptedBuffer { _ throws(SystemError) in nil }
            let access = access(folder, sensitivity: sensitivity, buffer: buffer)
            _ = access.run(.prepare, rate: 15, scans: 8)
            _ = access.run(.open(buffered: true), rate: 15, scans: 8)
            #expect(rate.value == 15 && sensitivity.value == 0)
            rate.hertz.withLock { $0 = 1600 }
            sensitivity.change.withLock { $0 = 0.25 }
            // At rest the sensitivity is ours again, and what the other program wanted is what is restored.
            #expect(access.run(.setSensitivity(0.3), rate: 15, scans: 8) == .sensitivity(0.3))
            #expect(access.run(.close, rate: 15, scans: 8) == .done(warnings: []))
            #expect(rate.value == 1600 && sensitivity.value == 0.25 && file.read() == nil)
        }
    }

    @Test(arguments: [(15.0, 10.0), (1600, 1600)])
    func `after a crash, what orientd has written last is restored and nothing else`(now: Double, after: Double) throws
    {
        try withFolder { folder in
            let first = access(folder)
            _ = first.run(.prepare, rate: 15, scans: 0)
            _ = first.run(.open(buffered: false), rate: 15, scans: 0)
            rate.hertz.withLock { $0 = now }
            #expect(access(folder).run(.prepare, rate: 15, scans: 0) == .done(warnings: []))
            let file = try #require(SettingsFile(of: ScriptedDevice("a"), folders: folder))
            #expect(rate.value == after && file.read() == nil)
        }
    }

    // The rate that another program had set while the first sensor was read was forgotten.
    @Test func `a second sensor restores what another program has set before it was opened`() {
        let settings = SettingsToRestore()
        let (first, second) = (access(nil, settings), access(nil, settings))
        _ = first.run(.open(buffered: false), rate: 15, scans: 0)
        rate.hertz.withLock { $0 = 20 }
        _ = second.run(.open(buffered: false), rate: 50, scans: 0)
        #expect(rate.value == 50)
        _ = first.run(.close, rate: 15, scans: 0)
        #expect(rate.value == 50)
        _ = second.run(.close, rate: 50, scans: 0)
        #expect(rate.value == 20)
    }

    @Test func `a higher rate is never lowered`() {
        rate.hertz.withLock { $0 = 400 }
        let access = access()
        _ = access.run(.open(buffered: false), rate: 15, scans: 0)
        #expect(rate.value == 400)
        _ = access.run(.close, rate: 15, scans: 0)
        #expect(rate.value == 400 && log.calls == ["a end"])
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

extension SettingsFile {
    /// The settings in it; nil for anything else.
    fileprivate func read() -> [FoundSetting]? {
        if case .settings(let settings) = contents { settings } else { nil }
    }
}
