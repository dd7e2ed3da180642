// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
import SystemdBus

/// The built-in panel, from the kernel's DRM devices.
package enum BuiltInDisplay {
    /// Landscape-left if the panel's preferred mode, the first in its list, is wider than high, else portrait.
    ///
    /// Nil where there is no panel, or its modes are not known yet.
    package static var naturalOrientation: DeviceOrientation? {
        get throws(SystemError) {
            for connector in try Device.all(inSubsystem: "drm") where isBuiltIn(connector.name) {
                guard let modes = connector.attribute("modes"), let size = firstMode(of: modes) else { continue }
                return size.width > size.height ? .landscapeLeft : .portrait
            }
            return nil
        }
    }

    /// The edge of the panel that is up while the computer stands as a laptop does, in the frame of the panel.
    ///
    /// The kernel knows some devices whose panel is mounted turned, and turns its console on them
    /// (drm_panel_orientation_quirks.c); `fbcon=rotate:` says the same. Portrait where it says nothing.
    package static var upperEdge: DeviceOrientation {
        // Without a console on a frame buffer there is no such device.
        let console = try? Device(subsystem: "graphics", name: "fbcon")
        return DeviceOrientation(quarterTurns: console?.attribute("rotate").flatMap { Int($0) } ?? 0)
    }

    /// Whether the panel shows something; nil if there is none.
    package static var isOn: Bool? {
        let panels = ((try? Device.all(inSubsystem: "drm")) ?? []).filter { isBuiltIn($0.name) }
        return panels.isEmpty ? nil : panels.contains { $0.attribute("dpms") == "On" }
    }

    /// The types of connectors that only panels have, as the kernel names them; DPI and SPI are those of single boards.
    package static let connectorTypes = ["eDP", "LVDS", "DSI", "DPI", "SPI"]

    /// Connectors are named by card, type and number: `card0-eDP-1`.
    package static func isBuiltIn(_ connector: String) -> Bool {
        let parts = connector.utf8.split(separator: UInt8(ascii: "-"))
        guard parts.count > 2 else { return false }
        return connectorTypes.contains(String(decoding: parts[1], as: UTF8.self))
    }

    /// The first of the lines of `modes`, such as `1920x1080` or `1080x1920i`.
    static func firstMode(of modes: String) -> (width: Int, height: Int)? {
        guard let line = modes.utf8.split(separator: UInt8(ascii: "\n")).first else { return nil }
        let sides = line.split(separator: UInt8(ascii: "x")).map { Int(String(Substring($0.prefix(while: isDigit)))) }
        guard sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
        return (width, height)
    }
}

extension MachineConfiguration {
    /// Sets what the built-in panel tells; a natural orientation that is configured stays.
    package mutating func adaptToDisplay() throws(SystemError) {
        if naturalOrientation == nil { naturalOrientation = try BuiltInDisplay.naturalOrientation }
        laptopEdge = BuiltInDisplay.upperEdge
    }
}
