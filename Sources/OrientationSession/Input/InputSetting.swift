// SPDX-License-Identifier: Apache-2.0

import POSIX

/// What the user must add to the configuration of a compositor so that a device follows an output.
struct InputSetting: Hashable, Sendable {
    /// Below the user's folder for configuration files.
    var file: String
    /// What surrounds the line in the file; nil for nothing.
    var section: String?
    var line: String

    /// The name of the option in the line, and its value.
    private var key, output: String

    /// Nil where orient-agent maps the device itself.
    init?(for device: InputDevice, on output: String, in compositor: Compositor) {
        let isTouch = device.kind == .touchScreen
        self.output = output
        switch compositor {
        case .sway, .hyprland: return nil
        case .niri:
            (file, section, key) = ("niri/config.kdl", "input", "map-to-output")
            line = "\(isTouch ? "touch" : "tablet") { map-to-output \"\(output)\"; }"
        case .labwc:
            (file, section, key) = ("labwc/rc.xml", "<labwc_config>", "mapToOutput")
            let element = isTouch ? "touch deviceName=\"\(device.name)\"" : "tablet"
            line = "<\(element) mapToOutput=\"\(output)\"/>"
        case .wayfire:
            (file, section, key) = ("wayfire.ini", "[input-device:\(device.name)]", "output")
            line = "output = \(output)"
        case .river:
            // river's names of devices end with the kernel's, with underscores for spaces.
            let name = String(decoding: device.name.utf8.map { $0 == 0x20 ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
            (file, section, key) = ("river/init", nil, "map-to-output")
            line = "riverctl input '*-\(name)' map-to-output \(output)"
        }
    }

    /// Whether the user's file maps a device to the output already.
    var isPresent: Bool {
        guard let folder = userConfigurationFolder else { return false }
        let text = try? FileDescriptor.contents(of: "\(folder)/\(file)", limit: 1 << 20)
        return text.map { isPresent(in: $0) } ?? false
    }

    /// Whether the text of a configuration maps a device to the output.
    func isPresent(in text: [UInt8]) -> Bool {
        // Formats differ in what stands between the option and its value, and around the value.
        let ignored = Array(" \t\"'=".utf8)
        let wanted = Array((key + output).utf8)
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let line = line.filter { !ignored.contains($0) }
            if line.first == UInt8(ascii: "#") || line.starts(with: "//".utf8) { continue }
            for start in line.indices where line[start...].starts(with: wanted) {
                let next = line.dropFirst(start + wanted.count).first
                if next.map({ !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) ?? true { return true }
            }
        }
        return false
    }
}

extension InputSetting: CustomStringConvertible {
    var description: String {
        "~/.config/\(file)\(section.map { ", in \($0)" } ?? ""): \(line)"
    }
}
