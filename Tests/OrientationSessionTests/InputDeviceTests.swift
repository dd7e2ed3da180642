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
            (nil, 0x03, "unknown", nil),
            (nil, 0x03, nil, nil),
            (nil, 0x06, nil, nil),
            (nil, nil, nil, nil),
            ("something new", 0x03, "fixed", .builtIn),
        ] as [(String?, Int?, String?, InputPlacement?)]
    )
    func `udev, the bus and the port tell what is built in`(
        integration: String?,
        bus: Int?,
        removable: String?,
        placement: InputPlacement?
    ) {
        #expect(InputDevice.placement(integration: integration, bus: bus, removable: removable) == placement)
    }

    private let panel = InputDevice(name: "ELAN", vendor: 1, product: 2, kind: .touchScreen, placement: .builtIn)
    private let monitor = InputDevice(name: "ILITEK", vendor: 3, product: 4, kind: .touchScreen, placement: .external)
    private let unclear = InputDevice(name: "Goodix", vendor: 5, product: 6, kind: .touchScreen)
    private let pen = InputDevice(name: "Wacom", vendor: 7, product: 8, kind: .tablet, placement: .builtIn)

    private func placement(of device: InputDevice, among devices: [InputDevice]) -> InputPlacement {
        devices.placement(vendor: device.vendor, product: device.product, name: device.name, kind: device.kind)
    }

    @Test func `a device without certain placement is built in only if no other of its kind is`() {
        #expect(placement(of: unclear, among: [unclear, monitor, pen]) == .builtIn)
        #expect(placement(of: unclear, among: [unclear, panel]) == .external)
        #expect(placement(of: unclear, among: []) == .builtIn)
        #expect(placement(of: unclear, among: [panel]) == .external)
        #expect([unclear, monitor, pen].builtIn == [unclear, pen])
    }

    @Test func `a device is found by numbers and name`() {
        #expect(placement(of: monitor, among: [panel, monitor]) == .external)
        #expect(placement(of: panel, among: [monitor, panel]) == .builtIn)
        var other = panel
        other.product = 9
        #expect(placement(of: other, among: [panel]) == .external)
    }

    @Test func `two that look the same are external if one is`() {
        var twin = panel
        twin.placement = .external
        #expect(placement(of: panel, among: [panel, twin]) == .external)
    }
}
