// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@Suite struct MountMatrixTests {
    @Test func `the identity leaves a vector as it is`() {
        #expect(MountMatrix.identity.applied(to: Vector3(1, 2, 3)) == Vector3(1, 2, 3))
        #expect(MountMatrix.identity.determinant == 1)
    }

    @Test func `a matrix applies to a column vector`() {
        let matrix = MountMatrix(rows: Vector3(0, -1, 0), Vector3(2, 0, 0), Vector3(0, 0, 1))
        #expect(matrix.applied(to: Vector3(5, 7, 9)) == Vector3(-7, 10, 9))
        #expect(matrix.determinant == 2)
    }

    @Test(
        arguments: [
            MountMatrix(rows: Vector3(0, 1, 0), Vector3(1, 0, 0), Vector3(0, 0, 1)),
            MountMatrix(rows: Vector3(-1, 0, 0), Vector3(0, -1, 0), Vector3(0, 0, 1)),
            MountMatrix(rows: Vector3(0.866, 0.5, 0), Vector3(-0.5, 0.866, 0), Vector3(0, 0, -1)),
            MountMatrix(rows: Vector3(0.001, 0, 0), Vector3(0, 1000, 0), Vector3(0, 0, 0.001)),
        ]
    )
    func `independent rows are used unchanged, including reflections and lengths`(matrix: MountMatrix) {
        let (taken, verdict) = MountMatrix.repaired(matrix.x, matrix.y, matrix.z)
        #expect(verdict == .sound)
        #expect(taken == matrix)
    }

    @Test(arguments: [
        Vector3(0, 1, 0), Vector3(0, 0, 0), Vector3(3, 4, 0), Vector3(0, -1, 0.001),
    ])
    func `a third row that depends on the first two becomes their cross product`(third: Vector3) {
        let (matrix, verdict) = MountMatrix.repaired(Vector3(0, 1, 0), Vector3(1, 0, 0), third)
        #expect(verdict == .thirdRowReplaced)
        #expect(matrix.x == Vector3(0, 1, 0))
        #expect(matrix.y == Vector3(1, 0, 0))
        #expect(matrix.z == Vector3(0, 0, -1))
    }

    @Test(
        arguments: [
            MountMatrix(rows: .zero, Vector3(0, 1, 0), Vector3(0, 0, 1)),
            MountMatrix(rows: Vector3(1, 0, 0), Vector3(-2, 0, 0), Vector3(0, 0, 1)),
            MountMatrix(rows: .zero, .zero, .zero),
            MountMatrix(rows: Vector3(.nan, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)),
            MountMatrix(rows: Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, .infinity)),
            MountMatrix(rows: Vector3(1e300, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)),
            MountMatrix(rows: Vector3(1e-300, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)),
        ]
    )
    func `dependent first rows and extreme rows are replaced by the identity`(matrix: MountMatrix) {
        let (taken, verdict) = MountMatrix.repaired(matrix.x, matrix.y, matrix.z)
        #expect(verdict == .singular)
        #expect(taken == .identity)
    }
}

@Suite struct FaceUpTests {
    private static let mirrored = MountMatrix(rows: Vector3(1, 0, 0), Vector3(0, -1, 0), Vector3(0, 0, 1))
    private static let askew = MountMatrix(rows: Vector3(2, 0.5, 0), Vector3(-0.3, 0.01, 0.1), Vector3(0, 0.2, -7))

    @Test(arguments: [
        // No matrix: a chip soldered as the display's axes are, and a plain HID sensor.
        (MountMatrix.identity, SensorFrame.Quantity.specificForce, SensorFrame.FaceUp.positiveZ),
        (.identity, .gravity, .negativeZ),
        // The display's sensor of Chromebooks, and the base's.
        (MountMatrix(rows: Vector3(-1, 0, 0), Vector3(0, -1, 0), Vector3(0, 0, -1)), .specificForce, .negativeZ),
        (MountMatrix(rows: Vector3(-1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)), .specificForce, .negativeZ),
        (mirrored, .specificForce, .negativeZ), (mirrored, .gravity, .positiveZ),
        // Neither length nor angles matter.
        (askew, .specificForce, .negativeZ), (askew, .gravity, .positiveZ),
        (MountMatrix(rows: .zero, .zero, .zero), .specificForce, .positiveZ),
        (MountMatrix(rows: Vector3(.nan, 0, 0), .zero, .zero), .gravity, .negativeZ),
    ])
    func `the determinant and what the driver measures give the sign of z`(
        matrix: MountMatrix,
        quantity: SensorFrame.Quantity,
        sign: SensorFrame.FaceUp
    ) {
        #expect(SensorFrame.FaceUp(matrix, quantity) == sign)
    }

