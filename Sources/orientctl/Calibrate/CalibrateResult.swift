// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// What came out of it.
struct CalibrateResult {
    let target: CalibrateTarget
    let matrix: MountMatrix
    let entry: HwdbEntry
    private let readings: [Vector3]
    private let isMirrored: Bool

    /// Judges what the sensor read in the three poses; throws for poses that cannot be.
    init(_ readings: [Vector3], of target: CalibrateTarget, isExact: Bool) throws(CommandError) {
        do throws(MountCalibration.Refusal) {
            let calibration = try MountCalibration(upright: readings[0], leftEdge: readings[1], faceUp: readings[2])
            matrix =
                isExact
                ? calibration.exactMatrix(faceUp: target.faceUp) : try calibration.matrix(faceUp: target.faceUp)
            // HID's sensors and Chromebooks' read gravity, by their drivers, and so read -z with the display up.
            isMirrored = calibration.isMirrored == (target.faceUp == .positiveZ)
        } catch {
            throw CommandError(error.sentence)
        }
        self.readings = readings
        self.target = target
        entry = HwdbEntry(
            match: target.match ?? "sensor:modalias:MODALIAS:*",
            matrix: matrix,
            comment: target.match == nil ? "Put the modalias of the sensor's bus for MODALIAS" : printable(target.name)
        )
    }

    /// What to tell the person.
    var lines: [String] {
        let before = HwdbEntry.text(of: target.frame.matrix)
        let source = target.matrixSource.isEmpty ? "none was set" : target.matrixSource
        let after = SensorFrame(matrix: matrix, faceUp: target.faceUp)
        var lines = [
            "", "Before: \(before) (\(source))", "After:  \(entry.value)\(before == entry.value ? ", the same" : "")",
            "FaceUp: \(faceUpName), as \(target.isFaceUpConfigured ? "orientd.conf" : "FaceUp=auto") has it",
        ]
        for (pose, reading) in zip(MountCalibration.Pose.allCases, readings) {
            let (old, new) = (Self.orientation(target.frame, reading), Self.orientation(after, reading))
            lines.append("  \(pose.words): \(old == new ? "is \(new)" : "was taken for \(old), is \(new) now")")
        }
        if isMirrored {
            lines.append(
                "The axes come out mirrored, which is rare: was one of the poses held the other way round?"
            )
        }
        return lines + [""]
    }

    private var faceUpName: String { target.faceUp == .positiveZ ? "+z" : "-z" }

    /// What the bare rule makes of one reading.
    private static func orientation(_ frame: SensorFrame, _ reading: Vector3) -> DeviceOrientation {
        var classifier = OrientationClassifier(constants: .base)
        let sample = AccelerometerSample(time: 0, acceleration: frame.acceleration(raw: reading))
        classifier.update(gravity: sample.gravity, at: 0)
        return classifier.face.deviceOrientation ?? classifier.edge
    }

    func json(writtenTo path: String) -> JSONObject {
        let object = JSONObject()
        object.set("Name", target.name)
        object.set("SysfsPath", target.sysfsPath)
        object.set("MountMatrixBefore", target.frame.matrix.elements)
        object.set("MountMatrix", matrix.elements)
        object.set("FaceUp", faceUpName)
        object.set("Match", entry.match)
        object.set(HwdbEntry.property, entry.value)
        object.set("File", path)
        return object
    }
}
