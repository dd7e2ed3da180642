// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import Testing

@testable import orientctl

@Suite struct EdgeTests {
    @Test(arguments: [
        ("normal", InterfaceOrientation.portrait), ("left-up", .landscapeLeft), ("right-up", .landscapeRight),
        ("bottom-up", .portraitUpsideDown), ("portrait", .portrait), ("landscape-left", .landscapeLeft),
    ])
    func `an edge is the orientation that is upright with it`(name: String, orientation: InterfaceOrientation) throws {
        let edge = try #require(Edge(name: name))
        #expect(try edge.orientation(natural: .portrait) == orientation)
    }

    @Test(arguments: DeviceOrientation.allCases.filter(\.isEdge), DeviceOrientation.allCases.filter(\.isEdge))
    func `desktops get the edge that was asked for`(upper: DeviceOrientation, natural: DeviceOrientation) throws {
        // As net.hadess.SensorProxy reports the interface's orientation.
        let orientation = try Edge.upper(upper).orientation(natural: natural)
        #expect(orientation.device.sensed(natural: natural) == upper)
        #expect(orientation.device.sensed(natural: natural).proxiedName == Edge.upper(upper).name)
    }

    @Test func `an orientation of the interface needs no natural orientation`() {
        func unreachable() throws(CommandError) -> DeviceOrientation { throw CommandError("unreachable") }
        #expect(throws: Never.self) { try Edge.orientation(.landscapeLeft).orientation(natural: unreachable()) }
    }
}