    @Test(arguments: [SensorFrame.Quantity.specificForce, .gravity], [SensorFrame.Convention.desktop, .kernel])
    func `a chip soldered in any way is face up if its matrix is right in x and y`(
        quantity: SensorFrame.Quantity,
        convention: SensorFrame.Convention
    ) {
        // The rotations: what a chip reads for the right, top and front of the device.
        for chip in MountCalibrationTests.signedPermutations where chip.determinant > 0 {
            let sign = convention == .desktop ? -1.0 : 1
            let driver = quantity == .gravity ? -1.0 : 1
            for z in [-1.0, 1] {
                let matrix = MountMatrix(rows: chip.x * (sign * driver), chip.y * (sign * driver), chip.z * z)
                let frame = SensorFrame(
                    matrix: matrix,
                    convention: convention,
                    faceUp: SensorFrame.FaceUp(matrix, quantity)
                )
                for force in [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)] {
                    let reading = (chip.x * force.x + chip.y * force.y + chip.z * force.z) * driver
                    #expect(frame.acceleration(raw: reading) == force)
                }
            }
        }
    }
}

@Suite struct SensorFrameTests {
    @Test func `the desktop frame is converted to the device frame`() {
        let frame = SensorFrame()
        #expect(frame.acceleration(raw: Vector3(0, -9.81, 0)) == Vector3(0, 9.81, 0))
        #expect(frame.acceleration(raw: Vector3(-9.81, 0, 0)) == Vector3(9.81, 0, 0))
    }

    @Test func `the kernel frame has the x and y of the device frame`() {
        let frame = SensorFrame(convention: .kernel)
        #expect(frame.acceleration(raw: Vector3(1, 2, 3)) == Vector3(1, 2, 3))
    }

    @Test(arguments: [SensorFrame.Convention.desktop, .kernel])
    func `face up is +z in the device frame for either sign of the sensor`(convention: SensorFrame.Convention) {
        let positive = SensorFrame(convention: convention, faceUp: .positiveZ)
        let negative = SensorFrame(convention: convention, faceUp: .negativeZ)
        #expect(positive.acceleration(raw: Vector3(0, 0, 9.81)).z == 9.81)
        #expect(negative.acceleration(raw: Vector3(0, 0, -9.81)).z == 9.81)
    }

    @Test func `offset comes before scale and scale before the matrix`() {
        let frame = SensorFrame(
            offset: Vector3(10, 20, 30),
            scale: Vector3(0.5, 0.25, 2),
            matrix: MountMatrix(rows: Vector3(0, 1, 0), Vector3(1, 0, 0), Vector3(0, 0, 1)),
            convention: .kernel
        )
        // (1 + 10) · 0.5 = 5.5, (4 + 20) · 0.25 = 6, (3 + 30) · 2 = 66; x and y trade places.
        #expect(frame.acceleration(raw: Vector3(1, 4, 3)) == Vector3(6, 5.5, 66))
    }

    @Test(arguments: [SensorFrame.Convention.desktop, .kernel], [SensorFrame.FaceUp.positiveZ, .negativeZ])
    func `an acceleration converts back to its reading`(
        convention: SensorFrame.Convention,
        faceUp: SensorFrame.FaceUp
    ) {
        let frame = SensorFrame(
            matrix: MountMatrix(rows: Vector3(0, 2, 0), Vector3(-1, 0, 0.5), Vector3(0, 0, -4)),
            convention: convention,
            faceUp: faceUp
        )
        let reading = Vector3(1, -2, 3)
        #expect(frame.reading(of: frame.acceleration(raw: reading)) == reading)
    }

    @Test func `the worked case of a quarter turn counter-clockwise`() {
        let acceleration = SensorFrame().acceleration(raw: Vector3(-9.80665, 0, 0))
        let gravity = AccelerometerSample(time: 0, acceleration: acceleration).gravity
        #expect(gravity.x == -1)
        var classifier = OrientationClassifier(constants: .robust)
        classifier.update(gravity: gravity, at: 0)
        #expect(classifier.edge == .landscapeLeft)
        #expect(OutputTransform(following: classifier.edge, natural: .portrait) == .rotated270)
    }
}
