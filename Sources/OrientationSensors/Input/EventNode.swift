// SPDX-License-Identifier: Apache-2.0

import CLinux
package import OrientationCore
import POSIX
package import SystemdBus

/// An event node of the input subsystem, `/dev/input/event3`.
package enum EventNode {
    /// The keys from Q to I, which are on every keyboard and among no hot keys.
    private static let letters: UInt64 = 0xff_0000

    /// The bit of an input device whose axes are those of an accelerometer.
    static let accelerometerProperty: UInt64 = 1 << 6

    /// The kind of sensor that a node is; nil for all other devices.
    ///
    /// Opens nothing: udev's properties and the attributes of the input device are enough.
    package static func sensorKind(of node: Device) -> SensorKind? {
        guard node.name.begins(with: "event"), node.devnode != nil else { return nil }
        // iio-sensor-proxy's rule marks them all, also those of gamepads.
        let isMarked = node.property("IIO_SENSOR_PROXY_TYPE", contains: "input-accel")
        let isElsewhere = isPluggedIn(node) || !isMarked && bus(of: node) == .virtual
        if isMarked || isAccelerometer(node), !isElsewhere || isInScreen(node) { return .accelerometer }
        return switches(of: node).contains(.frontProximity) ? .proximity : nil
    }

    /// The switches of a node; none of a keyboard, which is never opened, nor of orientd's own virtual tablet switch.
    package static func switches(of node: Device) -> Switches {
        guard node.name.begins(with: "event"), node.devnode != nil, !isKeyboard(node),
            !isVirtualTabletSwitch(node)
        else { return [] }
        return Switches(rawValue: bits("capabilities/sw", of: node))
    }

    /// Says whether it is the virtual tablet switch of orientd.
    package static func isVirtualTabletSwitch(_ node: Device) -> Bool {
        node.parent?.attribute("phys") == ORIENTD_TABLET_SWITCH
    }

    /// Says whether one can type with it; volume keys and the like make no keyboard.
    private static func isKeyboard(_ node: Device) -> Bool {
        node.property("ID_INPUT_KEYBOARD") == "1" || bits("capabilities/key", of: node) & letters != 0
    }

    /// Says whether it is a keyboard of the computer, or one that is attached to it: any but those by radio, and of
    /// programs.
    package static func isAttachedKeyboard(_ node: Device) -> Bool {
        node.name.begins(with: "event") && isKeyboard(node) && bus(of: node) != .bluetooth
            && !node.syspath.begins(with: "/sys/devices/virtual/")
    }

    /// Why an accelerometer is not used; nil for one that is, and for all other devices.
    package static func exclusion(of node: Device) -> String? {
        guard isAccelerometer(node), sensorKind(of: node) != .accelerometer else { return nil }
        return node.devnode == nil
            ? "it has no device node"
            : "on USB or Bluetooth, or made by a program, it is a gamepad's, unless ACCEL_LOCATION=display is set"
    }

    private static func isAccelerometer(_ node: Device) -> Bool {
        node.name.begins(with: "event") && node.property("ID_INPUT_ACCELEROMETER") == "1"
    }

    /// Says whether udev's database describes an accelerometer of a screen, such as that of a handheld on its own USB.
    private static func isInScreen(_ node: Device) -> Bool {
        // hwdb knows the pad of a handheld by its numbers, which a program may give to one that it makes.
        node.property("ACCEL_LOCATION") == "display"
            || node.property("ACCEL_MOUNT_MATRIX")?.isEmpty == false
                && !node.syspath.begins(with: "/sys/devices/virtual/")
    }

    /// Says whether it is connected by cable or radio, as a gamepad is, whose accelerometer is not in the screen.
    private static func isPluggedIn(_ node: Device) -> Bool { [.usb, .bluetooth].contains(bus(of: node)) }

    /// The buses of what is no part of the computer, with the numbers of linux/input.h.
    private enum ExternalBus: Int { case usb = 0x03, bluetooth = 0x05, virtual = 0x06 }

    private static func bus(of node: Device) -> ExternalBus? {
        node.parent?.attribute("id/bustype").flatMap { Int($0, radix: 16) }.flatMap { ExternalBus(rawValue: $0) }
    }

    /// The lowest bits of a bitmap attribute of a node's input device; 0 where there is none.
    static func bits(_ attribute: String, of node: Device) -> UInt64 {
        bits(node.parent?.attribute(attribute) ?? "")
    }

    /// The lowest bits of a bitmap: words in hexadecimal, of which the last is the lowest.
    static func bits(_ text: String) -> UInt64 {
        guard let lowest = text.utf8.split(separator: UInt8(ascii: " ")).last else { return 0 }
        return UInt64(String(Substring(lowest)), radix: 16) ?? 0
    }

    /// The name of the input device: `ST LIS3LV02DL Accelerometer`; else the node's own.
    package static func deviceName(of node: Device) -> String {
        AttributeText.name(node.parent?.attribute("name") ?? node.name)
    }
}
