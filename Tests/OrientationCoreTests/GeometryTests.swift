// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SplitMix
import Testing

/// Geometry between any two orientations.
@Suite struct GeometryTests {
    /// A portrait display of 600 × 1000 in each orientation: its size, the insets that in portrait are 1, 2,
    /// 3 and 4 from the top counter-clockwise, and the point that in portrait is (100, 50).
    static let displays: [(InterfaceOrientation, Size, EdgeInsets, Point)] = [
        (
            .portrait, Size(width: 600, height: 1000), EdgeInsets(top: 1, left: 2, bottom: 3, right: 4),
            Point(x: 100, y: 50)
        ),
        (
            .landscapeLeft, Size(width: 1000, height: 600), EdgeInsets(top: 2, left: 3, bottom: 4, right: 1),
            Point(x: 950, y: 100)
        ),
        (
            .portraitUpsideDown, Size(width: 600, height: 1000), EdgeInsets(top: 3, left: 4, bottom: 1, right: 2),
            Point(x: 500, y: 950)
        ),
        (
            .landscapeRight, Size(width: 1000, height: 600), EdgeInsets(top: 4, left: 1, bottom: 2, right: 3),
            Point(x: 50, y: 500)
        ),
    ]

    @Test(arguments: displays, displays)
    func `sizes, insets and points rotate between any two orientations`(
        from: (InterfaceOrientation, size: Size, insets: EdgeInsets, point: Point),
        to: (InterfaceOrientation, size: Size, insets: EdgeInsets, point: Point)
    ) {
        #expect(from.size.rotated(from: from.0, to: to.0) == to.size)
        #expect(from.insets.rotated(from: from.0, to: to.0) == to.insets)
        #expect(from.point.rotated(from: from.0, to: to.0, in: from.size) == to.point)
    }

    /// The middle of the device's own top edge, on a display of 600 × 1000.
    @Test(
        arguments: [
            (DeviceOrientation.portrait, Point(x: 300, y: 0)),
            (.portraitUpsideDown, Point(x: 300, y: 1000)),
            (.landscapeLeft, Point(x: 0, y: 300)),
            (.landscapeRight, Point(x: 1000, y: 300)),
        ]
    )
    func `the top of the device is where its orientation says`(device: DeviceOrientation, top: Point) throws {
        let shown = try #require(InterfaceOrientation(following: device))
        let portrait = Size(width: 600, height: 1000)
        #expect(Point(x: 300, y: 0).rotated(from: .portrait, to: shown, in: portrait) == top)
    }

    @Test(
        arguments: [
            (InterfaceOrientation.portrait, Rect(origin: Point(x: 10, y: 20), size: Size(width: 300, height: 400))),
            (.landscapeLeft, Rect(origin: Point(x: 580, y: 10), size: Size(width: 400, height: 300))),
            (.portraitUpsideDown, Rect(origin: Point(x: 290, y: 580), size: Size(width: 300, height: 400))),
            (.landscapeRight, Rect(origin: Point(x: 20, y: 290), size: Size(width: 400, height: 300))),
        ]
    )
    func `the origin of a rotated rectangle is its new top-left corner`(
        shown: InterfaceOrientation,
        expected: Rect
    ) {
        let rect = Rect(origin: Point(x: 10, y: 20), size: Size(width: 300, height: 400))
        #expect(rect.rotated(from: .portrait, to: shown, in: Size(width: 600, height: 1000)) == expected)
    }
}

// MARK: - Random values

/// A size, a point, a rectangle and insets with random numbers.
private struct Drawing {
    var area: Size
    var point: Point
    var rect: Rect
    var insets: EdgeInsets

    init(_ number: () -> Double) {
        area = Size(width: number(), height: number())
        point = Point(x: number(), y: number())
        rect = Rect(
            origin: Point(x: number(), y: number()),
            size: Size(width: number(), height: number())
        )
        insets = EdgeInsets(top: number(), left: number(), bottom: number(), right: number())
    }

    /// The drawing in another orientation.
    func rotated(from: InterfaceOrientation, to: InterfaceOrientation) -> Drawing {
        var rotated = self
        rotated.area = area.rotated(from: from, to: to)
        rotated.point = point.rotated(from: from, to: to, in: area)
        rotated.rect = rect.rotated(from: from, to: to, in: area)
        rotated.insets = insets.rotated(from: from, to: to)
        return rotated
    }

