// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationSession

@Suite struct InputDeviceTests {
    @Test(
        arguments: [
            ("internal", 3, "removable", .builtIn),
            ("external", 0x18, nil, .external),
            (nil, 0x18, nil, .builtIn),
            (nil, 0x1C, nil, .builtIn),
            (nil, 0x19, nil, .builtIn),
            (nil, 0x13, nil, .builtIn),
            (nil, 0x05, nil, .external),
            (nil, 0x03, "fixed", .builtIn),
            (nil, 0x03, "removable", .external),
            (nil, 0x03, "unknown", .unknown),
            (nil, 0x03, nil, .unknown),
            (nil, 0x06, nil, .virtual),
            (nil, nil, nil, .unknown),
            ("something new", 0x03, "fixed", .builtIn),
        ] as [(String?, Int?, String?, InputDevice.Place)]
    )
    func `udev, the bus and the port tell what is built in`(
        integration: String?,
        bus: Int?,
        removable: String?,
        place: InputDevice.Place
    ) {
        #expect(InputDevice.place(integration: integration, bus: bus, removable: removable) == place)
    }

    @Test func `a tablet of unknown place that is no display is external`() {
        let place = { InputDevice.place(integration: nil, bus: $0, removable: $1, isDirect: false) }
        #expect(place(0x03, "unknown") == .external)
        #expect(place(0x03, "fixed") == .builtIn)
        #expect(place(0x18, nil) == .builtIn)
    }

    private let panel = InputDevice(name: "ELAN", vendor: 1, product: 2, kind: .touchScreen, place: .builtIn)
    private let monitor = InputDevice(name: "ILITEK", vendor: 3, product: 4, kind: .touchScreen, place: .external)
    private let unclear = InputDevice(name: "Goodix", vendor: 5, product: 6, kind: .touchScreen, place: .unknown)
    private let pen = InputDevice(name: "Wacom", vendor: 7, product: 8, kind: .tablet, place: .builtIn)

    private func isBuiltIn(_ device: InputDevice, among devices: [InputDevice]) -> Bool {
        devices.isBuiltIn(device.kind) {
            $0.vendor == device.vendor && $0.product == device.product && $0.name == device.name
        }
    }

    @Test func `a device without certain placement is built in only if no other of its kind is`() {
        #expect(isBuiltIn(unclear, among: [unclear, monitor, pen]))
        #expect(!isBuiltIn(unclear, among: [unclear, panel]))
        #expect(isBuiltIn(unclear, among: []))
        #expect(!isBuiltIn(unclear, among: [panel]))
        #expect([unclear, monitor, pen].builtIn == [unclear, pen])
    }

    @Test func `the only touch screen on USB belongs to an output that is alone`() {
        var (screen, node, twin, wireless) = (monitor, monitor, monitor, monitor)
        screen.path = "pci-0000:00:14.0-usb-0:9:1.0"
        node.path = "pci-0000:00:14.0-usb-0:9:1.1"
        twin.path = "pci-0000:00:14.0-usb-0:8:1.0"
        wireless.path = "platform-bluetooth"
        for (devices, belongs) in [
            ([screen, pen], true), ([screen, node, pen], true), ([screen, twin, pen], false), ([wireless, pen], false),
            ([screen, panel, pen], false),
        ] {
            let found = devices.serving(isAlone: true).builtIn
            #expect(found.contains { $0.name == monitor.name } == belongs)
            #expect(devices.serving(isAlone: false).builtIn.allSatisfy { $0.name != monitor.name })
        }
    }

    @Test func `a device is found by numbers and name`() {
        #expect(!isBuiltIn(monitor, among: [panel, monitor]))
        #expect(isBuiltIn(panel, among: [monitor, panel]))
        var other = panel
        other.product = 9
        #expect(!isBuiltIn(other, among: [panel]))
    }

    @Test func `two that look the same are external if one is`() {
        var twin = panel
        twin.place = .external
        #expect(!isBuiltIn(panel, among: [panel, twin]))
    }

    // Names and numbers as of a Surface with iptsd.
    @Test func `what a program makes for a built-in device is built in`() {
        var screen = panel
        screen.name = "IPTS 0001:0002 Touchscreen"
        let touch = InputDevice(name: "IPTSD Touch", vendor: 1, product: 2, kind: .touchScreen, place: .virtual)
        let stylus = InputDevice(name: "IPTSD Stylus", vendor: 1, product: 2, kind: .tablet, place: .virtual)
        #expect([screen, touch, stylus].builtIn == [screen, touch, stylus])
        var other = touch
        other.vendor = 9
        #expect([screen, other].builtIn == [screen])
        #expect([other].builtIn == [other])
    }

    // As OpenTabletDriver makes it: it spans all outputs.
    @Test func `a virtual tablet of no built-in device is external`() {
        let tablet = InputDevice(name: "OpenTabletDriver", kind: .tablet, place: .virtual)
        #expect([tablet, panel].builtIn == [panel])
    }
}
