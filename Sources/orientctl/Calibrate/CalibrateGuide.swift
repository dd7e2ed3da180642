// SPDX-License-Identifier: Apache-2.0

import OrientationCore

extension MountCalibration.Pose {
    /// The instructions of `orientctl calibrate`, with a picture whose arrow is at the display's own top.
    ///
    /// `isWide` is whether the unrotated display is wider than high.
    func instructions(isWide: Bool) -> [String] {
        let task =
            switch self {
            case .upright: "stand the device upright, with the top of the unrotated picture up."
            case .leftEdge: "turn it a quarter turn counter-clockwise, onto its left edge."
            case .faceUp: "lay it flat on a table, display up."
            }
        return ["", "\(rawValue + 1) of \(Self.allCases.count): \(task)", ""]
            + picture(isWide: isWide).filter { $0.utf8.contains { $0 != UInt8(ascii: " ") } }.map { "    " + $0 } + [""]
    }

    func picture(isWide: Bool) -> [String] {
        switch self {
        case .upright: Pose.outline(isWide: isWide, top: .portrait)
        case .leftEdge: Pose.outline(isWide: !isWide, top: .landscapeLeft)
        case .faceUp: Pose.lying("face up")
        }
    }

    /// The pose in messages.
    var words: String {
        switch self {
        case .upright: "upright"
        case .leftEdge: "on its left edge"
        case .faceUp: "face up"
        }
    }
}

extension MountCalibration.Refusal {
    /// The problem with the poses, and what to do about it.
    var sentence: String {
        switch self {
        case .noGravity(let pose): "\(pose.words): the sensor reads no gravity"
        case .otherStrength(let pose):
            "\(pose.words): gravity differs in strength from the other two poses; was the device still?"
        case .misplaced(let pose):
            "\(pose.words): this pose is not a quarter turn from either of the other two; was it a different one?"
        case .notSquare(let first, let second):
            "\(first.words) and \(second.words): these poses are not a quarter turn apart"
        case .noneSquare:
            "no two of the three poses are a quarter turn apart; was the device turned, and does the sensor work?"
        case .betweenAxes(let pose):
            "\(pose.words): gravity is between two axes of the sensor; hold the device straight, or use --exact "
                + "if the sensor is mounted askew"
        }
    }
}
