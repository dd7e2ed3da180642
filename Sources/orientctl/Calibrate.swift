// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import OrientationCore
import OrientationDaemon
import OrientationIIO
import SystemdBus

/// `orientctl calibrate`: the mount matrix of the accelerometer, found from three poses and given to udev's hwdb.
enum Calibrate {
    static let command = Command(
        "calibrate [--exact] [--from TRACE] [-o FILE]",
        options: [.init("exact"), .init("from", takesValue: true), .init("output", "o", takesValue: true)]
    ) { invocation throws(CommandError) in
        let trace = invocation.value(of: "from")
        guard trace != nil || isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 else {
            throw CommandError("calibrate leads a person through it: run it on a terminal, or give --from=TRACE")
        }
        let configuration = try Record.readConfiguration()
        let accelerometer = try accelerometer(at: "local:")
        let target = CalibrateTarget(accelerometer?.description, configuration)
        for warning in (accelerometer?.warnings ?? []) + target.warnings { complain("warning: \(warning)") }
        let readings =
            if let trace {
                try CalibrateTrace.readings(in: trace, recordedThrough: target.frame)
            } else if let accelerometer {
                try hold(accelerometer, rate: configuration.rate)
            } else {
                throw CommandError("no accelerometer found")
            }
        let result = try CalibrateResult(readings, of: target, isExact: invocation.value(of: "exact") != nil)
        for line in result.lines { StandardError.print(printable(line)) }
        return try deliver(result, to: invocation.value(of: "output"), isJSON: invocation.isJSON)
    }

    private static func hold(_ accelerometer: any SensorDevice, rate: Double) throws(CommandError) -> [Vector3] {
        let isWide = (try? BuiltInDisplay.naturalOrientation) == .landscapeLeft
        StandardError.print("Calibrating \(printable(accelerometer.description.name)). Ctrl-C ends it at any time.")
        let session = try CalibrateSession(accelerometer, rate: rate, guide: CalibrateGuide(isWide: isWide))
        return try session.run()
    }

    /// Gives the record to hwdb where that may be, else to who asked.
    private static func deliver(
        _ result: CalibrateResult,
        to path: String?,
        isJSON: Bool
    ) throws(CommandError) -> ExitCode {
        let isInstalled = path == nil && geteuid() == 0 && result.target.canBeInstalled
        let file = isInstalled ? HwdbEntry.standardPath : path == "-" ? nil : path
        if let file {
            try HwdbFile(path: file).add(result.entry)
            StandardError.print("written to \(file)")
        }
        if isInstalled { try HwdbFile.load(result.entry, for: result.target.sysfsPath) }
        if isJSON {
            try emit([result.json(writtenTo: file ?? "").line])
        } else if file == nil {
            try emit([String(result.entry.text.dropLast())])
        }
        if !isInstalled, result.target.canBeInstalled {
            StandardError.print("To use it, have it in \(HwdbEntry.standardPath) and do:")
            for program in HwdbFile.programs(for: result.target.sysfsPath) {
                StandardError.print("  sudo \(program.joined(separator: " "))")
            }
        }
        return .done
    }
}

/// What is to be calibrated, and how it is read so far.
struct CalibrateTarget {
    /// The driver's name of the chip; empty where there is none.
    let name: String

    /// The device's directory; empty where there is none.
    let sysfsPath: String

    /// The way to the device's axes that is in effect.
    let frame: SensorFrame

    /// Where the matrix in effect is from; empty for none.
    let matrixSource: String

    /// The sign of z while the display faces up, as orientd will take it.
    let faceUp: SensorFrame.FaceUp
    let isFaceUpConfigured: Bool

    /// What hwdb is to compare udev's keys with; nil where udev asks for nothing.
    let match: String?
    let warnings: [String]

    /// Takes an accelerometer, or nothing: for a trace from elsewhere.
    init(_ description: SensorDescription?, _ configuration: Configuration) {
        name = description?.name ?? ""
        sysfsPath = description?.sysfsPath ?? ""
        let scaling = description?.scaling(convention: configuration.convention, faceUp: configuration.faceUp)
        var frame = if case .acceleration(let frame)? = scaling { frame } else { SensorFrame() }
        // Readings are scaled already.
        (frame.offset, frame.scale) = (.zero, Vector3(1, 1, 1))
        self.frame = frame
        matrixSource = description?.mounting?.matrixSource ?? ""
        faceUp = configuration.faceUp ?? description?.mounting?.faceUp ?? .positiveZ
        isFaceUpConfigured = configuration.faceUp != nil

        let device = description.flatMap { try? Device(syspath: $0.sysfsPath) }
        match = device.flatMap { HwdbEntry.match(for: $0) }
        var warnings: [String] = []
        if let device, let conflict = HwdbEntry.conflict(of: device) { warnings.append(conflict) }
        if configuration.convention == .kernel {
            warnings.append("hwdb's matrices are not the kernel's: take Frame=kernel out of orientd.conf for this one")
        }
        if description != nil, match == nil {
            warnings.append("\(sysfsPath) is on no bus that udev asks hwdb for: a record would have no effect")
        }
        self.warnings = warnings
    }

    var canBeInstalled: Bool { match != nil }
}

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
            // HID's sensors and Chromebooks' are so by their drivers.
            isMirrored = calibration.isMirrored && target.faceUp == .positiveZ
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
                "The sensor's axes are mirrored, which is rare: was it on its left edge, not on its right one?"
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
        object.set("MountMatrixBefore", target.frame.matrix.numbers)
        object.set("MountMatrix", matrix.numbers)
        object.set("FaceUp", faceUpName)
        object.set("Match", entry.match)
        object.set(HwdbEntry.property, entry.value)
        object.set("File", path)
        return object
    }
}

extension MountMatrix {
    /// The numbers row by row.
    fileprivate var numbers: [Double] { [x, y, z].flatMap { [$0.x, $0.y, $0.z] } }
}
