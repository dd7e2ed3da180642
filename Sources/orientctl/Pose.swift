// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore

/// A small picture of the device as it is held, its top marked by an arrow.
enum Pose {
    /// The columns that every line takes up.
    static let width = 17

    static func picture(of status: ManagerStatus) -> [String] {
        switch (status.faceOrientation, status.deviceOrientation) {
        case (.faceUp, _): lying("face up")
        case (.faceDown, _): lying("face down")
        case (.none, .portrait): standing(top: "▲", bottom: " ")
        case (.none, .portraitUpsideDown): standing(top: " ", bottom: "▼")
        case (.none, .landscapeLeft): sideways("◀             ")
        case (.none, .landscapeRight): sideways("             ▶")
        case (.none, .unknown): standing(top: "?", bottom: " ")
        case (.none, .faceUp): lying("face up")
        case (.none, .faceDown): lying("face down")
        }
    }

    private static func standing(top: String, bottom: String) -> [String] {
        [
            "    ┌───────┐    ",
            "    │   \(top)   │    ",
            "    │       │    ",
            "    │       │    ",
            "    │       │    ",
            "    │   \(bottom)   │    ",
            "    └───────┘    ",
        ]
    }

    private static func sideways(_ middle: String) -> [String] {
        let inside = middle.count == 15 ? middle : middle + String(repeating: " ", count: 15 - middle.count)
        return [
            "                 ",
            "┌───────────────┐",
            "│               │",
            "│\(inside)│",
            "│               │",
            "└───────────────┘",
        ]
    }

    private static func lying(_ word: String) -> [String] {
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
