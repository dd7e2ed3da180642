// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

/// The transform of an output as wl_output counts it: counter-clockwise quarter turns, plus 4 if it is mirrored first.
package struct Transform: Hashable, Sendable {
    package let rawValue: Int32

    /// Creates a transform; nil for a number that wl_output does not have.
    package init?(rawValue: Int32) {
        guard (0...7).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    package init(_ transform: OutputTransform) {
        rawValue = Int32(OutputTransform.allCases.firstIndex(of: transform) ?? 0)
    }

    package static let normal = Transform(.normal)

    /// Whether width and height are exchanged.
    package var isSideways: Bool { rawValue & 1 == 1 }

    /// Counter-clockwise quarter turns.
    package var quarterTurns: Int { Int(rawValue & 3) }

    package var isMirrored: Bool { rawValue & 4 != 0 }
}

extension Transform: LosslessStringConvertible {
    private static let names = [
        "normal", "90", "180", "270", "flipped", "flipped-90", "flipped-180", "flipped-270",
    ]

    package init?(_ description: String) {
        guard let index = Self.names.firstIndex(of: description) else { return nil }
        rawValue = Int32(index)
    }

    package var description: String { Self.names[Int(rawValue)] }
}

/// A place in the compositor's global space, in logical pixels: x to the right, y down.
package struct Position: Hashable, Sendable {
    package var x, y: Int

    package init(x: Int, y: Int) {
        self.x = x
        self.y = y
    }
}

/// An output, as its compositor or X server describes it.
package struct Output: Hashable, Sendable {
    /// The connector, such as `eDP-1`.
    package var name: String
    package var isEnabled: Bool

    /// The top left corner.
    package var position: Position

    /// The size of the mode, in pixels of the untransformed panel.
    package var width, height: Int
    package var scale: Double
    package var transform: Transform
    /// Whether the display server says that it is a built-in panel.
    package var isPanel: Bool

    package init(
        name: String,
        isEnabled: Bool = true,
        position: Position = Position(x: 0, y: 0),
        width: Int = 0,
        height: Int = 0,
        scale: Double = 1,
        transform: Transform = .normal,
        isPanel: Bool = false
    ) {
        self.name = name
        self.isEnabled = isEnabled
        self.position = position
        self.width = width
        self.height = height
        self.scale = scale
        self.transform = transform
        self.isPanel = isPanel
    }

    /// Whether it is a panel, or the connector is one that panels have: `eDP-1`, or `eDP1` or `eDP` with some X drivers.
    package var isBuiltIn: Bool {
        if isPanel { return true }
        return ["eDP", "LVDS", "DSI"].contains { type in
            guard name.utf8.starts(with: type.utf8) else { return false }
            guard let next = name.utf8.dropFirst(type.utf8.count).first else { return true }
            return next == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next)
        }
    }

    /// Whether it has this name, or is built in if that is nil.
    func isPanel(named name: String?) -> Bool {
        if let name { self.name == name } else { isBuiltIn }
    }

    /// Whether an output can have this scale: with any other, its size in logical pixels may be no integer.
    static func isScale(_ scale: Double) -> Bool { (0.01...1000).contains(scale) }

    /// Whether it takes up space.
    var isShown: Bool { isEnabled && width > 0 && height > 0 }

    /// The rectangle that it takes up, in logical pixels.
    var area: Area {
        let size = transform.isSideways ? (width: height, height: width) : (width: width, height: height)
        // Compositors round to whole logical pixels.
        return Area(
            x: position.x,
            y: position.y,
            width: Int((Double(size.width) / scale).rounded()),
            height: Int((Double(size.height) / scale).rounded())
        )
    }
}

/// A rectangle in logical pixels.
struct Area: Hashable, Sendable {
    var x, y, width, height: Int

    var right: Int { x + width }
    var bottom: Int { y + height }

    func overlaps(_ other: Area) -> Bool {
        x < other.right && other.x < right && y < other.bottom && other.y < bottom
    }

    /// Whether the two share half of the smaller one, or more.
    func isMostly(in other: Area) -> Bool {
        guard overlaps(other) else { return false }
        let width = min(right, other.right) - max(x, other.x)
        let height = min(bottom, other.bottom) - max(y, other.y)
        return 2 * width * height >= min(self.width * self.height, other.width * other.height)
    }
}

extension [Output] {
    /// The names of those that take up space.
    var shownNames: [String] { filter { $0.isShown }.map { $0.name } }

    /// The output to rotate: the one with this name, or else the built-in panel; nil if it is missing or disabled.
    package func panel(named name: String?) -> Output? {
        first { $0.isShown && $0.isPanel(named: name) }
    }
}
