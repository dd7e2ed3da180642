// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore

/// A small picture of the device as it is held, with an arrow at its top edge.
enum Pose {
    /// The width of every line in columns.
    static let width = 17

    static func picture(of status: ManagerStatus) -> [String] {
        switch (status.faceOrientation, status.deviceOrientation) {
        case (.faceUp, _): lying("face up")
        case (.faceDown, _): lying("face down")
        case (.none, .portrait): standing(top: "▲")
        case (.none, .portraitUpsideDown): standing(bottom: "▼")
        case (.none, .landscapeLeft): sideways(left: "◀")
        case (.none, .landscapeRight): sideways(right: "▶")
        case (.none, .unknown): standing(top: "?")
        case (.none, .faceUp): lying("face up")
        case (.none, .faceDown): lying("face down")
        }
    }

    static func standing(top: Character = " ", left: Character = " ", bottom: Character = " ") -> [String] {
        [
            "    ┌───────┐    ",
            "    │   \(top)   │    ",
            "    │       │    ",
            "    │\(left)      │    ",
            "    │       │    ",
            "    │   \(bottom)   │    ",
            "    └───────┘    ",
        ]
    }

    static func sideways(top: Character = " ", left: Character = " ", right: Character = " ") -> [String] {
        [
            "                 ",
            "┌───────────────┐",
            "│       \(top)       │",
            "│\(left)            \(right) │",
            "│               │",
            "└───────────────┘",
        ]
    }

    static func lying(_ word: String) -> [String] {
        let width = 12
        let padding = String(repeating: " ", count: (width - word.count) / 2)
        let line = padding + word
        let rest = String(repeating: " ", count: width - line.count)
        return [
            "                 ",
            "                 ",
            "   ┌────────────┐",
            "  ╱\(line)\(rest)╱ ",
            " ╱            ╱  ",
            "└────────────┘   ",
        ]
    }
}
