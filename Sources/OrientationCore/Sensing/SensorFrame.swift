// SPDX-License-Identifier: Apache-2.0

/// Converts a sensor's raw values to the device frame; the only place that converts between frames.
///
/// docs/semantics.md describes the frames.
public struct SensorFrame: Hashable, Sendable {
    /// The frame that the mount matrix converts to.
    public enum Convention: String, NamedValue {
        /// Upright reads (0, -9.81, 0), right edge up (-9.81, 0, 0): hwdb, firmware and desktops.
        case desktop

        /// Upright reads (0, +9.81, 0), right edge up (+9.81, 0, 0): the kernel's mount-matrix.txt.
        case kernel
    }

    /// Added to the raw values, in raw units.
    public var offset: Vector3
    /// Factor after the offset, in m/s² per raw unit.
    public var scale: Vector3
    public var matrix: MountMatrix
    public var convention: Convention
    public var faceUp: FaceUp
    /// What `faceUp` follows from; nil for the readings of no sensor.
    public var faceUpReason: FaceUpReason?

    public init(
        offset: Vector3 = .zero,
        scale: Vector3 = Vector3(1, 1, 1),
        matrix: MountMatrix = .identity,
        convention: Convention = .desktop,
        faceUp: FaceUp = .positiveZ,
        faceUpReason: FaceUpReason? = nil
    ) {
        self.offset = offset
        self.scale = scale
        self.matrix = matrix
        self.convention = convention
        self.faceUp = faceUp
        self.faceUpReason = faceUpReason
    }

    /// Converts a raw reading to the acceleration in the device frame, in m/s².
    ///
    /// Offset, scale and matrix apply in this order, as the kernel and hwdb define it.
    public func acceleration(raw: Vector3) -> Vector3 {
        let raw = raw + offset
        return converted(matrix.applied(to: Vector3(raw.x * scale.x, raw.y * scale.y, raw.z * scale.z)))
    }

    /// Converts an acceleration in the device frame back to the scaled reading before the matrix, in m/s².
    ///
    /// The matrix must not be singular; ``MountMatrix/repaired(_:_:_:)`` ensures that.
    public func reading(of acceleration: Vector3) -> Vector3 { matrix.solved(for: converted(acceleration)) }

    /// Converts between the convention's frame and the device frame, in either direction.
    private func converted(_ vector: Vector3) -> Vector3 {
        let z = faceUp == .positiveZ ? vector.z : -vector.z
        return switch convention {
        case .desktop: Vector3(-vector.x, -vector.y, z)
        case .kernel: Vector3(vector.x, vector.y, z)
        }
    }
}
