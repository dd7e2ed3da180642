// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import JSON
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// `orientctl calibrate`: finds the accelerometer's mount matrix from three poses and adds it to udev's hwdb.
enum Calibrate {
    static let command = Command(
        name: "calibrate",
        forms: "[--exact] [--from=TRACE] [--output=FILE] | --reset [--output=FILE]",
        summary: "find the accelerometer's mount matrix from three poses",
        description: "For a picture that turns the wrong way: finds from three poses how the accelerometer is mounted, "
            + "and as root adds that to udev's hwdb.",
        options: [
            .init("reset", help: "take the matrix for this sensor away again"),
            .init("exact", help: "find an exact matrix, for a sensor mounted askew"),
            .init("from", value: "TRACE", help: "find the three poses in a trace; - is standard input"),
            .init("output", "o", value: "FILE", help: "add the hwdb record to FILE; - is standard output"),
        ]
    ) { invocation throws(CommandError) in
        if invocation.has("reset") { return try reset(invocation) }
        let trace = invocation.value(of: "from")
        if let trace { try invocation.rejectInput(trace, as: "output") }
        guard trace != nil || isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 else {
            throw CommandError("calibrate is interactive: run it in a terminal, or use --from=TRACE")
        }
        let configuration = try Record.readConfiguration()
        let accelerometer = try systemCall(accelerometer(at: "local:"))
        let target = CalibrateTarget(accelerometer?.description, configuration)
        for warning in (accelerometer?.warnings ?? []) + target.warnings { complain("warning: \(warning)") }
        let output = invocation.value(of: "output")
        func calibrate(_ readings: [Vector3]) throws(CommandError) {
            let result = try CalibrateResult(readings, from: trace, of: target, isExact: invocation.has("exact"))
            for line in result.lines { StandardError.print(printable(line)) }
            try deliver(result, to: output, isJSON: invocation.isJSON)
        }
        if let trace { return try calibrate(readings(in: trace, through: target.frame)) }
        guard let accelerometer else { throw noAccelerometer }
        func calibrateNow() throws(CommandError) {
            try calibrate(readPoses(of: accelerometer, rate: configuration.rate))
        }
        guard output == nil else { return try calibrateNow() }
        if geteuid() == 0 { return try withoutDaemon(calibrateNow) }
        if target.match != nil {
            complain("the record will only be printed; as root, orientctl calibrate adds it to hwdb")
        }
        try calibrateNow()
    }

    private static let noAccelerometer = CommandError("no accelerometer found", remedy: .doctor)

    /// Removes what an earlier calibration has added, and applies that as root.
    private static func reset(_ invocation: Invocation) throws(CommandError) {
        let output = invocation.value(of: "output")
        guard !invocation.has("exact"), !invocation.has("from"), output != "-" else {
            throw CommandError("--reset cannot be combined with --exact, --from or --output=-", .usage)
        }
        guard let accelerometer = try systemCall(accelerometer(at: "local:")) else { throw noAccelerometer }
        let target = CalibrateTarget(accelerometer.description, try Record.readConfiguration())
        let path = output ?? HwdbEntry.standardPath
        let removed = try systemCall(target.entry(with: .identity).remove(from: path))
        if invocation.isJSON {
            let match = PropertyValue.text(target.match ?? "")
            try emit([JSONValue(["Match": match, "Removed": .texts(removed), "File": .text(path)]).line])
        } else {
            let found = removed.map { "removed from \(path): \(HwdbEntry.property)=\($0)" }
            try emit(found.isEmpty ? ["\(path) has no matrix for \(target.name)"] : found)
        }
        guard !removed.isEmpty else { return }
        guard output == nil else { return sayHowToUse(target) }
        let matrix = try HwdbEntry.reload(for: target.sysfsPath)
        StandardError.print(printable("udev has \(matrix.map { "the matrix \($0)" } ?? "no matrix") for it now"))
    }

