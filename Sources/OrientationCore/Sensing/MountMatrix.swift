// SPDX-License-Identifier: Apache-2.0

/// A sensor's mount matrix, which converts the chip's axes to those of its frame convention.
///
/// Reflections are normal: most matrices in use have the determinant -1.
public struct MountMatrix: Hashable, Sendable {
    public var x, y, z: Vector3

    /// Creates a matrix from any rows; `repaired` rejects singular ones.
    public init(rows x: Vector3, _ y: Vector3, _ z: Vector3) {
        self.x = x
        self.y = y
        self.z = z
    }

    public static let identity = MountMatrix(rows: Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1))

    /// The nine numbers, row by row.
    public var elements: [Double] { [x, y, z].flatMap { [$0.x, $0.y, $0.z] } }

    public var determinant: Double { x.dot(y.cross(z)) }

    /// Returns the product of the matrix and a column vector.
    public func applied(to vector: Vector3) -> Vector3 { Vector3(x.dot(vector), y.dot(vector), z.dot(vector)) }

    /// Returns the vector whose product with the matrix is the given one; not finite if the matrix is singular.
    func solved(for product: Vector3) -> Vector3 {
        (y.cross(z) * product.x + z.cross(x) * product.y + x.cross(y) * product.z) / determinant
    }

    /// The result of checking three rows.
    public enum Verdict: Hashable, Sendable {
        /// The rows are independent and used unchanged.
        case sound
        /// Only the third row depended on the first two; their cross product replaces it.
        case thirdRowReplaced
        /// The rows are not finite, or the first two depend on each other; the identity replaces them.
        case singular
    }

    /// The least volume of three rows of length 1, and the least area of two, that counts as independent.
    ///
    /// 0.01 is the sine of 0.6°: far from any real mounting, and far above the rounding of decimals.
    public static let leastIndependence = 0.01

    /// Returns a matrix that is safe to use in place of the given rows, and the verdict on them.
    ///
    /// The rows' lengths do not matter.
    public static func repaired(_ x: Vector3, _ y: Vector3, _ z: Vector3) -> (matrix: MountMatrix, verdict: Verdict) {
        guard z.isFinite, let unitX = x.direction, let unitY = y.direction else { return (.identity, .singular) }
        let normal = unitX.cross(unitY)
        guard normal.magnitude >= leastIndependence else { return (.identity, .singular) }
        guard let unitZ = z.direction, abs(normal.dot(unitZ)) >= leastIndependence else {
            return (MountMatrix(rows: x, y, x.cross(y)), .thirdRowReplaced)
        }
        return (MountMatrix(rows: x, y, z), .sound)
    }
}
