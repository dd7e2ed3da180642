// SPDX-License-Identifier: Apache-2.0

import OrientationConfiguration
import OrientationCore
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
    var place: Place
    /// udev's ID_PATH.
    var path = ""
    /// What corrects how it is mounted: udev's LIBINPUT_CALIBRATION_MATRIX.
    var calibration = CalibrationMatrix.identity

    enum Place: Sendable {
        case builtIn, external
        /// Made by a program, for a device with the same numbers if there is one: iptsd does so for Surface's screens.
        case virtual
        case unknown
    }

    /// The bit of INPUT_PROP_DIRECT.
    private static let direct = 1 << 1

    // The numbers of buses in linux/input.h.
    private static let usb = 0x03, bluetooth = 0x05, virtual = 0x06

    /// Decides by udev's ID_INTEGRATION, the number of the bus, the attribute `removable` of the USB device, and whether
    /// the device is a part of a display: a tablet of unknown place that is none is on a desk.
    static func place(integration: String?, bus: Int?, removable: String?, isDirect: Bool = true) -> Place {
        switch integration {
        case "internal": return .builtIn
        case "external": return .external
        default: break
        }
        let unknown = isDirect ? Place.unknown : .external
        switch bus {
        case nil, 0: return unknown
        case virtual: return .virtual
        case bluetooth: return .external
        case usb: return removable == "fixed" ? .builtIn : removable == "removable" ? .external : unknown
        default: return .builtIn
        }
    }
}

extension InputDevice {
    /// All touch screens and pen tablets of the machine; empty without udev.
    static var all: [InputDevice] {
        ((try? Device.all(inSubsystem: "input", named: "event*")) ?? []).compactMap { InputDevice($0) }
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
        path = device.property("ID_PATH") ?? ""
        let numbers = (device.property("LIBINPUT_CALIBRATION_MATRIX") ?? "").utf8.split(separator: UInt8(ascii: " "))
            .compactMap { OrientationConfiguration.number(String(Substring($0))) }
        if numbers.count == 6 {
            calibration = .init(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])
        }
        place = Self.place(
            integration: device.property("ID_INTEGRATION"),
            bus: number("id/bustype"),
            removable: device.nearest { $0.subsystem == "usb" && $0.attribute("removable") != nil }?
                .attribute("removable"),
            isDirect: (number("properties") ?? 0) & Self.direct != 0 || kind == .touchScreen
        )
    }
}

extension [InputDevice] {
    /// Whether the devices of a kind that match are built in.
    ///
    /// A device of unknown placement counts as built in, unless another of its kind certainly is.
    func isBuiltIn(_ kind: InputDevice.Kind, where isMatch: (InputDevice) -> Bool) -> Bool {
        let places = filter { $0.kind == kind && isMatch($0) }.map { place(of: $0) }
        if places.contains(.external) { return false }
        return places.contains(.builtIn) || !contains { $0.kind == kind && $0.place == .builtIn }
    }

    /// The place of a device; that of a virtual one is that of the device for which it was made.
    private func place(of device: InputDevice) -> InputDevice.Place {
        guard device.place == .virtual else { return device.place }
        let isOfBuiltIn = contains {
            $0.place == .builtIn && $0.vendor == device.vendor && $0.product == device.product
        }
        if isOfBuiltIn { return .builtIn }
        // Drivers of drawing tablets make tablets.
        return device.kind == .tablet ? .external : .unknown
    }

    /// The devices as they are for the rotated output: if that is alone, the only touch screen may belong to it, also
    /// one on USB, which udev calls external.
    func serving(isAlone: Bool) -> [InputDevice] {
        // The paths of the nodes of one device differ in the last figure, the number of the interface.
        let screens = Set(filter { $0.kind == .touchScreen }.map { String(Substring($0.path.utf8.dropLast())) })
        guard isAlone, screens.count == 1 else { return self }
        return map { device in
            var device = device
            let mayBelong = device.kind == .touchScreen && device.path.includes("-usb-")
            if mayBelong, device.place == .external { device.place = .unknown }
            return device
        }
    }

    /// The devices that belong to the panel.
    var builtIn: [InputDevice] { filter { device in isBuiltIn(device.kind) { $0 == device } } }
}
