// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import Testing

@testable import orientctl

@Suite struct PoseTests {
    private static func status(_ orientation: DeviceOrientation, _ face: FaceOrientation) -> ManagerStatus {
        var status = ManagerStatus(naturalOrientation: .portrait)
        status.deviceOrientation = orientation
        status.faceOrientation = face
        return status
    }

    @Test(arguments: DeviceOrientation.allCases, FaceOrientation.allCases)
    func `all lines of the pictures are equally wide`(
        orientation: DeviceOrientation,
        face: FaceOrientation
    ) {
        let picture = Pose.picture(of: Self.status(orientation, face))
        #expect(!picture.isEmpty)
        for line in picture { #expect(line.count == Pose.width, "\(line)") }
    }

    @Test func `the arrow is at the device's top edge`() {
        let portrait = Pose.picture(of: Self.status(.portrait, .none))
        let upsideDown = Pose.picture(of: Self.status(.portraitUpsideDown, .none))
        #expect(portrait.firstIndex { $0.contains("▲") } == 1)
        #expect(upsideDown.firstIndex { $0.contains("▼") } == upsideDown.count - 2)
        #expect(Pose.picture(of: Self.status(.landscapeLeft, .none)).contains("│◀              │"))
        #expect(Pose.picture(of: Self.status(.landscapeRight, .none)).contains("│             ▶ │"))
        #expect(Pose.picture(of: Self.status(.unknown, .none)).joined().contains("?"))
    }

    @Test(arguments: DeviceOrientation.allCases)
    func `a face is shown instead of an edge`(orientation: DeviceOrientation) {
        #expect(Pose.picture(of: Self.status(orientation, .faceUp)).joined().contains("face up"))
        #expect(Pose.picture(of: Self.status(orientation, .faceDown)).joined().contains("face down"))
    }
}
