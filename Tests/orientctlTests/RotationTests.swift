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

    @Test(arguments: [
        (
            InterfaceOrientation.portrait, InterfaceOrientationMask.landscape, RotationRule.mask,
            "a allows landscape only" as String?
        ),
        (.portrait, .landscapeRight, .mask, "a is allowed landscape-right only"),
        // The lock holds an orientation that the request allows.
        (.portrait, .landscape, .lock, "a allows landscape only"),
        (.portrait, .landscape, .waiting, "a allows landscape only"),
        (.portrait, .all, .fixed, "a does not autorotate"), (.portrait, .all, .lock, "a does not autorotate"),
        (.portrait, .all, .laptop, "the machine is used as a laptop"), (.landscapeRight, .landscape, .mask, nil),
        // A rotation by hand in laptop mode, which does not wait for the lock either.
        (.portrait, .all, .manual, "the machine is used as a laptop"),
    ])
    func `what overrides what is wanted is named`(
        wanted: InterfaceOrientation,
        mask: InterfaceOrientationMask,
        rule: RotationRule,
        obstacle: String?
    ) {
        var status = ManagerStatus(naturalOrientation: .portrait)
        status.interfaceOrientation = .landscapeRight
        status.supportedOrientations = mask
        status.interfaceRule = rule
        let isLaptop = rule == .laptop || rule == .manual
        (status.autorotate, status.tabletMode) = isLaptop ? (.tabletMode, .laptop) : (.always, .unknown)
        let supported = mask == .landscapeRight ? .landscape : mask
        let request = ListedRequest(id: 1, appID: "a", presentation: .modal, supported: supported)
        #expect(status.obstacle(to: wanted, request) == obstacle)
    }

    @Test func `a request that does not autorotate keeps what was rotated by hand`() {
        var status = ManagerStatus(naturalOrientation: .portrait)
        status.interfaceRule = .manual
        let request = ListedRequest(id: 1, appID: "a", presentation: .modal, supported: .all)
        #expect(status.obstacle(to: .landscapeLeft, request) == "a does not autorotate")
        #expect(status.obstacle(to: .landscapeLeft, nil) == nil)
    }

    @Test func `the device's mask counts before laptop mode`() {
        var status = ManagerStatus(naturalOrientation: .portrait)
        (status.interfaceOrientation, status.supportedOrientations) = (.landscapeRight, .landscape)
        (status.autorotate, status.tabletMode) = (.tabletMode, .laptop)
        #expect(status.obstacle(to: .portrait, nil) == "this device supports landscape only")
    }
}
