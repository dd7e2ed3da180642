// SPDX-License-Identifier: Apache-2.0

/// The size of a display, a window or a part of one.
public struct Size: Hashable, Sendable {
    public var width, height: Double

    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}

/// A place in an area: x to the right and y down from its top-left corner.
public struct Point: Hashable, Sendable {
    public var x, y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

/// A rectangle in an area; the origin is its top-left corner.
public struct Rect: Hashable, Sendable {
    public var origin: Point
    public var size: Size

    public init(origin: Point, size: Size) {
        self.origin = origin
        self.size = size
    }
}

/// Margins at the edges of an area, such as for a notch.
public struct EdgeInsets: Hashable, Sendable {
    public var top, left, bottom, right: Double

    public init(top: Double, left: Double, bottom: Double, right: Double) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }
}

// MARK: - Rotation

// A rotation keeps the place on the panel and converts the coordinates to another interface orientation. There and back
// is the identity, up to the rounding of sums and differences.

extension InterfaceOrientation {
    /// Clockwise quarter turns of the panel, as a person sees it, to another orientation: 0 to 3.
    func quarterTurns(to other: InterfaceOrientation) -> Int {
        // The device's own turns are counter-clockwise.
        ((device.quarterTurns ?? 0) - (other.device.quarterTurns ?? 0)) & 3
    }
}

extension EdgeInsets {
    /// Returns the insets at the same edges of the panel, named as in another orientation.
    public func rotated(from: InterfaceOrientation, to: InterfaceOrientation) -> EdgeInsets {
        switch from.quarterTurns(to: to) {
        case 0: self
        case 1: EdgeInsets(top: left, left: bottom, bottom: right, right: top)
        case 2: EdgeInsets(top: bottom, left: right, bottom: top, right: left)
        default: EdgeInsets(top: right, left: top, bottom: left, right: bottom)
        }
    }
}

extension Size {
    /// Returns the size of the same area in another orientation.
    public func rotated(from: InterfaceOrientation, to: InterfaceOrientation) -> Size {
        from.isLandscape == to.isLandscape ? self : Size(width: height, height: width)
    }
}

extension Rect {
    /// Returns the same rectangle of the panel; `area` is the size of the coordinate space in `from`.
    public func rotated(from: InterfaceOrientation, to: InterfaceOrientation, in area: Size) -> Rect {
        let insets = EdgeInsets(
            top: origin.y,
            left: origin.x,
            bottom: area.height - (origin.y + size.height),
            right: area.width - (origin.x + size.width)
        )
        let rotated = insets.rotated(from: from, to: to)
        return Rect(origin: Point(x: rotated.left, y: rotated.top), size: size.rotated(from: from, to: to))
    }
}

extension Point {
    /// Returns the same place on the panel; `area` is the size of the coordinate space in `from`.
    public func rotated(from: InterfaceOrientation, to: InterfaceOrientation, in area: Size) -> Point {
        Rect(origin: self, size: Size(width: 0, height: 0)).rotated(from: from, to: to, in: area).origin
    }
}
