// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import Testing

@testable import orientctl

@Suite struct PoseTests {
    private static func status(
        _ orientation: DeviceOrientation,
        _ face: FaceOrientation,
        natural: DeviceOrientation = .portrait
    ) -> ManagerStatus {
        var status = ManagerStatus(naturalOrientation: natural)
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

    @Test(arguments: [
        (orientation: DeviceOrientation.landscapeLeft, edge: "top edge up", line: "│       ▲       │"),
        (.landscapeRight, "bottom edge up", "│       ▼       │"), (.portrait, "left edge up", "    │     ▶ │    "),
        (.portraitUpsideDown, "right edge up", "    │◀      │    "),
    ])
    func `a display that is wider than high has its own top where the words say`(
        orientation: DeviceOrientation,
        edge: String,
        line: String
    ) {
        #expect(orientation.upperEdge(natural: .landscapeLeft) == edge)
        #expect(Pose.picture(of: Self.status(orientation, .none, natural: .landscapeLeft)).contains(line))
    }

    @Test func `the hinge is drawn from the side`() {
        let drawn: [(angles: [Double], lines: [String])] = [
            ([0, 22, 338, 360], ["", "", "        ●════════", "", ""]),
            ([45], ["          ╱", "         ╱", "        ●────────", "", ""]),
            ([90, 110], ["        │", "        │", "        ●────────", "", ""]),
            ([135], ["      ╲", "       ╲", "        ●────────", "", ""]),
            ([180], ["", "", "────────●────────", "", ""]),
            ([225], ["", "", "        ●────────", "       ╱", "      ╱"]),
            ([270], ["", "", "        ●────────", "        │", "        │"]),
            ([315], ["", "", "        ●────────", "         ╲", "          ╲"]),
        ]
        for (angles, lines) in drawn {
            let padded = lines.map { $0 + String(repeating: " ", count: Pose.width - $0.count) }
            for angle in angles { #expect(Pose.hinge(angle) == padded, "\(angle)°") }
        }
    }

    @Test(arguments: DeviceOrientation.allCases)
    func `a face is shown instead of an edge`(orientation: DeviceOrientation) {
        #expect(Pose.picture(of: Self.status(orientation, .faceUp)).joined().contains("face up"))
        #expect(Pose.picture(of: Self.status(orientation, .faceDown)).joined().contains("face down"))
    }
}
