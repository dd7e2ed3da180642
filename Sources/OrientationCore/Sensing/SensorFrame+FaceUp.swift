// SPDX-License-Identifier: Apache-2.0

extension SensorFrame {
    /// The sign of z, after the matrix, while the screen faces up; neither convention defines it.
    public enum FaceUp: String, NamedValue {
        case positiveZ = "+z", negativeZ = "-z"
    }

    /// What the sign of z follows from.
    public enum FaceUpReason: String, NamedValue {
        /// From a mount matrix and what the driver measures.
        case matrix
        /// From what the driver measures; there is no matrix.
        case driver
        /// From `FaceUp=` or `BaseFaceUp=`.
        case configured
    }

    /// What a driver measures; at rest, one is the opposite of the other.
    public enum Quantity: Hashable, Sendable {
        /// Points up at rest: what chips measure.
        case specificForce
        /// Points down at rest: what HID sensor hubs report.
        case gravity
    }
}

extension SensorFrame.FaceUp {
    /// Derives the sign of z from a mount matrix whose rows of x and y are right; that of z may have either sign.
    ///
    /// docs/semantics.md has the derivation. Of the determinant only the sign counts, so the rows may have any length
    /// and need not be perpendicular. The identity stands for no matrix; a determinant of 0 counts as positive.
    public init(_ matrix: MountMatrix, _ quantity: SensorFrame.Quantity) {
        let isMirrored = matrix.determinant < 0
        self = isMirrored == (quantity == .gravity) ? .positiveZ : .negativeZ
    }
}
