// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// A setting of a device as it was before a sensor changed it.
package struct FoundSetting: Hashable, Sendable {
    /// The whole path of its file.
    let file: String
    fileprivate(set) var text: String
    /// What it read after the last change by a sensor; nil before that.
    fileprivate(set) var written: String?
    /// The number of open sensors that have changed it.
    fileprivate(set) var users = 0

    init(file: String, text: String) {
        self.file = file
        self.text = text
    }

    /// Whether a text that it reads now is what a sensor has made of it; another is the choice of another program.
    func isOurs(_ text: String) -> Bool { written == nil || written == text }
}

/// The settings of a device that its sensors have changed, as they were before.
///
/// Sensors of one device can share a setting: the first that changes it notes it, the last that closes restores it,
/// unless another program has changed it meanwhile. What cannot be restored stays noted. They are also written to a
/// file, for the next start after a crash.
// Sendable unchecked: only the jobs of the device's helper use it.
final class SettingsToRestore: @unchecked Sendable {
    private var settings: [FoundSetting] = []
    private var file: SettingsFile?
    /// The inode of the device's folder: another device at the same path has another one, and other settings.
    private var inode: UInt64?

    /// Restores what a crash left changed; returns what could not be restored.
    func recover(_ device: any SensorDevice, folders: String?) -> [String] {
        begin(device)
        file = SettingsFile(of: device, folders: folders)
        file?.removeLeftovers()
        var warnings: [String] = []
        if settings.isEmpty {
            switch file?.contents {
            case .settings(let found):
                settings = found
                // Otherwise a buffer that ran goes on after a crash. It may have been polled, or be another program's.
                try? device.stopBuffer()
            case .invalid(let problem): warnings = [problem + ", ignored; the sensor keeps the settings it has"]
            case .ofOther, nil: break
            }
        }
        return warnings + restore(device)
    }

    /// Forgets the settings of another device that had the path before.
    private func begin(_ device: any SensorDevice) {
        if device.folder.inode != inode { settings = [] }
        inode = device.folder.inode
    }

    /// Notes settings that one more sensor is about to change.
    func note(_ found: [FoundSetting], of device: any SensorDevice) {
        begin(device)
        adopt(found)
        for setting in found {
            let index = settings.firstIndex { $0.file == setting.file } ?? settings.endIndex
            if index == settings.endIndex { settings.append(setting) }
            settings[index].users += 1
        }
    }

    /// Takes what another program has made of noted settings for what they were before.
    func adopt(_ present: [FoundSetting]) {
        for setting in present {
            guard let index = settings.firstIndex(where: { $0.file == setting.file }) else { continue }
            if !settings[index].isOurs(setting.text) {
                settings[index].text = setting.text
                settings[index].written = nil
            }
        }
    }

    /// From now on, after a crash, settings are restored whatever they read, until ``noteChange(to:)``.
    func expectChange(of present: [FoundSetting]) {
        for setting in present {
            if let index = settings.firstIndex(where: { $0.file == setting.file }) { settings[index].written = nil }
        }
    }

    /// Notes what settings read after a change; returns whether that is something else than before.
    func noteChange(to present: [FoundSetting]) -> Bool {
        var isOther = false
        for setting in present {
            guard let index = settings.firstIndex(where: { $0.file == setting.file }) else { continue }
            if settings[index].written != setting.text { isOther = true }
            settings[index].written = setting.text
        }
        return isOther
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
                if setting.written != setting.text { try device.restore(setting) }
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
        // sd-device makes a slash of `!` in a name.
        guard !device.description.id.utf8.contains(UInt8(ascii: "/")) else { return nil }
        path = runtimeFolder + "/" + device.description.id + ".settings"
        folder = device.folder
    }

    /// The largest size in bytes: a device has a dozen settings at most, each a path and a number.
    private static let sizeLimit = 8192

    enum Contents: Hashable {
        /// There is no file, or it is of another device.
        case ofOther
        case settings([FoundSetting])
        /// What is wrong, as a line that names the file.
        case invalid(String)
    }

    var contents: Contents {
        let bytes: [UInt8]
        do throws(SystemError) {
            let file = FileDescriptor(owning: try checkSystem("read", path, orientd_open_own_file(path)))
            guard file.isOwnFile else { return .invalid(path + ": not a regular file of orientd's user") }
            bytes = try file.readToEnd(path, limit: Self.sizeLimit + 1)
        } catch {
            return error.errno == .notFound ? .ofOther : .invalid("\(error)")
        }
        guard bytes.count <= Self.sizeLimit else { return .invalid(path + ": larger than \(Self.sizeLimit) bytes") }
        return Self.contents(bytes, of: folder, path)
    }

    /// Reads the text that ``write(_:)`` makes; `path` is the file for messages.
    static func contents(_ bytes: [UInt8], of folder: DeviceFolder, _ path: String = "") -> Contents {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard lines.first.map({ $0.elementsEqual(heading(folder).utf8) }) == true else { return .ofOther }
        var settings: [FoundSetting] = []
        for line in lines.dropFirst() {
            let words = line.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            if words.count == 2, isPrintable(words[1]) {
                if folder.contains(words[0]) {
                    settings.append(FoundSetting(file: words[0], text: words[1]))
                    continue
                }
                if words[0].isEmpty, let last = settings.indices.last {
                    settings[last].written = words[1]
                    continue
                }
            }
            let shown = AttributeText.quoted(String(decoding: line, as: UTF8.self))
            return .invalid(path + ": " + shown + " is no setting of " + folder.path)
        }
        return .settings(settings)
    }

    /// Says whether a text may be written to an attribute: a short one of printable ASCII.
    private static func isPrintable(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    }

    private static func heading(_ folder: DeviceFolder) -> String {
        "inode=" + (folder.inode.map { "\($0)" } ?? "none")
    }

    /// Replaces the file, or removes it if there are no settings; throws ENODEV once the device was unplugged.
    func write(_ settings: [FoundSetting]) throws(SystemError) {
        // The file may be that of another device by now.
        try folder.checkPresence()
        guard !settings.isEmpty else { return _ = unlink(path) }
        // What was written stands in a line of its own, with no file.
        let lines = settings.flatMap { [$0.file + "=" + $0.text] + ($0.written.map { ["=" + $0] } ?? []) }
        try OutputFile.replace(
            path,
            with: (([Self.heading(folder)] + lines).joined(separator: "\n") + "\n").utf8,
            permissions: 0o600
        )
    }

    /// Removes the file, unless it is of another device.
    func remove() { if contents != .ofOther { unlink(path) } }

    /// Removes what a crash while writing has left.
    func removeLeftovers() {
        let runtimeFolder = FileDescriptor.folder(of: path)
        for name in (try? FileDescriptor.names(in: runtimeFolder)) ?? []
        where (runtimeFolder + name).begins(with: path + ".") {
            unlink(runtimeFolder + name)
        }
    }
}
