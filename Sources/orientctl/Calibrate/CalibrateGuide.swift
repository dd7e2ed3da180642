// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// What `orientctl calibrate` says of the poses to the person who holds the device.
struct CalibrateGuide {
    /// Whether the display, as nothing rotates it, is wider than high.
    let isWide: Bool

    /// How to hold the device, with a picture of it whose arrow is at the display's own top.
    func lines(for pose: MountCalibration.Pose) -> [String] {
        let number = Int(pose.rawValue) + 1
        return ["", "\(number) of \(MountCalibration.Pose.allCases.count): \(words(for: pose))", ""]
            + picture(of: pose).filter { $0.contains { $0 != " " } }.map { "    " + $0 } + [""]
    }

    private func words(for pose: MountCalibration.Pose) -> String {
        switch pose {
        case .upright:
            "stand the device upright: the display's own top is up, as the picture stands while nothing rotates it."
        case .leftEdge:
            "turn it a quarter to the left, counter-clockwise: it stands on its left edge, the right edge is up."
        case .faceUp:
            "lay it flat on a table, the display up."
        }
    }

    func picture(of pose: MountCalibration.Pose) -> [String] {
        switch pose {
        case .upright: isWide ? Pose.sideways(top: "▲") : Pose.standing(top: "▲")
        case .leftEdge: isWide ? Pose.standing(left: "◀") : Pose.sideways(left: "◀")
        case .faceUp: Pose.lying("face up")
        }
    }
}

extension MountCalibration.Pose {
    /// The pose as a message calls it.
    var words: String {
        switch self {
        case .upright: "upright"
        case .leftEdge: "on its left edge"
        case .faceUp: "face up"
        }
    }
}

extension MountCalibration.Refusal {
    /// What is wrong with the poses, and what to do about it.
    var sentence: String {
        switch self {
        case .noGravity(let pose):
            "\(pose.words): the sensor reads no gravity"
        case .otherStrength(let pose):
            "\(pose.words): gravity is not as strong as in the other two poses; was the device still?"
        case .misplaced(let pose):
            "\(pose.words): this pose is a quarter turn from neither of the other two; was it held otherwise?"
        case .notSquare(let first, let second):
            "\(first.words) and \(second.words): these poses are no quarter turn apart; one of them was held otherwise"
        case .noneSquare:
            "no two of the three poses are a quarter turn apart; was the device turned, and does the sensor notice?"
        case .betweenAxes(let pose):
            "\(pose.words): gravity is between two axes of the sensor; hold the device straight, or, if the sensor is "
                + "built in askew, use --exact"
        }
    }
}
