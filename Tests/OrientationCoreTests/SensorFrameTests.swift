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
