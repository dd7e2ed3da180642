// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SplitMix
import Testing

@Suite struct MountCalibrationTests {
    typealias Pose = MountCalibration.Pose

    /// Every matrix with one 1 or -1 in each row and column: 24 rotations and 24 reflections.
    static let signedPermutations: [MountMatrix] = {
        let axes = [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)]
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        return orders.flatMap { order in
            (0..<8).map { signs in
                let rows = (0..<3).map { row in axes[order[row]] * (signs >> row & 1 == 0 ? 1 : -1) }
                return MountMatrix(rows: rows[0], rows[1], rows[2])
            }
        }
    }()

    /// The readings of the three poses after the right matrix, in g, in the desktop convention.
    static let mounted = [Vector3(0, -1, 0), Vector3(-1, 0, 0), Vector3(0, 0, 1)]

    /// The reading of a sensor whose orthogonal matrix maps it to `mounted`.
    static func reading(_ matrix: MountMatrix, _ mounted: Vector3) -> Vector3 {
        let transposed = MountMatrix(
            rows: Vector3(matrix.x.x, matrix.y.x, matrix.z.x),
            Vector3(matrix.x.y, matrix.y.y, matrix.z.y),
            Vector3(matrix.x.z, matrix.y.z, matrix.z.z)
        )
        return transposed.applied(to: mounted)
    }

    static func calibration(_ readings: [Vector3]) throws(MountCalibration.Refusal) -> MountCalibration {
        try MountCalibration(upright: readings[0], leftEdge: readings[1], faceUp: readings[2])
    }

    @Test(arguments: [0.0, 3, 8])
    func `each of the 48 mountings is found despite noise and tilt`(degrees: Double) throws {
        #expect(Set(Self.signedPermutations).count == 48)
        var random = SplitMix(state: 48)
        for matrix in Self.signedPermutations {
            for _ in 0..<20 {
                let readings = Self.mounted.map { mounted in
                    // The sine of 1° is 0.01745; noise of 0.3 m/s² is 0.03 g.
                    let tilt = Vector3.random(within: 0.01745 * degrees, using: &random)
                    let noise = Vector3.random(within: degrees == 0 ? 0 : 0.03, using: &random)
                    return Self.reading(matrix, mounted + tilt + noise) * 9.81
                }
                #expect(try Self.calibration(readings).matrix == matrix)
            }
        }
    }

    @Test func `the matrix maps the readings to the device frame with +z`() throws {
        for matrix in Self.signedPermutations {
            let readings = Self.mounted.map { Self.reading(matrix, $0) * 9.81 }
            let found = try Self.calibration(readings).matrix
            let frame = SensorFrame(matrix: found)
            #expect(
                readings.map { frame.acceleration(raw: $0) }
                    == [Vector3(0, 9.81, 0), Vector3(9.81, 0, 0), Vector3(0, 0, 9.81)]
            )
        }
    }

    @Test(arguments: signedPermutations)
    func `axes are mirrored if up, right and out of the screen are not as the driver's are`(
        matrix: MountMatrix
    ) throws {
        // The desktop's frame is a rotation of the device's while face up is +z.
        let calibration = try Self.calibration(Self.mounted.map { Self.reading(matrix, $0) })
        #expect(calibration.isMirrored(.specificForce) == (matrix.determinant < 0))
        #expect(calibration.isMirrored(.gravity) == (matrix.determinant > 0))
        // Otherwise all programs agree that this record makes face up read +z.
        for quantity in [SensorFrame.Quantity.specificForce, .gravity] where !calibration.isMirrored(quantity) {
            #expect(SensorFrame.FaceUp(try calibration.matrix, quantity) == .positiveZ)
        }
    }

    // MARK: - Exact

    /// A chip turned by 40° about z and then by 25° about x, and its mirror image.
    static let askew: [MountMatrix] = [1.0, -1.0].map { side in
        let (c, s) = (0.766044443118978, 0.642787609686539)
        let (d, t) = (0.906307787036650, 0.422618261740699)
        return MountMatrix(
            rows: Vector3(c, -s, 0),
            Vector3(s * d, c * d, -t),
            Vector3(s * t * side, c * t * side, d * side)
        )
    }

    @Test(arguments: askew)
    func `a chip mounted at an angle has an exact matrix and no matrix of whole numbers`(
        matrix: MountMatrix
    ) throws {
        let calibration = try Self.calibration(Self.mounted.map { Self.reading(matrix, $0) * 9.7 })
        #expect(calibration.exactMatrix.distance(to: matrix) < 1e-12)
        #expect(throws: MountCalibration.Refusal.self) { try calibration.matrix }
    }

    @Test func `the exact matrix is orthogonal however the device was held`() throws {
        var random = SplitMix(state: 7)
        for matrix in Self.signedPermutations {
            let readings = Self.mounted.map { mounted in
                Self.reading(matrix, mounted + Vector3.random(within: 0.2, using: &random))
            }
            let exact = try Self.calibration(readings).exactMatrix
            for (row, others) in [(exact.x, [exact.y, exact.z]), (exact.y, [exact.z])] {
                #expect(abs(row.magnitude - 1) < 1e-12)
                for other in others { #expect(abs(row.dot(other)) < 1e-12) }
            }
            #expect(abs(exact.determinant - matrix.determinant) < 1e-12)
            #expect(exact.distance(to: matrix) < 0.4)
        }
    }

    // MARK: - Refusals

    static let up = Vector3(0, -9.81, 0)
    static let left = Vector3(-9.81, 0, 0)
    static let face = Vector3(0, 0, 9.81)
    static let leaning = Vector3(-5, -8.4, 0)

    static let refusals: [([Vector3], MountCalibration.Refusal)] = [
        ([.zero, left, face], .noGravity(.upright)),
        ([up, Vector3(.nan, 0, 0), face], .noGravity(.leftEdge)),
        ([up, left, Vector3(0, 0, .infinity)], .noGravity(.faceUp)),
        ([up * 1.6, left, face], .otherStrength(.upright)),
        ([up, left * 0.6, face], .otherStrength(.leftEdge)),
        ([up, left, face * 2], .otherStrength(.faceUp)),
        ([up, up, face], .notSquare(.upright, .leftEdge)),
        ([up, -up, face], .notSquare(.upright, .leftEdge)),
        ([up, leaning, face], .notSquare(.upright, .leftEdge)),
        ([face, left, face], .notSquare(.upright, .faceUp)),
        ([up, left, left], .notSquare(.leftEdge, .faceUp)),
        ([Vector3(-7, 0, 7), left, face], .misplaced(.upright)),
        ([up, Vector3(0, -7, 7), face], .misplaced(.leftEdge)),
        ([up, left, Vector3(-7, -7, 0)], .misplaced(.faceUp)),
        ([up, up, up], .noneSquare),
        ([up, left, Vector3(0, 6, 7.7)], .notSquare(.upright, .faceUp)),
    ]

    @Test(arguments: refusals.indices)
    func `poses that contradict each other are refused with the name of the wrong one`(index: Int) {
        let (readings, refusal) = Self.refusals[index]
        #expect(throws: refusal) { try Self.calibration(readings) }
    }

    @Test func `every pose that repeats another is refused, for every chip`() {
        for matrix in Self.signedPermutations {
            let right = Self.mounted.map { Self.reading(matrix, $0) }
            for (first, second) in [(0, 1), (0, 2), (1, 2)] {
                var readings = right
                readings[second] = right[first]
                let refusal = MountCalibration.Refusal.notSquare(Pose.allCases[first], Pose.allCases[second])
                #expect(throws: refusal) { try Self.calibration(readings) }
            }
        }
    }

    @Test func `a pose between two axes is refused for a matrix of whole numbers`() throws {
        let calibration = try Self.calibration([Vector3(-7, -7, 0), Vector3(-7, 7, 0), Self.face])
        #expect(throws: MountCalibration.Refusal.betweenAxes(.leftEdge)) { try calibration.matrix }
    }
}

extension MountMatrix {
    /// The greatest distance between corresponding rows.
    fileprivate func distance(to other: MountMatrix) -> Double {
        [(x, other.x), (y, other.y), (z, other.z)]
            .map { ($0 - $1).magnitude }.max() ?? 0
    }
}
