// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@testable import OrientationSession

/// Where touches land on a screen of several outputs.
@Suite struct TouchMappingTests {
    static let transforms = Transform.allCases

    /// The rows that xinput takes, for a panel that is the whole screen.
    @Test(arguments: [
        ("normal", CalibrationMatrix(1, 0, 0, 0, 1, 0)),
        ("90", CalibrationMatrix(0, -1, 1, 1, 0, 0)),
        ("180", CalibrationMatrix(-1, 0, 1, 0, -1, 1)),
        ("270", CalibrationMatrix(0, 1, 0, -1, 0, 1)),
        ("flipped", CalibrationMatrix(-1, 0, 1, 0, 1, 0)),
        ("flipped-90", CalibrationMatrix(0, 1, 0, 1, 0, 0)),
        ("flipped-180", CalibrationMatrix(1, 0, 0, 0, -1, 1)),
        ("flipped-270", CalibrationMatrix(0, -1, 1, -1, 0, 1)),
    ])
    func `a panel alone has the matrix of its transform`(name: String, expected: CalibrationMatrix) throws {
        let panel = Output(name: "eDP-1", width: 1920, height: 1200, transform: try #require(Transform(name)))
        #expect(CalibrationMatrix(area: panel.area, panel.transform, screen: panel.area.size) == expected)
    }

    /// Corners of the untransformed panel, clockwise from the top left, and where they are in the picture, by name.
    static let corners = [Point(x: 0, y: 0), Point(x: 1, y: 0), Point(x: 1, y: 1), Point(x: 0, y: 1)]
    static let shown: [String: [Int]] = [
        "normal": [0, 1, 2, 3], "90": [1, 2, 3, 0], "180": [2, 3, 0, 1], "270": [3, 0, 1, 2],
        "flipped": [1, 0, 3, 2], "flipped-90": [0, 3, 2, 1], "flipped-180": [3, 2, 1, 0], "flipped-270": [2, 1, 0, 3],
    ]

    @Test(arguments: transforms, transforms)
    func `a transform after a mounting in one of eight ways does both`(transform: Transform, mounting: Transform) {
        let correction = CalibrationMatrix(mounting)
        let both = CalibrationMatrix(transform).after(correction)
        #expect(CalibrationMatrix(transform.after(correction)) == both)
    }

    @Test(arguments: transforms, [Position(x: 0, y: 0), Position(x: 1080, y: 0), Position(x: 300, y: 1440)])
    func `a touch in a corner lands in the corner that is shown there`(transform: Transform, position: Position) throws
    {
        let panel = Output(name: "eDP-1", position: position, width: 1920, height: 1200, transform: transform)
        let matrix = CalibrationMatrix(area: panel.area, panel.transform, screen: Extent(width: 4000, height: 4000))
        let area = panel.area
        let places = [
            (area.x, area.y), (area.right, area.y), (area.right, area.bottom), (area.x, area.bottom),
        ]
        let order = try #require(Self.shown[transform.name])
        for (corner, index) in zip(Self.corners, order) {
            let place = matrix.applied(to: corner)
            #expect(abs(place.x * 4000 - Double(places[index].0)) < 1e-9)
            #expect(abs(place.y * 4000 - Double(places[index].1)) < 1e-9)
        }
    }

    @Test(arguments: transforms)
    func `the inverse undoes a matrix`(transform: Transform) throws {
        let panel = Output(name: "eDP-1", position: Position(x: 8, y: 0), width: 16, height: 8, transform: transform)
        let matrix = CalibrationMatrix(area: panel.area, panel.transform, screen: Extent(width: 64, height: 64))
        #expect(matrix.after(try #require(matrix.inverse)) == .identity)
    }

    @Test func `a matrix that maps everything to a line has no inverse`() {
        #expect(CalibrationMatrix(1, 2, 0, 2, 4, 0).inverse == nil)
        #expect(CalibrationMatrix(.infinity, 0, 0, 0, 1, 0).inverse == nil)
    }

    // MARK: - Baselines

    static let left = CalibrationMatrix(0.5, 0, 0, 0, 1, 0)
    static let right = CalibrationMatrix(0.5, 0, 0.5, 0, 1, 0)
    static let upsideDown = CalibrationMatrix(-1, 0, 1, 0, -1, 1)

    @Test func `a device without a matrix is mapped and gets none back`() {
        let baseline = MatrixBaseline(matrix: .identity, mapping: Self.left)
        #expect(baseline.mapped(to: Self.left) == Self.left)
        #expect(baseline.mapped(to: Self.right) == Self.right)
        #expect(baseline.restored(in: Self.right) == .identity)
    }

    @Test func `a matrix stays in its layout and is corrected in others`() {
        let baseline = MatrixBaseline(matrix: Self.upsideDown, mapping: .identity)
        #expect(baseline.mapped(to: .identity) == Self.upsideDown)
        #expect(baseline.mapped(to: Self.right) == Self.right.after(Self.upsideDown))
        #expect(baseline.restored(in: .identity) == Self.upsideDown)
    }

    @Test func `a matrix that maps to the panel is replaced by the new mapping`() {
        let baseline = MatrixBaseline(matrix: Self.left, mapping: Self.left)
        #expect(baseline.mapped(to: Self.right) == Self.right)
        #expect(baseline.restored(in: Self.left) == Self.left)
    }

    @Test(arguments: transforms)
    func `a matrix maps to an output in four ways, as exactly as scripts write it`(transform: Transform) {
        let screen = Extent(width: 3120, height: 1920)
        let panel = Output(name: "eDP-1", width: 1200, height: 1920)
        let monitor = Output(name: "HDMI-A-1", position: Position(x: 1200, y: 0), width: 1920, height: 1080)
        for output in [panel, monitor] {
            var matrix = CalibrationMatrix(area: output.area, transform, screen: screen)
            matrix.c = (matrix.c * 1000).rounded() / 1000
            #expect(matrix.maps(to: output, screen: screen) == !transform.isMirrored)
            #expect(!matrix.maps(to: output == panel ? monitor : panel, screen: screen))
        }
    }
}
