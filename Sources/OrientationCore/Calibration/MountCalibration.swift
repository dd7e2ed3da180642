// SPDX-License-Identifier: Apache-2.0

/// What three poses of the device tell of how its accelerometer is built in.
public struct MountCalibration: Hashable, Sendable {
    /// How the device is held, in the order in which a person is asked to.
    public enum Pose: UInt8, NamedValue, Hashable, Sendable {
        /// The display's own top edge is up.
        case upright

        /// The display's left edge is down and its right edge up.
        case leftEdge

        /// The device lies flat, the display up.
        case faceUp

        public var name: String {
            switch self {
            case .upright: "upright"
            case .leftEdge: "left-edge"
            case .faceUp: "face-up"
            }
        }
    }

    /// Why three readings are not those of the three poses.
    public enum Refusal: Error, Hashable, Sendable {
        /// The reading is zero, or no number.
        case noGravity(Pose)

        /// The reading is far stronger or weaker than the other two.
        case otherStrength(Pose)

        /// The pose is square to neither of the others, which are square to each other.
        case misplaced(Pose)

        /// The two poses are not square to each other; either may be wrong.
        case notSquare(Pose, Pose)

        /// No two of the poses are square to each other.
        case noneSquare

        /// The reading is near none of the sensor's axes, or to one that another pose is nearer to.
        case betweenAxes(Pose)
    }

    /// How far, as the sine of the angle, two poses may be from square, and one pose from an axis: 30°.
    public static let greatestSkew = 0.5

    /// How many times as strong as another a reading may be.
    public static let greatestRatio = 1.5

    /// The readings at length 1: the rows of a matrix that leads them to x, y and z.
    private let right: Vector3
    private let top: Vector3
    private let front: Vector3

    /// Takes what the sensor reads in each pose, in its own axes and any unit, before a mount matrix.
    public init(upright: Vector3, leftEdge: Vector3, faceUp: Vector3) throws(Refusal) {
        top = try Self.direction(upright, .upright)
        right = try Self.direction(leftEdge, .leftEdge)
        front = try Self.direction(faceUp, .faceUp)
        let lengths = [upright.magnitude, leftEdge.magnitude, faceUp.magnitude]
        let middle = lengths.sorted()[1]
        for (pose, length) in zip(Pose.allCases, lengths)
        where max(length, middle) > Self.greatestRatio * min(length, middle) {
            throw .otherStrength(pose)
        }
        let isSquare = (
            uprightLeft: abs(top.dot(right)) <= Self.greatestSkew,
            uprightFace: abs(top.dot(front)) <= Self.greatestSkew,
            leftFace: abs(right.dot(front)) <= Self.greatestSkew
        )
        switch isSquare {
        case (true, true, true): break
        case (false, true, true): throw .notSquare(.upright, .leftEdge)
        case (true, false, true): throw .notSquare(.upright, .faceUp)
        case (true, true, false): throw .notSquare(.leftEdge, .faceUp)
        case (false, false, true): throw .misplaced(.upright)
        case (false, true, false): throw .misplaced(.leftEdge)
        case (true, false, false): throw .misplaced(.faceUp)
        case (false, false, false): throw .noneSquare
        }
    }

    private static func direction(_ reading: Vector3, _ pose: Pose) throws(Refusal) -> Vector3 {
        let length = reading.magnitude
        guard length.isNormal else { throw .noGravity(pose) }
        return reading.divided(by: length)
    }

    /// Whether the sensor's axes are mirrored: by its driver, or because an edge was taken for the opposite one.
    ///
    /// Sensors that read gravity, where others read what holds the device against it, count as mirrored too.
    public var isMirrored: Bool { right.dot(top.cross(front)) < 0 }
}

// MARK: - Matrices

extension MountCalibration {
    /// Returns the matrix with one 1 or -1 in each row and column that comes nearest, as chips are soldered on.
    ///
    /// It leads to the desktop's convention, with that sign of z while the display faces up. Throws `betweenAxes` for a
    /// sensor that is built in askew, or a pose that was held so.
    public func matrix(faceUp sign: SensorFrame.FaceUp) throws(Refusal) -> MountMatrix {
        let rows = rows(sign)
        let choice = Self.permutations.max { rows.weight($0) < rows.weight($1) } ?? [.x, .y, .z]
        // The poses in the order of the rows.
        for (pose, chosen) in zip([Pose.leftEdge, .upright, .faceUp], zip([rows.x, rows.y, rows.z], choice)) {
            let component = chosen.0[chosen.1]
            guard component * component >= 1 - Self.greatestSkew * Self.greatestSkew else { throw .betweenAxes(pose) }
        }
        return MountMatrix(rows: rows.x.unit(choice[0]), rows.y.unit(choice[1]), rows.z.unit(choice[2]))
    }

    /// Returns the rotation, or reflection, that comes nearest, for a chip that is built in askew.
    ///
    /// It leads to the desktop's convention, with that sign of z while the display faces up. It is only as exact as the
    /// poses were held.
    public func exactMatrix(faceUp sign: SensorFrame.FaceUp) -> MountMatrix {
        // Newton's iteration for the orthogonal factor of the polar decomposition; skew is bounded, so a few steps do.
        var rows = rows(sign)
        for _ in 0..<Self.newtonSteps {
            let volume = rows.determinant
            rows = MountMatrix(
                rows: rows.x.middle(to: rows.y.cross(rows.z).divided(by: volume)),
                rows.y.middle(to: rows.z.cross(rows.x).divided(by: volume)),
                rows.z.middle(to: rows.x.cross(rows.y).divided(by: volume))
            )
        }
        return rows
    }

    /// Enough for full precision from the greatest skew.
    private static let newtonSteps = 12

    private static let permutations: [[Vector3.Axis]] = [
        [.x, .y, .z], [.x, .z, .y], [.y, .x, .z], [.y, .z, .x], [.z, .x, .y], [.z, .y, .x],
    ]

    /// The matrix that leads each reading to its own axis of the desktop's convention, not square yet.
    private func rows(_ sign: SensorFrame.FaceUp) -> MountMatrix {
        MountMatrix(
            rows: right.divided(by: -1),
            top.divided(by: -1),
            sign == .positiveZ ? front : front.divided(by: -1)
        )
    }
}

extension MountMatrix {
    /// How much of the rows lies along the axes chosen for them.
    fileprivate func weight(_ choice: [Vector3.Axis]) -> Double {
        abs(x[choice[0]]) + abs(y[choice[1]]) + abs(z[choice[2]])
    }
}

extension Vector3 {
    fileprivate enum Axis {
        case x, y, z
    }

    fileprivate subscript(axis: Axis) -> Double {
        switch axis {
        case .x: x
        case .y: y
        case .z: z
        }
    }

    /// The vector of length 1 along an axis, to the side that this one is on.
    fileprivate func unit(_ axis: Axis) -> Vector3 {
        let sign = self[axis] < 0 ? -1.0 : 1.0
        return Vector3(axis == .x ? sign : 0, axis == .y ? sign : 0, axis == .z ? sign : 0)
    }

    fileprivate func divided(by number: Double) -> Vector3 {
        Vector3(x / number, y / number, z / number)
    }

    fileprivate func middle(to other: Vector3) -> Vector3 {
        Vector3((x + other.x) / 2, (y + other.y) / 2, (z + other.z) / 2)
    }
}
