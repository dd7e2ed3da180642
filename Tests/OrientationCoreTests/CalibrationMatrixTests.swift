// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SplitMix
import Testing

/// Touch calibration between any two orientations.
@Suite struct CalibrationMatrixTests {
    /// libinput's documented matrices of 0°, 90°, 180° and 270° clockwise.
    static let documented: [(InterfaceOrientation, CalibrationMatrix)] = [
        (.portrait, CalibrationMatrix(1, 0, 0, 0, 1, 0)),
        (.landscapeLeft, CalibrationMatrix(0, -1, 1, 1, 0, 0)),
        (.portraitUpsideDown, CalibrationMatrix(-1, 0, 1, 0, -1, 1)),
        (.landscapeRight, CalibrationMatrix(0, 1, 0, -1, 0, 1)),
    ]

    @Test(arguments: documented, documented)
    func `between any two orientations the matrices are those that libinput documents`(
        from: (InterfaceOrientation, matrix: CalibrationMatrix),
        to: (InterfaceOrientation, matrix: CalibrationMatrix)
    ) {
        let rotated = from.matrix.rotated(from: from.0, to: to.0)
        #expect(rotated == to.matrix)
        let numbers = [rotated.a, rotated.b, rotated.c, rotated.d, rotated.e, rotated.f]
        #expect(!numbers.contains { $0.isZero && $0.sign == .minus })
    }

    @Test func `a matrix applies to a column of x, y and 1`() {
        let matrix = CalibrationMatrix(2, 3, 5, 7, 11, 13)
        #expect(matrix.applied(to: Point(x: 0, y: 0)) == Point(x: 5, y: 13))
        #expect(matrix.applied(to: Point(x: 10, y: 100)) == Point(x: 325, y: 1183))
        #expect(CalibrationMatrix.identity.applied(to: Point(x: 0.25, y: 0.75)) == Point(x: 0.25, y: 0.75))
    }

    /// A whole number or dyadic fraction of either sign: up to 2¹⁰, in steps of 2⁻¹⁰.
    private static func dyadic(_ random: inout SplitMix) -> Double {
        Double(Int64.random(in: -(1 << 20)...(1 << 20), using: &random)) / 1024
    }

    private static func matrix(_ number: () -> Double) -> CalibrationMatrix {
        CalibrationMatrix(number(), number(), number(), number(), number(), number())
    }

    @Test(arguments: UInt64(1)...5)
    func `rotating there and back is the identity, and over a third orientation the same`(seed: UInt64) {
        var random = SplitMix(state: seed)
        for step in 0..<10_000 {
            let (from, by, to) = GeometryTests.orientations(&random)
            let matrix = Self.matrix { Self.dyadic(&random) }
            let rotated = matrix.rotated(from: from, to: to)
            guard rotated.rotated(from: to, to: from) == matrix,
                matrix.rotated(from: from, to: by).rotated(from: by, to: to) == rotated
            else {
                Issue.record("seed \(seed), step \(step), \(from) by \(by) to \(to): \(matrix)")
                return
            }
        }
    }

    @Test(arguments: UInt64(11)...15)
    func `a rotated matrix maps a touch to the rotated place`(seed: UInt64) {
        var random = SplitMix(state: seed)
        let unit = Size(width: 1, height: 1)
        for step in 0..<10_000 {
            let (from, _, to) = GeometryTests.orientations(&random)
            let matrix = Self.matrix { Self.dyadic(&random) }
            let touch = Point(x: Self.dyadic(&random), y: Self.dyadic(&random))
            let place = matrix.applied(to: touch)
            guard
                matrix.rotated(from: from, to: to).applied(to: touch) == place.rotated(from: from, to: to, in: unit)
            else {
                Issue.record("seed \(seed), step \(step), \(from) to \(to): \(matrix) of \(touch)")
                return
            }
        }
    }

    @Test(arguments: UInt64(21)...25)
    func `rotating there and back is exact within rounding`(seed: UInt64) {
        var random = SplitMix(state: seed)
        for step in 0..<10_000 {
            let (from, _, to) = GeometryTests.orientations(&random)
            let matrix = Self.matrix { Double.random(in: -1...1, using: &random) }
            let back = matrix.rotated(from: from, to: to).rotated(from: to, to: from)
            var exact = back
            (exact.c, exact.f) = (matrix.c, matrix.f)
            // Two differences from 1, each rounded by at most half of this.
            guard exact == matrix, abs(back.c - matrix.c) <= 2.0.ulp, abs(back.f - matrix.f) <= 2.0.ulp else {
                Issue.record("seed \(seed), step \(step), \(from) to \(to): \(matrix)")
                return
            }
        }
    }
}
