// SPDX-License-Identifier: Apache-2.0

/// Derives the mount matrix of an accelerometer from its readings in three poses of the device.
public struct MountCalibration: Hashable, Sendable {
    /// How the device is held, in the order in which `orientctl calibrate` asks for the poses.
    public enum Pose: Int, CaseIterable, Sendable {
        /// The display's own top edge is up.
        case upright
        /// The display's left edge is down.
        case leftEdge
        /// The device lies flat, with the display up.
        case faceUp
    }

    /// Why three readings cannot be those of the three poses.
    public enum Refusal: Error, Hashable, Sendable {
        /// The reading is zero or not finite.
        case noGravity(Pose)
        /// The magnitude of the reading differs too much from the other two.
        case otherStrength(Pose)
        /// The pose is perpendicular to neither of the others, which are perpendicular to each other.
        case misplaced(Pose)
        /// The two poses are not perpendicular to each other; either may be wrong.
        case notSquare(Pose, Pose)
        /// No two poses are perpendicular to each other.
        case noneSquare
        /// The reading is not close to the axis of the sensor that remains for it.
        case betweenAxes(Pose)
    }

    /// The sine of the greatest angle between a pose and an axis, and between two poses and perpendicular: 30°.
    public static let greatestSkew = 0.5
    /// The greatest ratio between the magnitudes of two readings.
    public static let greatestRatio = 1.5

    /// The readings at length 1: the rows of a matrix that maps them to x, y and z.
    private let right, top, front: Vector3

    /// Creates a calibration from the reading in each pose, on the sensor's own axes, in any unit, without a matrix.
    public init(upright: Vector3, leftEdge: Vector3, faceUp: Vector3) throws(Refusal) {
        guard let top = upright.direction else { throw .noGravity(.upright) }
        guard let right = leftEdge.direction else { throw .noGravity(.leftEdge) }
        guard let front = faceUp.direction else { throw .noGravity(.faceUp) }
        self.top = top
        self.right = right
        self.front = front
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

    /// Whether the sensor's axes are mirrored, by its driver or because a pose was held with the opposite edge.
    ///
    /// Then the sign of z does not follow from the matrix.
    public func isMirrored(_ quantity: SensorFrame.Quantity) -> Bool {
        SensorFrame.FaceUp(rows, quantity) != .positiveZ
    }

    // MARK: - Matrices

    /// Returns the closest matrix with a single 1 or -1 in each row and column: chips are soldered parallel to edges.
    ///
    /// It converts to the desktop convention, with +z while the display faces up. Throws `betweenAxes` if the sensor is
    /// mounted at another angle, or a pose was not held exactly enough.
    public var matrix: MountMatrix {
        get throws(Refusal) {
            let rows = rows
            let axes = Self.permutations.max { rows.weight(along: $0) < rows.weight(along: $1) } ?? .identity
            func unit(_ row: Vector3, _ axis: Vector3, _ pose: Pose) throws(Refusal) -> Vector3 {
                let component = row.dot(axis)
                guard component * component >= 1 - Self.greatestSkew * Self.greatestSkew else {
                    throw .betweenAxes(pose)
                }
                // In place of -axis, so that 0 stays 0 and is not printed as -0.
                return component < 0 ? .zero - axis : axis
            }
            return MountMatrix(
                rows: try unit(rows.x, axes.x, .leftEdge),
                try unit(rows.y, axes.y, .upright),
                try unit(rows.z, axes.z, .faceUp)
            )
        }
    }

    /// Returns the closest rotation or reflection, for a chip that is mounted at any angle.
    ///
    /// It converts to the desktop convention, with +z while the display faces up. It is as exact as the poses were held.
    public var exactMatrix: MountMatrix {
        // Newton's iteration for the orthogonal factor of the polar decomposition, fast because the skew is bounded.
        var rows = rows
        for _ in 0..<Self.newtonSteps {
            let volume = rows.determinant
            rows = MountMatrix(
                rows: (rows.x + rows.y.cross(rows.z) / volume) / 2,
                (rows.y + rows.z.cross(rows.x) / volume) / 2,
                (rows.z + rows.x.cross(rows.y) / volume) / 2
            )
        }
        return rows
    }

    /// Enough for full precision at the greatest skew.
    private static let newtonSteps = 12

    /// The six assignments of axes to rows.
    private static let permutations: [MountMatrix] = {
        let (x, y, z) = (MountMatrix.identity.x, MountMatrix.identity.y, MountMatrix.identity.z)
        return [(x, y, z), (x, z, y), (y, x, z), (y, z, x), (z, x, y), (z, y, x)].map { MountMatrix(rows: $0, $1, $2) }
    }()

    /// The matrix that maps each reading to its axis of the desktop convention, not orthogonal yet.
    private var rows: MountMatrix { MountMatrix(rows: -right, -top, front) }
}

extension MountMatrix {
    /// The sum of the rows' components along the axes that are the rows of `axes`.
    fileprivate func weight(along axes: MountMatrix) -> Double {
        abs(x.dot(axes.x)) + abs(y.dot(axes.y)) + abs(z.dot(axes.z))
    }
}
