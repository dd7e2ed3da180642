// SPDX-License-Identifier: Apache-2.0

/// A sensor's mounting: the matrix that turns the chip's axes into those of its frame convention.
///
/// Reflections are normal: most of the matrices in the field have the determinant -1.
public struct MountMatrix: Hashable, Sendable {
    public var x: Vector3
    public var y: Vector3
    public var z: Vector3

    /// Takes the rows as they are, singular or not; `repaired` judges them.
    public init(rows x: Vector3, _ y: Vector3, _ z: Vector3) {
        self.x = x
        self.y = y
        self.z = z
    }

    public static let identity = MountMatrix(rows: Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1))

    /// The nine numbers, row by row.
    public var elements: [Double] { [x, y, z].flatMap { [$0.x, $0.y, $0.z] } }

    public var determinant: Double { x.dot(y.cross(z)) }

    /// The product of the matrix and a column vector.
    public func applied(to vector: Vector3) -> Vector3 {
        Vector3(x.dot(vector), y.dot(vector), z.dot(vector))
    }

    /// The vector whose product with the matrix is the given one; not finite where the matrix is singular.
    func solved(for product: Vector3) -> Vector3 {
        let (a, b, c) = (y.cross(z), z.cross(x), x.cross(y))
        let volume = determinant
        return Vector3(
            (a.x * product.x + b.x * product.y + c.x * product.z) / volume,
            (a.y * product.x + b.y * product.y + c.y * product.z) / volume,
            (a.z * product.x + b.z * product.y + c.z * product.z) / volume
        )
    }
}

extension MountMatrix {
    /// What `repaired` found of the rows that it was given.
    public enum Verdict: Hashable, Sendable {
        /// The rows are independent and were taken as they are.
        case sound

        /// The third row alone depended on the first two, and is now their cross product.
        case thirdRowReplaced

        /// The rows are not finite, or the first two depend on each other: the matrix is the identity.
        case singular
    }

    /// The least volume that three rows of length 1 may span, and the least area for two, to count as independent.
    ///
    /// 0.01 is the sine of 0.6°: no real chip is mounted so, while rounded decimals stay far from it.
    public static let leastIndependence = 0.01

    /// Returns the matrix that is safe to use in place of the given rows, and what was wrong with them.
    ///
    /// The judgement does not depend on the rows' lengths.
    public static func repaired(
        _ x: Vector3,
        _ y: Vector3,
        _ z: Vector3
    ) -> (matrix: MountMatrix, verdict: Verdict) {
        guard x.isFinite, y.isFinite, z.isFinite else { return (.identity, .singular) }
        guard let unitX = x.direction, let unitY = y.direction else { return (.identity, .singular) }
        let normal = unitX.cross(unitY)
        guard normal.magnitude >= leastIndependence else { return (.identity, .singular) }
        guard let unitZ = z.direction, abs(normal.dot(unitZ)) >= leastIndependence else {
            return (MountMatrix(rows: x, y, x.cross(y)), .thirdRowReplaced)
        }
        return (MountMatrix(rows: x, y, z), .sound)
    }
}

extension Vector3 {
    /// The vector at length 1, or nothing where its length is too small or too great to tell.
    fileprivate var direction: Vector3? {
        let length = magnitude
        guard length.isNormal else { return nil }
        return Vector3(x / length, y / length, z / length)
    }
}