    /// The greatest difference between corresponding numbers.
    func distance(to other: Drawing) -> Double {
        zip(numbers, other.numbers).map { abs($0 - $1) }.max() ?? 0
    }

    private var numbers: [Double] {
        [
            area.width, area.height, point.x, point.y, rect.origin.x, rect.origin.y, rect.size.width,
            rect.size.height, insets.top, insets.left, insets.bottom, insets.right,
        ]
    }
}

extension GeometryTests {
    /// Two orientations and a third in between.
    static func orientations(
        _ random: inout SplitMix
    ) -> (from: InterfaceOrientation, by: InterfaceOrientation, to: InterfaceOrientation) {
        func next() -> InterfaceOrientation { InterfaceOrientation.allCases[Int(random.next() % 4)] }
        return (next(), next(), next())
    }

    /// A whole number or dyadic fraction of either sign: up to 2⁴⁰, in steps of 2⁻¹⁰.
    static func dyadic(_ random: inout SplitMix) -> Double {
        Double(Int64.random(in: -(1 << 50)...(1 << 50), using: &random)) / 1024
    }

    @Test(arguments: UInt64(1)...5)
    func `rotating there and back is the identity, and over a third orientation the same`(seed: UInt64) {
        var random = SplitMix(state: seed)
        for step in 0..<10_000 {
            let (from, by, to) = Self.orientations(&random)
            let drawing = Drawing { Self.dyadic(&random) }
            let rotated = drawing.rotated(from: from, to: to)
            let back = rotated.rotated(from: to, to: from)
            let indirect = drawing.rotated(from: from, to: by).rotated(from: by, to: to)
            guard back.distance(to: drawing) == 0, indirect.distance(to: rotated) == 0 else {
                Issue.record("seed \(seed), step \(step), \(from) by \(by) to \(to): \(drawing)")
                return
            }
        }
    }

    @Test(arguments: UInt64(11)...15)
    func `rotating there and back is exact within rounding`(seed: UInt64) {
        var random = SplitMix(state: seed)
        for step in 0..<10_000 {
            let (from, _, to) = Self.orientations(&random)
            let drawing = Drawing { Double.random(in: -1000...1000, using: &random) }
            let back = drawing.rotated(from: from, to: to).rotated(from: to, to: from)
            // Four sums of at most three numbers, each rounded by at most half of this.
            guard back.distance(to: drawing) <= 2 * 3000.0.ulp else {
                Issue.record("seed \(seed), step \(step), \(from) to \(to): \(drawing)")
                return
            }
        }
    }

    @Test(arguments: UInt64(21)...25)
    func `a rectangle rotates like its corners and like the insets around it`(seed: UInt64) {
        var random = SplitMix(state: seed)
        for step in 0..<10_000 {
            let (from, _, to) = Self.orientations(&random)
            let area = Size(width: abs(Self.dyadic(&random)), height: abs(Self.dyadic(&random)))
            let corners = [0, 1].map { _ in Point(x: Self.dyadic(&random), y: Self.dyadic(&random)) }
            let rect = Self.rect(between: corners[0], corners[1])
            let turned = corners.map { $0.rotated(from: from, to: to, in: area) }
            let expected = Self.rect(between: turned[0], turned[1])
            let insets = Self.insets(leaving: rect, of: area).rotated(from: from, to: to)
            guard rect.rotated(from: from, to: to, in: area) == expected,
                insets == Self.insets(leaving: expected, of: area.rotated(from: from, to: to))
            else {
                Issue.record("seed \(seed), step \(step), \(from) to \(to): \(rect) in \(area)")
                return
            }
        }
    }

    private static func rect(between one: Point, _ other: Point) -> Rect {
        Rect(
            origin: Point(x: min(one.x, other.x), y: min(one.y, other.y)),
            size: Size(width: abs(one.x - other.x), height: abs(one.y - other.y))
        )
    }

    private static func insets(leaving rect: Rect, of area: Size) -> EdgeInsets {
        EdgeInsets(
            top: rect.origin.y,
            left: rect.origin.x,
            bottom: area.height - rect.origin.y - rect.size.height,
            right: area.width - rect.origin.x - rect.size.width
        )
    }
}
