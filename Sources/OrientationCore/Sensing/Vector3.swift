// SPDX-License-Identifier: Apache-2.0

/// A vector in one of the right-handed frames of the sensor, the device or gravity.
///
/// The unit is the owner's: m/s² for accelerations, g for gravity.
public struct Vector3: Hashable, Sendable {
    public var x: Double
    public var y: Double
    public var z: Double

    public init(_ x: Double, _ y: Double, _ z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    public static let zero = Vector3(0, 0, 0)

    /// The Euclidean norm.
    public var magnitude: Double { (x * x + y * y + z * z).squareRoot() }

    public var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }

    public func dot(_ other: Vector3) -> Double { x * other.x + y * other.y + z * other.z }

    public func cross(_ other: Vector3) -> Vector3 {
        Vector3(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }
}
