// SPDX-License-Identifier: Apache-2.0

import OrientationConfiguration
import OrientationCore
import POSIX

/// The orientations that applications declare in their desktop files, as on Ubuntu Touch.
enum DesktopFile {
    private static let keys = ["X-Lomiri-Supported-Orientations", "X-Ubuntu-Supported-Orientations"]

    /// In bytes; files with many translations have some ten thousand.
    private static let longest = 1 << 20

    /// The folders that are searched, the most important first.
    static var standardFolders: [String] {
        let home = environment("XDG_DATA_HOME") ?? environment("HOME").map { $0 + "/.local/share" }
        let system = environment("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
        let folders = system.utf8.split(separator: UInt8(ascii: ":")).map { String(decoding: $0, as: UTF8.self) }
        return ([home].compactMap { $0 } + folders).map { $0 + "/applications" }
    }

    /// Returns the orientations of an application; nil if it has no desktop file or the file does not restrict them.
    static func orientations(of appID: String, in folders: [String] = standardFolders) -> InterfaceOrientationMask? {
        // The id comes from a client.
        guard !appID.isEmpty, !appID.utf8.contains(UInt8(ascii: "/")) else { return nil }
        for folder in folders {
            guard let text = try? FileDescriptor.contents(of: "\(folder)/\(appID).desktop", limit: longest) else {
                continue
            }
            return orientations(in: text)
        }
        return nil
    }

    static func orientations(in text: [UInt8]) -> InterfaceOrientationMask? {
        for key in keys {
            for line in IniParser.lines(of: text) {
                guard case .assignment("Desktop Entry", key, let value) = line.content else { continue }
                return mask(value)
            }
        }
        return nil
    }

    /// Reads a list of `portrait`, `landscape`, `inverted-portrait`, `inverted-landscape` and `primary`; nil if it does
    /// not restrict the orientations.
    private static func mask(_ text: String) -> InterfaceOrientationMask? {
        var mask: InterfaceOrientationMask = []
        for part in text.utf8.split(whereSeparator: { ",; ".utf8.contains($0) }) {
            switch String(decoding: part, as: UTF8.self) {
            case "portrait": mask.insert(.portrait)
            case "inverted-portrait": mask.insert(.portraitUpsideDown)
            // Which of the two landscapes is meant depends on how the panel of that device is mounted.
            case "landscape", "inverted-landscape": mask.formUnion(.landscape)
            default: return nil
            }
        }
        return mask.isEmpty || mask == .all ? nil : mask
    }
}
