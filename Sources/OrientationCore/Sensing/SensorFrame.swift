// SPDX-License-Identifier: Apache-2.0

/// The way from a sensor's raw words to the device frame: the only place where the frames meet.
public struct SensorFrame: Hashable, Sendable {
    /// The frame that the mount matrix leads to.
    public enum Convention: Hashable, Sendable {
        /// Upright reads (0, -9.81, 0), right edge up (-9.81, 0, 0): hwdb, firmware and desktops.
        case desktop

        /// Upright reads (0, +9.81, 0), right edge up (+9.81, 0, 0): the kernel's mount-matrix.txt.
        case kernel
    }

    /// The sign of z, past the matrix, while the screen faces up; the two conventions leave it open.
    public enum FaceUp: UInt8, NamedValue, Hashable, Sendable {
        case positiveZ
        case negativeZ

        /// The name in the configuration and in recordings.
        public var name: String { self == .positiveZ ? "+z" : "-z" }
    }

    /// Added to the raw words, in raw units.
    public var offset: Vector3

    /// Multiplied after the offset, in m/s² a raw unit.
    public var scale: Vector3
    public var matrix: MountMatrix
    public var convention: Convention
    public var faceUp: FaceUp

    public init(
        offset: Vector3 = .zero,
        scale: Vector3 = Vector3(1, 1, 1),
        matrix: MountMatrix = .identity,
        convention: Convention = .desktop,
        faceUp: FaceUp = .positiveZ
    ) {
        self.offset = offset
        self.scale = scale
        self.matrix = matrix
        self.convention = convention
        self.faceUp = faceUp
    }

    /// Returns the acceleration in the device frame, in m/s², of a raw reading.
    ///
    /// Offset, scale and matrix apply in this order, as the kernel's interface and hwdb have it.
    public func acceleration(raw: Vector3) -> Vector3 {
        let scaled = Vector3(
            (raw.x + offset.x) * scale.x,
            (raw.y + offset.y) * scale.y,
            (raw.z + offset.z) * scale.z
        )
        let mounted = matrix.applied(to: scaled)
        let z = faceUp == .positiveZ ? mounted.z : -mounted.z
        return switch convention {
        case .desktop: Vector3(-mounted.x, -mounted.y, z)
        case .kernel: Vector3(mounted.x, mounted.y, z)
        }
    }

    /// Returns the scaled reading, before the matrix, that an acceleration in the device frame is from, in m/s².
    ///
    /// The matrix must not be singular, as none is after ``MountMatrix/repaired(_:_:_:)``.
    public func reading(of acceleration: Vector3) -> Vector3 {
        let z = faceUp == .positiveZ ? acceleration.z : -acceleration.z
        let mounted =
            switch convention {
            case .desktop: Vector3(-acceleration.x, -acceleration.y, z)
            case .kernel: Vector3(acceleration.x, acceleration.y, z)
            }
        return matrix.solved(for: mounted)
    }
}
