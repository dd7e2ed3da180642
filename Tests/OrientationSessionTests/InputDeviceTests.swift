// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationSession

@Suite struct InputDeviceTests {
    @Test(
        arguments: [
            ("internal", 3, "removable", true),
            ("external", 0x18, nil, false),
            (nil, 0x18, nil, true),
            (nil, 0x1C, nil, true),
            (nil, 0x19, nil, true),
            (nil, 0x13, nil, true),
            (nil, 0x05, nil, false),
            (nil, 0x03, "fixed", true),
            (nil, 0x03, "removable", false),
            (nil, 0x03, "unknown", nil),
            (nil, 0x03, nil, nil),
            (nil, 0x06, nil, nil),
            (nil, nil, nil, nil),
            ("something new", 0x03, "fixed", true),
        ] as [(String?, Int?, String?, Bool?)]
    )
    func `udev, the bus and the port tell what is built in`(
        integration: String?,
        bus: Int?,
        removable: String?,
        isBuiltIn: Bool?
    ) {
        #expect(InputDevice.isBuiltIn(integration: integration, bus: bus, removable: removable) == isBuiltIn)
    }

    private let panel = InputDevice(name: "ELAN", vendor: 1, product: 2, kind: .touchScreen, isBuiltIn: true)
    private let monitor = InputDevice(name: "ILITEK", vendor: 3, product: 4, kind: .touchScreen, isBuiltIn: false)
    private let unclear = InputDevice(name: "Goodix", vendor: 5, product: 6, kind: .touchScreen)
    private let pen = InputDevice(name: "Wacom", vendor: 7, product: 8, kind: .tablet, isBuiltIn: true)

    private func isBuiltIn(_ device: InputDevice, among devices: [InputDevice]) -> Bool {
        devices.isBuiltIn(vendor: device.vendor, product: device.product, name: device.name, kind: device.kind)
    }

    @Test func `a device without certain placement is built in only if no other of its kind is`() {
        #expect(isBuiltIn(unclear, among: [unclear, monitor, pen]))
        #expect(!isBuiltIn(unclear, among: [unclear, panel]))
        #expect(isBuiltIn(unclear, among: []))
        #expect(!isBuiltIn(unclear, among: [panel]))
        #expect([unclear, monitor, pen].builtIn == [unclear, pen])
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
        twin.isBuiltIn = false
        #expect(!isBuiltIn(panel, among: [panel, twin]))
    }
}
