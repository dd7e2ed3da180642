// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// A touch screen or pen tablet, as udev describes it.
struct InputDevice: Hashable, Sendable {
    enum Kind: Sendable {
        case touchScreen, tablet
    }

    /// The kernel's name of the event node, such as `event3`.
    var node = ""
    var name: String
    var vendor = 0, product = 0
    var kind: Kind
    /// Whether it is a part of the machine; nil if unknown.
    var isBuiltIn: Bool?

    // The numbers of buses in linux/input.h.
    private static let usb = 0x03, bluetooth = 0x05, virtual = 0x06

    /// Decides by udev's ID_INTEGRATION, the number of the bus, and the attribute `removable` of the USB device.
    static func isBuiltIn(integration: String?, bus: Int?, removable: String?) -> Bool? {
        switch integration {
        case "internal": return true
        case "external": return false
        default: break
        }
        switch bus {
        case nil, 0, virtual: return nil
        case bluetooth: return false
        case usb: return removable == "fixed" ? true : removable == "removable" ? false : nil
        default: return true
        }
    }
}

extension InputDevice {
    /// All touch screens and pen tablets of the machine.
    static func all() throws(SystemError) -> [InputDevice] {
        try Device.all(inSubsystem: "input", named: "event*").compactMap { InputDevice($0) }
    }

    /// Nil for a device of another kind.
    init?(_ device: Device) {
        guard let parent = device.parent, let name = parent.attribute("name") else { return nil }
        let number = { (attribute: String) in parent.attribute(attribute).flatMap { Int($0, radix: 16) } }
        if device.property("ID_INPUT_TOUCHSCREEN") == "1" {
            kind = .touchScreen
        } else if device.property("ID_INPUT_TABLET") == "1", device.property("ID_INPUT_TABLET_PAD") != "1" {
            kind = .tablet
        } else {
            return nil
        }
        node = device.name
        self.name = name
        vendor = number("id/vendor") ?? 0
        product = number("id/product") ?? 0
        isBuiltIn = Self.isBuiltIn(
            integration: device.property("ID_INTEGRATION"),
            bus: number("id/bustype"),
            removable: Self.usbDevice(above: parent)?.attribute("removable")
        )
    }

    private static func usbDevice(above device: Device) -> Device? {
        var next = device.parent
        while let device = next {
            if device.subsystem == "usb", device.attribute("removable") != nil { return device }
            next = device.parent
        }
        return nil
    }
}

extension [InputDevice] {
    /// Whether the device with these properties is built in.
    ///
    /// A device of unknown placement counts as built in, unless another of its kind certainly is.
    func isBuiltIn(vendor: Int, product: Int, name: String, kind: InputDevice.Kind) -> Bool {
        isBuiltIn(kind) { $0.vendor == vendor && $0.product == product && $0.name == name }
    }

    /// Whether the devices of a kind that match are built in.
    func isBuiltIn(_ kind: InputDevice.Kind, where isMatch: (InputDevice) -> Bool) -> Bool {
        let found = filter { $0.kind == kind && isMatch($0) }.compactMap { $0.isBuiltIn }
        if !found.isEmpty { return !found.contains(false) }
        return !contains { $0.kind == kind && $0.isBuiltIn == true }
    }

    /// The devices that belong to the panel.
    var builtIn: [InputDevice] {
        filter { device in isBuiltIn(device.kind) { $0 == device } }
    }
}
