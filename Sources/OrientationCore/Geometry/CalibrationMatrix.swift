// SPDX-License-Identifier: Apache-2.0

/// The two rows with which libinput and xinput map coordinates of a touchscreen or tablet to those of the display.
///
///     x' = a·x + b·y + c
///     y' = d·x + e·y + f
///
/// Coordinates run from 0 to 1, x to the right and y down.
public struct CalibrationMatrix: Hashable, Sendable {
    public var a, b, c, d, e, f: Double

    /// Creates a matrix from numbers in the order of `LIBINPUT_CALIBRATION_MATRIX`.
    public init(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ e: Double, _ f: Double) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
    }

    public static let identity = CalibrationMatrix(1, 0, 0, 0, 1, 0)

    public func applied(to point: Point) -> Point {
        Point(x: a * point.x + b * point.y + c, y: d * point.x + e * point.y + f)
    }

    /// Returns the matrix that maps the same touch to the same place on the panel in another orientation.
    ///
    /// Rotating there and back is the identity, up to the rounding of the differences from 1.
    public func rotated(from: InterfaceOrientation, to: InterfaceOrientation) -> CalibrationMatrix {
        // 0 - x in place of -x, so that 0 stays 0 and is not printed as -0.
        switch from.quarterTurns(to: to) {
        case 0: self
        case 1: CalibrationMatrix(0 - d, 0 - e, 1 - f, a, b, c)
        case 2: CalibrationMatrix(0 - a, 0 - b, 1 - c, 0 - d, 0 - e, 1 - f)
        default: CalibrationMatrix(d, e, f, 0 - a, 0 - b, 1 - c)
        }
    }
}
