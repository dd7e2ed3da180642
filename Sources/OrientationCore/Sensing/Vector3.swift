// SPDX-License-Identifier: Apache-2.0

/// A vector in one of the right-handed frames of the sensor, the device or gravity.
///
/// The unit is the owner's: m/s² for accelerations, g for gravity.
public struct Vector3: Hashable, Sendable {
    public var x, y, z: Double

    public init(_ x: Double, _ y: Double, _ z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    public static let zero = Vector3(0, 0, 0)

    /// The Euclidean norm.
    public var magnitude: Double { (x * x + y * y + z * z).squareRoot() }

    /// The greatest absolute value of the components.
    package var greatestComponent: Double { max(abs(x), abs(y), abs(z)) }

    public var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }

    /// The vector scaled to length 1; nil where the length is zero, not finite or too small to divide by.
    public var direction: Vector3? {
        let length = magnitude
        return length.isNormal ? self / length : nil
    }

    public func dot(_ other: Vector3) -> Double { x * other.x + y * other.y + z * other.z }

    public func cross(_ other: Vector3) -> Vector3 {
        Vector3(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }

    public static prefix func - (vector: Vector3) -> Vector3 { Vector3(-vector.x, -vector.y, -vector.z) }

    public static func + (a: Vector3, b: Vector3) -> Vector3 { Vector3(a.x + b.x, a.y + b.y, a.z + b.z) }

    public static func - (a: Vector3, b: Vector3) -> Vector3 { Vector3(a.x - b.x, a.y - b.y, a.z - b.z) }

    public static func * (vector: Vector3, factor: Double) -> Vector3 {
        Vector3(vector.x * factor, vector.y * factor, vector.z * factor)
    }

    public static func / (vector: Vector3, divisor: Double) -> Vector3 {
        Vector3(vector.x / divisor, vector.y / divisor, vector.z / divisor)
    }

    /// The smallest box, parallel to the axes, around a set of vectors.
    public struct Bounds: Hashable, Sendable {
        public private(set) var low: Vector3
        public private(set) var high: Vector3

        public init(_ vector: Vector3) {
            low = vector
            high = vector
        }

        public mutating func include(_ other: Vector3) {
            low = Vector3(min(low.x, other.x), min(low.y, other.y), min(low.z, other.z))
            high = Vector3(max(high.x, other.x), max(high.y, other.y), max(high.z, other.z))
        }

        /// The longest side of the box.
        public var spread: Double { max(high.x - low.x, high.y - low.y, high.z - low.z) }
    }
}
