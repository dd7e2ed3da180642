// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// The mapping from the coordinates of a touch device to the part of the screen that the panel shows.
extension CalibrationMatrix {
    /// The matrix that first does what `other` does, then what this one does.
    func after(_ other: CalibrationMatrix) -> CalibrationMatrix {
        CalibrationMatrix(rows: [
            a * other.a + b * other.d, a * other.b + b * other.e, a * other.c + b * other.f + c,
            d * other.a + e * other.d, d * other.b + e * other.e, d * other.c + e * other.f + f,
        ])
    }

    /// The matrix that undoes this one; nil if none does.
    var inverse: CalibrationMatrix? {
        let determinant = a * e - b * d
        guard determinant != 0, determinant.isFinite else { return nil }
        return CalibrationMatrix(rows: [e, -b, b * f - c * e, -d, a, c * d - a * f].map { $0 / determinant })
    }

    /// Maps places on the untransformed panel to places in the picture that it shows.
    init(_ transform: Transform) {
        let turns: [InterfaceOrientation] = [.portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight]
        let turned = CalibrationMatrix.identity.rotated(from: .portrait, to: turns[transform.quarterTurns])
        // The picture is mirrored before it is rotated, so what the panel shows is rotated back first.
        self = transform.isMirrored ? CalibrationMatrix(-1, 0, 1, 0, 1, 0).after(turned) : turned
    }

    /// Maps places on a panel that takes up this area in a transform to places on a screen of this size, from 0 to 1
    /// across the whole screen.
    init(area: Area, _ transform: Transform, screen: Extent) {
        let (width, height) = (Double(screen.width), Double(screen.height))
        let part = CalibrationMatrix(rows: [
            Double(area.width) / width, 0, Double(area.x) / width,
            0, Double(area.height) / height, Double(area.y) / height,
        ])
        self = part.after(CalibrationMatrix(transform))
    }

    /// Whether it maps to where an output is, turned in one of four ways: then it was set for that output, and does not
    /// correct how the device is mounted.
    ///
    /// Scripts round; no two layouts are as similar as that.
    func maps(to output: Output, screen: Extent) -> Bool {
        OutputTransform.allCases.contains {
            let other = CalibrationMatrix(area: output.area, Transform($0), screen: screen)
            return zip(rows, other.rows).allSatisfy { abs($0 - $1) < 0.002 }
        }
    }

    /// The first two rows, as xinput prints them.
    var rows: [Double] { [a, b, c, d, e, f] }

    init(rows: [Double]) { self.init(rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]) }
}

extension Transform {
    /// The transform that is most like this one after a correction.
    func after(_ correction: CalibrationMatrix) -> Transform {
        let wanted = CalibrationMatrix(self).after(correction)
        let likeness = { (transform: Transform) in
            let matrix = CalibrationMatrix(transform)
            return matrix.a * wanted.a + matrix.b * wanted.b + matrix.d * wanted.d + matrix.e * wanted.e
        }
        return Transform.allCases.max { likeness($0) < likeness($1) } ?? self
    }
}

/// The matrix of a device before the agent mapped it, and the mapping of the layout at that time.
struct MatrixBaseline: Hashable, Sendable {
    let matrix, mapping: CalibrationMatrix

    /// The matrix for another layout's mapping.
    ///
    /// A matrix that is not the identity corrects a device whose axes are not those of its panel; the correction stays.
    func mapped(to mapping: CalibrationMatrix) -> CalibrationMatrix {
        guard matrix != .identity, let inverse = self.mapping.inverse else { return mapping }
        return mapping == self.mapping ? matrix : mapping.after(inverse.after(matrix))
    }

    /// The matrix to set when the agent no longer maps the device.
    func restored(in mapping: CalibrationMatrix) -> CalibrationMatrix {
        matrix == .identity ? matrix : mapped(to: mapping)
    }
}
