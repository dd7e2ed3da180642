// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@Suite struct DeviceOrientationTests {
    @Test func `the raw values are UIDeviceOrientation's`() {
        #expect(DeviceOrientation.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6])
    }

    @Test func `a face is a device orientation while the device lies flat`() {
        #expect(FaceOrientation.none.deviceOrientation == nil)
        #expect(FaceOrientation.faceUp.deviceOrientation == .faceUp)
        #expect(FaceOrientation.faceDown.deviceOrientation == .faceDown)
    }

    @Test func `quarter turns count from portrait, counter-clockwise, modulo four`() {
        for turns in 0..<4 {
            #expect(DeviceOrientation(quarterTurns: turns).quarterTurns == turns)
            #expect(DeviceOrientation(quarterTurns: turns - 4).quarterTurns == turns)
            #expect(DeviceOrientation(quarterTurns: turns + 8).quarterTurns == turns)
        }
        #expect(DeviceOrientation.allCases.filter(\.isEdge).count == 4)
    }

    /// An edge of the panel, its transform, and its name on a portrait and on a landscape device.
    static let panel: [(DeviceOrientation, OutputTransform, DeviceOrientation, DeviceOrientation)] = [
        (.portrait, .normal, .portrait, .landscapeLeft),
        (.landscapeLeft, .rotated270, .landscapeLeft, .portraitUpsideDown),
        (.portraitUpsideDown, .rotated180, .portraitUpsideDown, .landscapeRight),
        (.landscapeRight, .rotated90, .landscapeRight, .portrait),
    ]

    @Test(arguments: panel)
    func `an edge of the panel has its name and its transform on portrait and landscape devices`(
        edge: DeviceOrientation,
        transform: OutputTransform,
        portraitName: DeviceOrientation,
        landscapeName: DeviceOrientation
    ) {
        #expect(edge.named(natural: .portrait) == portraitName)
        #expect(edge.named(natural: .landscapeLeft) == landscapeName)
        #expect(OutputTransform(following: portraitName, natural: .portrait) == transform)
        #expect(OutputTransform(following: landscapeName, natural: .landscapeLeft) == transform)
    }

    @Test(arguments: [DeviceOrientation.portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight])
    func `a device held naturally needs no transform`(natural: DeviceOrientation) {
        #expect(DeviceOrientation.portrait.named(natural: natural) == natural)
        #expect(OutputTransform(following: natural, natural: natural) == .normal)
    }

    @Test(arguments: [DeviceOrientation.unknown, .faceUp, .faceDown])
    func `without an edge there is no transform, and the name stays`(orientation: DeviceOrientation) {
        #expect(orientation.named(natural: .landscapeLeft) == orientation)
        #expect(DeviceOrientation.portrait.named(natural: orientation) == .portrait)
        #expect(OutputTransform(following: orientation, natural: .portrait) == nil)
        #expect(OutputTransform(following: .portrait, natural: orientation) == nil)
    }
}
