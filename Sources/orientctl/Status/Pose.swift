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
        let draw: (String, String, String, String) -> [String]
        switch orientation {
        case .unknown: return standing(top: "?")
        case .portrait, .portraitUpsideDown: draw = standing
        case .landscapeLeft, .landscapeRight: draw = sideways
        case .faceUp: return lying("face up")
        case .faceDown: return lying("face down")
        }
        // A display that is wider than high has its own top up in a landscape orientation.
        let top = orientation.sensed(natural: status.naturalOrientation)
        func arrow(_ arrow: String, _ edge: DeviceOrientation) -> String { top == edge ? arrow : " " }
        return draw(
            arrow("▲", .portrait),
            arrow("◀", .landscapeLeft),
            arrow("▼", .portraitUpsideDown),
            arrow("▶", .landscapeRight)
        )
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

    static func standing(
        top: String = " ",
        left: String = " ",
        bottom: String = " ",
        right: String = " "
    ) -> [String] {
        [
            "    ┌───────┐    ",
            "    │   \(top)   │    ",
            "    │       │    ",
            "    │\(left)    \(right) │    ",
            "    │       │    ",
            "    │   \(bottom)   │    ",
            "    └───────┘    ",
        ]
    }

    static func sideways(
        top: String = " ",
        left: String = " ",
        bottom: String = " ",
        right: String = " "
    ) -> [String] {
        [
            "                 ",
            "┌───────────────┐",
            "│       \(top)       │",
            "│\(left)            \(right) │",
            "│       \(bottom)       │",
            "└───────────────┘",
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
