// SPDX-License-Identifier: Apache-2.0

extension Compositor {
    /// What the user must have in this compositor's configuration so that a device follows an output, as a sentence; nil
    /// where orient-agent maps the device itself.
    func inputSetting(for device: InputDevice, on output: String) -> String? {
        let isTouch = device.kind == .touchScreen
        switch self {
        case .sway, .hyprland: return nil
        case .niri:
            let line = "\(isTouch ? "touch" : "tablet") { map-to-output \"\(output)\"; }"
            return "~/.config/niri/config.kdl has, in input, the line \(line)"
        case .labwc:
            let element = isTouch ? "touch deviceName=\"\(device.name)\"" : "tablet"
            return "~/.config/labwc/rc.xml has, in <labwc_config>, the line <\(element) mapToOutput=\"\(output)\"/>"
        case .wayfire:
            return "~/.config/wayfire.ini has, in [input-device:\(device.name)], the line output = \(output)"
        case .river:
            // river's names of devices end with the kernel's, with underscores for spaces.
            let name = String(decoding: device.name.utf8.map { $0 == 0x20 ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
            return "~/.config/river/init has the line riverctl input '*-\(name)' map-to-output \(output)"
        }
    }
}
