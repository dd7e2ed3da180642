// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore

/// A small picture of the device as it is held, with an arrow at its top edge.
enum Pose {
    /// The width of every line in columns.
    static let width = 17

    /// The device, and below it the hinge if its angle is known.
    static func pictures(of status: ManagerStatus) -> [String] {
        picture(of: status) + (status.hingeAngle < 0 ? [] : hinge(status.hingeAngle))
    }

    static func picture(of status: ManagerStatus) -> [String] {
        let orientation = status.faceOrientation.deviceOrientation ?? status.deviceOrientation
        // A display that is wider than high has its own top up in a landscape orientation.
        let top = orientation.sensed(natural: status.naturalOrientation)
        return switch orientation {
        case .unknown, .portrait, .portraitUpsideDown: outline(isWide: false, top: top)
        case .landscapeLeft, .landscapeRight: outline(isWide: true, top: top)
        case .faceUp: lying("face up")
        case .faceDown: lying("face down")
        }
    }

    /// The machine from the side: the base to the right of the hinge, and the display at an angle in degrees to it.
    static func hinge(_ angle: Double) -> [String] {
        // Counterclockwise from the closed lid, in steps of 45°.
        let display = [
            (1, 0, "═"), (1, -1, "╱"), (0, -1, "│"), (-1, -1, "╲"), (-1, 0, "─"), (-1, 1, "╱"), (0, 1, "│"),
            (1, 1, "╲"),
        ]
        let (right, down, line) = display[Int((angle / 45).rounded()) % display.count]
        var rows = [[String]](repeating: [String](repeating: " ", count: width), count: 5)
        rows[2][8] = "●"
        for step in 1...8 { rows[2][8 + step] = "─" }
        for step in 1...(down == 0 ? 8 : 2) { rows[2 + down * step][8 + right * step] = line }
        return rows.map { $0.joined() }
    }

    /// A device that is wider than high as it is held, or higher than wide, with an arrow at its own top.
    ///
    /// `top` names how a device is held whose top is there.
    static func outline(isWide: Bool, top: DeviceOrientation) -> [String] {
        func arrow(_ arrow: String, _ place: DeviceOrientation) -> String { top == place ? arrow : " " }
        let up = top == .unknown ? "?" : arrow("▲", .portrait)
        let down = arrow("▼", .portraitUpsideDown)
        let (left, right) = (arrow("◀", .landscapeLeft), arrow("▶", .landscapeRight))
        return isWide
            ? [
                "                 ",
                "┌───────────────┐",
                "│       \(up)       │",
                "│\(left)            \(right) │",
                "│       \(down)       │",
                "└───────────────┘",
            ]
            : [
                "    ┌───────┐    ",
                "    │   \(up)   │    ",
                "    │       │    ",
                "    │\(left)    \(right) │    ",
                "    │       │    ",
                "    │   \(down)   │    ",
                "    └───────┘    ",
            ]
    }

    static func lying(_ word: String) -> [String] {
        let left = String(repeating: " ", count: (12 - word.utf8.count) / 2)
        let right = String(repeating: " ", count: 12 - left.utf8.count - word.utf8.count)
        return [
            "                 ",
            "                 ",
            "   ┌────────────┐",
            "  ╱\(left)\(word)\(right)╱ ",
            " ╱            ╱  ",
            "└────────────┘   ",
        ]
    }
}
