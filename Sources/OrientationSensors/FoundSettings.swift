// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// A setting of a device as it was before a sensor changed it.
package struct FoundSetting: Hashable, Sendable {
    /// The whole path of its file.
    let file: String
    let text: String
    /// The number of open sensors that have changed it.
    var users = 0
}

/// The settings of a device that its sensors have changed, as they were before.
///
/// Sensors of one device can share a setting: the first that changes it notes it, the last that closes restores it.
/// What cannot be restored stays noted. They are also written to a file, for the next start after a crash.
// Sendable unchecked: only the jobs of the device's helper use it.
final class FoundSettings: @unchecked Sendable {
    private var settings: [FoundSetting] = []
    private var file: SettingsFile?
    /// The inode of the device's folder: another device at the same path has another one, and other settings.
    private var inode: UInt64?

    /// Restores what a crash left changed; returns what could not be restored.
    func recover(_ device: any SensorDevice, folders: String?) -> [String] {
        begin(device)
        file = SettingsFile(of: device, folders: folders)
        file?.removeLeftovers()
        if settings.isEmpty { settings = file?.read() ?? [] }
        return restore(device)
    }

    /// Forgets the settings of another device that had the path before.
    private func begin(_ device: any SensorDevice) {
        if device.folder.inode != inode { settings = [] }
        inode = device.folder.inode
    }

    /// Notes settings that one more sensor is about to change; returns whether another sensor has changed any of them.
    func note(_ found: [FoundSetting], of device: any SensorDevice) -> Bool {
        begin(device)
        var isShared = false
        for setting in found {
            let index = settings.firstIndex { $0.file == setting.file } ?? settings.endIndex
            if index == settings.endIndex { settings.append(setting) }
            if settings[index].users > 0 { isShared = true }
            settings[index].users += 1
        }
        return isShared
    }

    /// Writes them to the file; throws ENODEV once the device was unplugged.
    func save() throws(SystemError) { try file?.write(settings) }

    /// Restores the settings in these files that no other sensor uses; returns what could not be restored.
    func release(_ files: [String], of device: any SensorDevice) -> [String] {
        guard device.folder.inode == inode else { return [] }
        for index in settings.indices where files.contains(settings[index].file) { settings[index].users -= 1 }
        return restore(device)
    }

    private func restore(_ device: any SensorDevice) -> [String] {
        var warnings: [String] = []
        for setting in settings.reversed() where setting.users == 0 && device.folder.contains(setting.file) {
            do throws(SystemError) {
                try device.restore(setting)
                settings.removeAll { $0.file == setting.file }
            } catch {
                warnings.append("\(error); the setting stays changed")
            }
        }
        do throws(SystemError) {
            try device.folder.checkPresence()
        } catch {
            // They went with the device.
            settings = []
            file?.remove()
            return []
        }
        do throws(SystemError) {
            try save()
        } catch {
            warnings.append("\(error)")
        }
        return warnings
    }
}

/// The file that holds the settings of a device as they were found.
///
/// It is in the service manager's RuntimeDirectory=, which must outlive the service, and not the machine. Without one
/// nothing is kept.
struct SettingsFile: Sendable {
    let path: String
    private let folder: DeviceFolder

    /// The file of a device of this machine; nil for any other, and without a folder.
    init?(of device: any SensorDevice, folders: String? = environment("RUNTIME_DIRECTORY")) {
        guard !device.description.sysfsPath.isEmpty, let folders, let runtimeFolder = firstFolder(in: folders) else {
            return nil
        }
        path = runtimeFolder + "/" + device.description.id + ".settings"
        folder = device.folder
    }

    /// The settings in the file; nil where there is none, or no valid one of this very device.
    func read() -> [FoundSetting]? {
        (try? FileDescriptor.contents(of: path, limit: 8192)).flatMap { Self.settings($0, of: folder) }
    }

    /// Reads the text that ``write(_:)`` makes; nil for any other, and for that of another device.
    static func settings(_ bytes: [UInt8], of folder: DeviceFolder) -> [FoundSetting]? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard lines.first.map({ $0.elementsEqual(heading(folder).utf8) }) == true else { return nil }
        return lines.dropFirst().mapAll { line -> FoundSetting? in
            let words = line.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard words.count == 2 else { return nil }
            let file = String(decoding: words[0], as: UTF8.self)
            return folder.contains(file)
                ? FoundSetting(file: file, text: String(decoding: words[1], as: UTF8.self)) : nil
        }
    }

    private static func heading(_ folder: DeviceFolder) -> String {
        "inode=" + (folder.inode.map { "\($0)" } ?? "none")
    }

    /// Replaces the file, or removes it if there are no settings; throws ENODEV once the device was unplugged.
    func write(_ settings: [FoundSetting]) throws(SystemError) {
        // The file may be that of another device by now.
        try folder.checkPresence()
        guard !settings.isEmpty else { return _ = unlink(path) }
        let lines = [Self.heading(folder)] + settings.map { $0.file + "=" + $0.text }
        try OutputFile.replace(path, with: (lines.joined(separator: "\n") + "\n").utf8, permissions: 0o600)
    }

    /// Removes the file, unless it is of another device.
    func remove() { if read() != nil { unlink(path) } }

    /// Removes what a crash while writing has left.
    func removeLeftovers() {
        let runtimeFolder = FileDescriptor.folder(of: path)
        for name in (try? FileDescriptor.names(in: runtimeFolder)) ?? []
        where (runtimeFolder + name).hasPrefix(path + ".") {
            unlink(runtimeFolder + name)
        }
    }
}
