// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// Whether an input device is a part of the machine.
enum InputPlacement: Sendable {
    case builtIn, external
}

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
    /// Nil if nothing tells.
    var placement: InputPlacement?

    // The numbers of buses in linux/input.h.
    private static let usb = 0x03, bluetooth = 0x05, virtual = 0x06

    /// Decides by udev's ID_INTEGRATION, the number of the bus, and the attribute `removable` of the USB device.
    static func placement(integration: String?, bus: Int?, removable: String?) -> InputPlacement? {
        switch integration {
        case "internal": return .builtIn
        case "external": return .external
        default: break
        }
        switch bus {
        case nil, 0, virtual: return nil
        case bluetooth: return .external
        case usb: return removable == "fixed" ? .builtIn : removable == "removable" ? .external : nil
        default: return .builtIn
        }
    }
}

extension InputDevice {
    /// All touch screens and pen tablets of the machine.
    static func all() throws(SystemError) -> [InputDevice] {
        try Device.all(inSubsystem: "input", named: "event*").compactMap { InputDevice($0) }
    }

    private init?(_ device: Device) {
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
        placement = Self.placement(
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
    /// If nothing tells, it is, unless another device of its kind is known to be.
    func placement(vendor: Int, product: Int, name: String, kind: InputDevice.Kind) -> InputPlacement {
        placement(kind) { $0.vendor == vendor && $0.product == product && $0.name == name }
    }

    /// Whether the devices of a kind that match are built in.
    func placement(_ kind: InputDevice.Kind, where isMatch: (InputDevice) -> Bool) -> InputPlacement {
        let found = filter { $0.kind == kind && isMatch($0) }.map { $0.placement }
        if found.contains(.external) { return .external }
        if found.contains(.builtIn) { return .builtIn }
        return contains { $0.kind == kind && $0.placement == .builtIn } ? .external : .builtIn
    }

    /// The devices that belong to the panel.
    var builtIn: [InputDevice] {
        filter { device in placement(device.kind) { $0 == device } == .builtIn }
    }
}
