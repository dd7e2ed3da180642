// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

/// Interface orientations and the device orientations that they follow.
@Suite struct InterfaceOrientationTests {
    static let rows: [(InterfaceOrientation, UInt8, DeviceOrientation)] = [
        (.portrait, 1, .portrait),
        (.portraitUpsideDown, 2, .portraitUpsideDown),
        (.landscapeRight, 3, .landscapeLeft),
        (.landscapeLeft, 4, .landscapeRight),
    ]

    @Test(arguments: rows)
    func `the content turns opposite to the device, and equal raw values belong together`(
        interface: InterfaceOrientation,
        rawValue: UInt8,
        device: DeviceOrientation
    ) {
        #expect(interface.rawValue == rawValue)
        #expect(device.rawValue == rawValue)
        #expect(InterfaceOrientation(following: device) == interface)
        #expect(interface.device == device)
    }

    @Test func `there are four, in the order of their raw values`() {
        #expect(InterfaceOrientation.allCases == Self.rows.map(\.0))
    }

    @Test(arguments: [DeviceOrientation.unknown, .faceUp, .faceDown])
    func `unknown, face-up and face-down give no interface orientation`(device: DeviceOrientation) {
        #expect(InterfaceOrientation(following: device) == nil)
    }

    @Test func `the two landscape orientations are landscape`() {
        #expect(InterfaceOrientation.allCases.filter(\.isLandscape) == [.landscapeRight, .landscapeLeft])
    }
}
