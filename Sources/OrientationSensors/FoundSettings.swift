// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// The settings of a device as they were before it was read; nil for those that it does not have.
struct FoundSettings: Hashable, Sendable {
    /// In Hz.
    var rate: Double?
    /// In m/s².
    var sensitivity: Double?

    /// Sets them again; the device may well be gone, and its settings with it.
    func restore(_ device: any SensorDevice) {
        if let sensitivity { _ = try? device.setChangeSensitivity(sensitivity) }
        if let rate { try? device.restoreSamplingFrequency(rate) }
    }
}

extension FoundSettings {
    /// Reads the text that ``SettingsFile`` writes; nil for any other.
    init?(_ bytes: [UInt8]) {
        self.init()
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard words.count == 2, let number = AttributeText.number(String(decoding: words[1], as: UTF8.self)) else {
                return nil
            }
            switch String(decoding: words[0], as: UTF8.self) {
            case "rate": rate = number
            case "sensitivity": sensitivity = number
            default: return nil
            }
        }
    }
}

/// A file that holds the settings of a device as they were found, while it is read: a crash does not lose them.
///
/// It is in the service manager's RuntimeDirectory=, which must outlive the service, and not the machine. Without one
/// nothing is kept.
struct SettingsFile: Sendable {
    let path: String

    /// The file of a device of this machine; nil for any other, and without a folder.
    init?(of description: SensorDescription, folders: String? = environment("RUNTIME_DIRECTORY")) {
        guard !description.sysfsPath.isEmpty, let folders,
            let folder = firstFolder(in: folders)
        else { return nil }
        path = folder + "/" + description.id + ".settings"
    }

    /// The settings in the file; nil where there is none, or no valid one.
    func read() -> FoundSettings? {
        (try? FileDescriptor.contents(of: path, limit: 256)).flatMap { FoundSettings($0) }
    }

    func write(_ settings: FoundSettings) throws(SystemError) {
        var text = ""
        if let rate = settings.rate { text += "rate=\(rate)\n" }
        if let sensitivity = settings.sensitivity { text += "sensitivity=\(sensitivity)\n" }
        try OutputFile.replace(path, with: text.utf8, permissions: 0o600)
    }

    func remove() { unlink(path) }

    /// Removes what a crash while writing has left.
    func removeLeftovers() {
        let folder = FileDescriptor.folder(of: path)
        for name in (try? FileDescriptor.names(in: folder)) ?? [] where (folder + name).hasPrefix(path + ".") {
            unlink(folder + name)
        }
    }
}
