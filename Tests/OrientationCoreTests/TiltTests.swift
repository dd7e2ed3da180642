// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@Suite struct TiltTests {
    /// Sine and cosine, in thousandths, of the angle by which the device leans back.
    private struct Lean {
        let degrees: Int
        let along: Double
        let across: Double
        let tilt: Tilt
    }

    private static let leans = [
        Lean(degrees: 0, along: 0, across: 1000, tilt: .vertical),
        Lean(degrees: 20, along: 342.0, across: 939.7, tilt: .vertical),
        Lean(degrees: 21, along: 358.4, across: 933.6, tilt: .tiltedUp),
        Lean(degrees: 69, along: 933.6, across: 358.4, tilt: .tiltedUp),
        Lean(degrees: 70, along: 939.7, across: 342.0, tilt: .faceUp),
        Lean(degrees: 90, along: 1000, across: 0, tilt: .faceUp),
    ]

    private static let mirrored: [Tilt: Tilt] = [.vertical: .vertical, .tiltedUp: .tiltedDown, .faceUp: .faceDown]

    @Test(arguments: leans.indices)
    func `the tilt depends on the angle only`(row: Int) {
        let lean = Self.leans[row]
        for length in [0.001, 0.026] {
            let back = Vector3(0, -lean.across * length, -lean.along * length)
            let sideways = Vector3(lean.across * length, 0, -lean.along * length)
            #expect(Tilt(back, faceUp: .positiveZ) == lean.tilt)
            #expect(Tilt(sideways, faceUp: .positiveZ) == lean.tilt)
        }
    }

    @Test(arguments: leans.indices)
    func `leaning forward mirrors the tilt, and so does a sensor with the other sign of z`(row: Int) {
        let lean = Self.leans[row]
        let mirrored = Self.mirrored[lean.tilt]
        #expect(Tilt(Vector3(0, -lean.across, lean.along), faceUp: .positiveZ) == mirrored)
        #expect(Tilt(Vector3(0, -lean.across, -lean.along), faceUp: .negativeZ) == mirrored)
    }

    /// The tilt before, the tangent of the next angle, and the tilt afterwards.
    @Test(arguments: [
        (Tilt.vertical, 0.370, Tilt.vertical),  // 20.3°
        (.vertical, 0.384, .tiltedUp),  // 21°
        (.tiltedUp, 0.344, .tiltedUp),  // 19°
        (.tiltedUp, 0.325, .vertical),  // 18°
        (.tiltedUp, 2.651, .tiltedUp),  // 69.3°
        (.tiltedUp, 2.747, .faceUp),  // 70°
        (.faceUp, 2.475, .faceUp),  // 68°
        (.faceUp, 2.356, .tiltedUp),  // 67°
        (.vertical, 5.671, .faceUp),  // 80°
        (.faceDown, 2.904, .faceUp),  // 71° the other way
        (.undefined, 0.404, .tiltedUp),
    ])
    func `a tilt ends 2° later than it begins`(previous: Tilt, tangent: Double, tilt: Tilt) {
        #expect(Tilt(Vector3(0, -1, -tangent), faceUp: .positiveZ, after: previous) == tilt)
    }

    @Test(arguments: [Vector3.zero, Vector3(.nan, 0, -1), Vector3(0, .infinity, 0)])
    func `zero and values that are not finite have no tilt`(gravity: Vector3) {
        #expect(Tilt(gravity, faceUp: .positiveZ) == .undefined)
    }

    @Test func `names are those of net.hadess`() {
        #expect(
            Tilt.allCases.map(\.name) == ["undefined", "vertical", "tilted-up", "tilted-down", "face-up", "face-down"]
        )
    }
}
