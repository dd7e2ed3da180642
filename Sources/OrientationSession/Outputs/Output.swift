// SPDX-License-Identifier: Apache-2.0

import JSON
import OrientationConfiguration
import OrientationCore
import POSIX

/// The transform of an output as wl_output numbers it: counter-clockwise quarter turns, plus 4 if it is mirrored first.
enum Transform: Int32, NamedValue {
    case normal, rotated90, rotated180, rotated270, flipped, flipped90, flipped180, flipped270

    init(_ transform: OutputTransform) {
        self = Self.allCases[OutputTransform.allCases.firstIndex(of: transform) ?? 0]
    }

    var name: String {
        ["normal", "90", "180", "270", "flipped", "flipped-90", "flipped-180", "flipped-270"][Int(rawValue)]
    }

    /// Whether width and height are exchanged.
    var isSideways: Bool { rawValue & 1 == 1 }

    /// Counter-clockwise quarter turns.
    var quarterTurns: Int { Int(rawValue & 3) }

    var isMirrored: Bool { rawValue & 4 != 0 }

    /// This transform with more counter-clockwise quarter turns, or fewer if negative.
    func turned(by turns: Int) -> Transform {
        Transform(rawValue: rawValue & 4 | Int32((quarterTurns + turns) & 3)) ?? self
    }
}

/// A place in the compositor's global space, in logical pixels: x to the right, y down.
struct Position: Hashable, Sendable {
    var x, y: Int
}

/// A size in pixels.
struct Extent: Hashable, Sendable {
    var width, height: Int

    func transformed(_ transform: Transform) -> Extent {
        transform.isSideways ? Extent(width: height, height: width) : self
    }
}

/// An output, as its compositor or X server describes it.
struct Output: Hashable, Sendable {
    /// The connector, such as `eDP-1`.
    var name: String
    var isEnabled = true

    /// The top left corner.
    var position = Position(x: 0, y: 0)

    /// The size of the mode, in pixels of the untransformed panel.
    var width = 0, height = 0
    var scale = 1.0
    var transform = Transform.normal
    /// The compositor's own size of the untransformed panel in logical pixels; nil while unknown.
    var logical: Extent?
    /// Whether the display server says that it is a built-in panel.
    var isPanel = false

    /// Whether it is a panel, or its connector one of panels: `eDP-1`, or with some X drivers `eDP1` or `eDP`.
    var isBuiltIn: Bool {
        if isPanel { return true }
        return BuiltInDisplay.connectorTypes.contains { type in
            guard let number = name.dropping(prefix: type) else { return false }
            guard let next = number.utf8.first else { return true }
            return next == UInt8(ascii: "-") || isDigit(next)
        }
    }

    /// Whether it is one for remote screens: sway, labwc and Hyprland call theirs `HEADLESS-1`, the kernel `Virtual-1`.
    var isVirtual: Bool { name.begins(with: "HEADLESS-") || name.begins(with: "Virtual-") }

    /// Whether an output can have this scale: with any other, its size in logical pixels may be no integer.
    static func isScale(_ scale: Double) -> Bool { (0.01...1000).contains(scale) }

    /// Whether it takes up space.
    var isShown: Bool { isEnabled && width > 0 && height > 0 }

    /// The rectangle that it takes up, in logical pixels.
    var area: Area {
        let size = (logical ?? estimate).transformed(transform)
        return Area(x: position.x, y: position.y, width: size.width, height: size.height)
    }

    /// The logical size by mode and scale, as wlroots computes it: a few pixels wrong where the scale was rounded.
    private var estimate: Extent {
        Extent(width: Int(Double(width) / scale), height: Int(Double(height) / scale))
    }

    /// Accepts the compositor's own logical size, unless it belongs to another transform, mode or scale.
    ///
    /// Compositors report it apart from those.
    mutating func setLogicalSize(_ size: Extent) {
        let size = size.transformed(transform)
        let isNear = { (length: Int, estimate: Int) in abs(length - estimate) <= 2 + estimate / 100 }
        guard isNear(size.width, estimate.width), isNear(size.height, estimate.height) else { return }
        logical = size
    }
}

extension Output {
    /// Reads place, size and scale; nil if one of them, or the transform, is missing or invalid.
    init?(_ name: String, _ json: JSONValue, _ transform: Transform?) {
        guard let x = json["x"]?.integer, let y = json["y"]?.integer,
            let width = json["width"]?.integer, let height = json["height"]?.integer,
            let scale = json["scale"]?.number, Output.isScale(scale), let transform
        else { return nil }
        let position = Position(x: x, y: y)
        self.init(name: name, position: position, width: width, height: height, scale: scale, transform: transform)
    }
}

/// A rectangle in logical pixels.
struct Area: Hashable, Sendable {
    var x, y, width, height: Int

    var right: Int { x + width }
    var bottom: Int { y + height }

    /// Whether the two share more than a margin of `tolerance` pixels.
    func overlaps(_ other: Area, tolerance: Int = 0) -> Bool {
        x + tolerance < other.right && other.x + tolerance < right && y + tolerance < other.bottom
            && other.y + tolerance < bottom
    }

    /// Whether the two share half of the smaller one, or more.
    func isMostly(in other: Area) -> Bool {
        guard overlaps(other) else { return false }
        let width = min(right, other.right) - max(x, other.x)
        let height = min(bottom, other.bottom) - max(y, other.y)
        return 2 * width * height >= min(self.width * self.height, other.width * other.height)
    }
}

extension Area {
    var size: Extent { Extent(width: width, height: height) }
    var position: Position { Position(x: x, y: y) }

    /// The smallest rectangle that contains all of these.
    init(_ areas: [Area]) {
        let (left, top) = (areas.map { $0.x }.min() ?? 0, areas.map { $0.y }.min() ?? 0)
        let (right, bottom) = (areas.map { $0.right }.max() ?? 0, areas.map { $0.bottom }.max() ?? 0)
        self.init(x: left, y: top, width: right - left, height: bottom - top)
    }
}

extension [Output] {
    /// The names of those that take up space.
    var shownNames: [String] { filter { $0.isShown }.map { $0.name } }

    /// Whether an output is the only one that takes up space, and no built-in panel.
    func isAlone(_ name: String) -> Bool { shownNames == [name] && named(name)?.isBuiltIn == false }

    /// The outputs to rotate: those with these names, or else the built-in panels; only those that take up space.
    func panels(named names: [String]) -> [Output] {
        if names.isEmpty { return filter { $0.isShown && $0.isBuiltIn } }
        return names.compactMap { name in first { $0.name == name && $0.isShown } }
    }

    func named(_ name: String) -> Output? { first { $0.name == name } }
}
