// SPDX-License-Identifier: Apache-2.0

import JSON
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// The accelerometer to calibrate, and the settings in effect for it.
struct CalibrateTarget {
    /// Nil for a trace from another machine.
    private let description: SensorDescription?
    private let configuration: Configuration
    private let device: Device?

    init(_ description: SensorDescription?, _ configuration: Configuration) {
        self.description = description
        self.configuration = configuration
        device = description.flatMap { try? Device(syspath: $0.sysfsPath) }
    }

    /// The driver's name of the chip; empty if unknown.
    var name: String { description?.name ?? "" }

    /// The device's directory; empty if unknown.
    var sysfsPath: String { description?.sysfsPath ?? "" }

    /// The frame in effect, which maps readings, which are scaled already, to the device's axes.
    var frame: SensorFrame {
        var frame = description.map { configuration.frame(of: $0) } ?? SensorFrame()
        frame.offset = .zero
        frame.scale = Vector3(1, 1, 1)
        return frame
    }

    /// The source of the matrix in effect; empty for none.
    var matrixSource: String { description?.mounting?.matrixSource ?? "" }

    /// What the driver measures.
    var quantity: SensorFrame.Quantity { description?.mounting?.quantity ?? .specificForce }

    /// The frame with another matrix, as orientd will use it.
    func frame(with matrix: MountMatrix) -> SensorFrame {
        let configured = configuration.faceUp.display
        return SensorFrame(
            matrix: matrix,
            faceUp: configured ?? SensorFrame.FaceUp(matrix, quantity),
            faceUpReason: configured == nil ? .matrix : .configured
        )
    }

    /// The glob of the hwdb record; nil where udev does not look the sensor up.
    var match: String? { device.flatMap { HwdbEntry.match(for: $0) } }

    func entry(with matrix: MountMatrix) -> HwdbEntry {
        HwdbEntry(
            match: match ?? "sensor:modalias:MODALIAS:*",
            matrix: matrix,
            comment: match == nil ? "Replace MODALIAS by the modalias of the sensor's bus" : printable(name)
        )
    }

    var warnings: [String] {
        var warnings: [String] = []
        let sources = device.map { MatrixSources(of: $0) }
        if let sources, let hwdb = sources.hwdb, let kernel = sources.kernel, sources.areInConflict {
            warnings.append("the kernel's matrix \(kernel) differs from hwdb's \(hwdb), which is used")
        }
        if configuration.convention == .kernel {
            let problem = "hwdb's matrices use another convention than the kernel's"
            warnings.append("\(problem): remove Frame=kernel from orientd.conf")
        }
        if configuration.faceUp.display == .negativeZ {
            let problem = "the record makes face up read +z, as other programs expect"
            warnings.append("\(problem): remove FaceUp=-z from orientd.conf")
        }
        if description != nil, match == nil {
            warnings.append("\(sysfsPath) is on a bus that udev does not look up in hwdb: a record has no effect")
        }
        return warnings
    }
}

/// The matrix that three poses give, and its record for hwdb.
struct CalibrateResult {
    let target: CalibrateTarget
    let entry: HwdbEntry
    private let readings: [Vector3]
    private let isMirrored: Bool

    /// Calculates the matrix from the readings of the three poses; throws for contradictory poses.
    ///
    /// `trace` is the file that has the readings; nil for those of the sensor.
    init(_ readings: [Vector3], from trace: String?, of target: CalibrateTarget, isExact: Bool) throws(CommandError) {
        do throws(MountCalibration.Refusal) {
            let calibration = try MountCalibration(upright: readings[0], leftEdge: readings[1], faceUp: readings[2])
            let matrix = isExact ? calibration.exactMatrix : try calibration.matrix
            entry = target.entry(with: matrix)
            isMirrored = calibration.isMirrored(target.quantity)
        } catch {
            throw CommandError(trace.map { "\($0): \(error.sentence)" } ?? error.sentence + "; calibrate again")
        }
        self.readings = readings
        self.target = target
    }

    var lines: [String] {
        let before = HwdbEntry.text(of: target.frame.matrix)
        let source = target.matrixSource.isEmpty ? "no matrix set" : target.matrixSource
        let after = target.frame(with: entry.matrix)
        var lines = [
            "", "Before: \(before) (\(source))", "After:  \(entry.value)\(before == entry.value ? ", the same" : "")",
            "FaceUp: \(after.faceUpReason?.words(after.faceUp) ?? "")",
        ]
        for (pose, reading) in zip(MountCalibration.Pose.allCases, readings) {
            let (old, new) = (Self.orientation(target.frame, reading), Self.orientation(after, reading))
            lines.append("  \(pose.words): \(old == new ? "\(new)" : "was \(old), now \(new)")")
        }
        if isMirrored {
            lines.append("The axes are mirrored, which is rare: was one of the poses the opposite one?")
            lines.append("If not, the driver mirrors an axis: set FaceUp=+z in orientd.conf.")
        }
        return lines + [""]
    }

    /// Classifies one reading by the base classifier's rule.
    private static func orientation(_ frame: SensorFrame, _ reading: Vector3) -> DeviceOrientation {
        var classifier = OrientationClassifier(constants: .base)
        let sample = AccelerometerSample(time: 0, acceleration: frame.acceleration(raw: reading))
        classifier.update(gravity: sample.gravity, at: 0)
        return classifier.face.deviceOrientation ?? classifier.edge
    }

    func json(writtenTo path: String) -> JSONValue {
        JSONValue([
            "Name": .text(target.name), "SysfsPath": .text(target.sysfsPath),
            "MountMatrixBefore": .decimals(target.frame.matrix.elements),
            "MountMatrix": .decimals(entry.matrix.elements),
            "FaceUp": .text(target.frame(with: entry.matrix).faceUp.name), "Match": .text(entry.match),
            HwdbEntry.property: .text(entry.value), "File": .text(path),
        ])
    }
}
