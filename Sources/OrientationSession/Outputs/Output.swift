// SPDX-License-Identifier: Apache-2.0

import JSON
import OrientationCore

/// The transform of an output as wl_output numbers it: counter-clockwise quarter turns, plus 4 if it is mirrored first.
struct Transform: Hashable, Sendable {
    let rawValue: Int32

    /// Creates a transform; nil for a number that wl_output does not have.
    init?(rawValue: Int32) {
        guard (0...7).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    init(_ transform: OutputTransform) {
        rawValue = Int32(OutputTransform.allCases.firstIndex(of: transform) ?? 0)
    }

    static let normal = Transform(.normal)

    /// Whether width and height are exchanged.
    var isSideways: Bool { rawValue & 1 == 1 }

    /// Counter-clockwise quarter turns.
    var quarterTurns: Int { Int(rawValue & 3) }

    var isMirrored: Bool { rawValue & 4 != 0 }
}

extension Transform: LosslessStringConvertible {
    private static let names = [
        "normal", "90", "180", "270", "flipped", "flipped-90", "flipped-180", "flipped-270",
    ]

    init?(_ description: String) {
        guard let index = Self.names.firstIndex(of: description) else { return nil }
        rawValue = Int32(index)
    }

    var description: String { Self.names[Int(rawValue)] }
}

/// A place in the compositor's global space, in logical pixels: x to the right, y down.
struct Position: Hashable, Sendable {
    var x, y: Int
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
    /// Whether the display server says that it is a built-in panel.
    var isPanel = false

    /// Whether it is a panel, or its connector one of panels: `eDP-1`, or with some X drivers `eDP1` or `eDP`.
    var isBuiltIn: Bool {
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
    func panel(named name: String?) -> Output? {
        first { $0.isShown && $0.isPanel(named: name) }
    }
}
