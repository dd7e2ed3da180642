// SPDX-License-Identifier: Apache-2.0

/// What the user must have in the configuration of a compositor so that a device follows an output.
struct InputSetting: Hashable, Sendable {
    /// Below the user's folder for configuration files.
    var file: String
    /// What surrounds the line in the file; nil for nothing.
    var section: String?
    var line: String

    /// Nil where orient-agent maps the device itself.
    init?(for device: InputDevice, on output: String, in compositor: Compositor) {
        let isTouch = device.kind == .touchScreen
        switch compositor {
        case .sway, .hyprland: return nil
        case .niri:
            file = "niri/config.kdl"
            section = "input"
            line = "\(isTouch ? "touch" : "tablet") { map-to-output \"\(output)\"; }"
        case .labwc:
            file = "labwc/rc.xml"
            section = "<labwc_config>"
            let element = isTouch ? "touch deviceName=\"\(device.name)\"" : "tablet"
            line = "<\(element) mapToOutput=\"\(output)\"/>"
        case .wayfire:
            file = "wayfire.ini"
            section = "[input-device:\(device.name)]"
            line = "output = \(output)"
        case .river:
            // river's names of devices end with the kernel's, with underscores for spaces.
            let name = String(decoding: device.name.utf8.map { $0 == 0x20 ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
            file = "river/init"
            line = "riverctl input '*-\(name)' map-to-output \(output)"
        }
    }
}

extension InputSetting: CustomStringConvertible {
    var description: String {
        "~/.config/\(file) has\(section.map { ", in \($0)," } ?? "") the line \(line)"
    }
}
