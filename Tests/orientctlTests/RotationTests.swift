// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@testable import OrientationBus
@testable import orientctl

@Suite struct RotationTests {
    @Test(arguments: InterfaceOrientation.allCases)
    func `a clockwise turn is three of the counter-clockwise turns of an output`(orientation: InterfaceOrientation) {
        let transforms = OutputTransform.allCases
        func turns(_ orientation: InterfaceOrientation) -> Int? {
            OutputTransform(following: orientation.device, natural: .portrait).flatMap { transforms.firstIndex(of: $0) }
        }
        #expect(turns(orientation.turned(clockwise: 1)) == turns(orientation).map { ($0 + 3) % 4 })
        #expect(orientation.turned(clockwise: 1).turned(clockwise: -1) == orientation)
    }

    @Test(arguments: [
        (InterfaceOrientation.portrait, InterfaceOrientationMask.all, InterfaceOrientation.landscapeRight),
        (.landscapeRight, .all, .portraitUpsideDown), (.landscapeLeft, .all, .portrait),
        (.landscapeRight, .allButUpsideDown, .landscapeLeft), (.landscapeLeft, .landscape, .landscapeRight),
        (.portrait, .portrait, .portrait), (.portrait, .landscapeLeft, .landscapeLeft),
    ])
    func `next is the next supported one clockwise`(
        shown: InterfaceOrientation,
        supported: InterfaceOrientationMask,
        next: InterfaceOrientation
    ) {
        var status = ManagerStatus(naturalOrientation: .portrait)
        status.interfaceOrientation = shown
        status.supportedOrientations = supported
        #expect(status.nextOrientation == next)
    }

    @Test(arguments: [DeviceOrientation.unknown, .portrait, .landscapeLeft, .landscapeRight, .faceUp])
    func `landscape is the one in which the policy shows a request for it`(device: DeviceOrientation) throws {
        for start in InterfaceOrientation.allCases {
            for supported: InterfaceOrientationMask in [.all, .landscape, .landscapeLeft, .landscapeRight] {
                var policy = RotationPolicy(configuration: .init(), autorotate: .always)
                policy.deviceTurned(to: device)
                try policy.rotate(to: start)
                var status = ManagerStatus(naturalOrientation: .portrait)
                status.interfaceOrientation = start
                status.deviceOrientation = device
                status.supportedOrientations = supported
                let mask = supported.intersection(.landscape)
                _ = try policy.present(.init(appID: "a", supported: mask), of: "client")
                #expect(status.landscapeOrientation == policy.shown)
            }
        }
    }
}