    /// Prints the commands that apply a change of hwdb.
    private static func sayHowToUse(_ target: CalibrateTarget, adding path: String? = nil) {
        StandardError.print("To use it, \(path.map { "add it to \($0) and " } ?? "")run:")
        for program in HwdbEntry.programs(for: target.sysfsPath) {
            StandardError.print("  sudo \(program.joined(separator: " "))")
        }
    }

    /// Runs `body` with the service stopped: it would rotate the display, and it may use the sensor's buffer.
    private static func withoutDaemon(_ body: () throws(CommandError) -> Void) throws(CommandError) {
        let unit = "orientd.service"
        // From here on a signal ends the poses, or the program that runs, and the service is started again.
        let status = (try? Program.status(of: ["systemctl", "is-active", "--quiet", unit])) ?? 1
        guard status < 128 else { throw CommandError("interrupted; nothing was written") }
        guard status == 0 else { return try body() }
        StandardError.print("orientd is stopped during calibration.")
        let start = ["systemctl", "--no-block", "start", unit]
        defer {
            do throws(CommandError) {
                try Program.run(start)
            } catch {
                let command = "sudo \(start.joined(separator: " "))"
                complain("warning: \(error.message); to start orientd again: \(command)")
            }
        }
        // Even an interrupted stop may have stopped it.
        try Program.run(["systemctl", "stop", unit])
        return try body()
    }

    private static func readPoses(of accelerometer: any SensorDevice, rate: Double) throws(CommandError) -> [Vector3] {
        let isWide = (try? BuiltInDisplay.naturalOrientation) == .landscapeLeft
        StandardError.print("Calibrating \(printable(accelerometer.description.name)). Press Ctrl-C to cancel.")
        return try systemCall(CalibrateSession(accelerometer, rate: rate, isWide: isWide)).run()
    }

    /// Returns the sensor's readings in the three rests of a trace, before the frame that it was recorded through.
    private static func readings(in path: String, through frame: SensorFrame) throws(CommandError) -> [Vector3] {
        var phases = RestPhases()
        var reader = try systemCall(TraceReader(operand: path))
        while let record = try systemCall(reader.next()) {
            switch record {
            case .sample(let sample): phases.update(sample.acceleration, at: sample.time)
            case .event: break
            case .malformed(let error):
                try error.rejectOtherFile(path)
                complain("\(path):\(error.line): \(error)")
            }
        }
        let (found, wanted) = (phases.phases, MountCalibration.Pose.allCases.count)
        guard found.count == wanted else {
            let times = found.map { decimal($0.time, places: 1) + " s" }.joined(separator: ", ")
            let places = times.isEmpty ? "" : ", at \(times)"
            let count = found.isEmpty ? "never rests" : "rests \(found.count == 1 ? "once" : "\(found.count) times")"
            throw CommandError("\(path): needs \(wanted) poses, but the device \(count)\(places)")
        }
        return found.map { frame.reading(of: $0.reading) }
    }

    /// Adds the record to hwdb where the user may, or else to the given file, or prints it.
    private static func deliver(_ result: CalibrateResult, to path: String?, isJSON: Bool) throws(CommandError) {
        let isInstalling = path == nil && geteuid() == 0 && result.target.match != nil
        var file = isInstalling ? HwdbEntry.standardPath : path == "-" ? nil : path
        var failure: CommandError?
        do throws(CommandError) {
            if let path = file {
                // The record took three poses: it is printed unless it is in the file.
                file = nil
                try systemCall(result.entry.add(to: path))
                file = path
                StandardError.print("written to \(path)")
                if isInstalling { try result.entry.load(for: result.target.sysfsPath) }
            }
        } catch {
            failure = error
        }
        if isJSON {
            try emit([result.json(writtenTo: file ?? "").line])
        } else if file == nil {
            try emit([String(Substring(result.entry.text.utf8.dropLast()))])
        }
        if result.target.match != nil, !isInstalling || failure != nil {
            let isThere = isInstalling && file != nil
            sayHowToUse(result.target, adding: isThere ? nil : HwdbEntry.standardPath)
        }
        if let failure { throw failure }
    }
}
