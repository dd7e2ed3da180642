// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX

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
        let output = invocation.value(of: "output")
        func calibrate(_ readings: [Vector3]) throws(CommandError) -> ExitCode {
            let result = try CalibrateResult(readings, of: target, isExact: invocation.value(of: "exact") != nil)
            for line in result.lines { StandardError.print(printable(line)) }
            return try deliver(result, to: output, isJSON: invocation.isJSON)
        }
        if let trace { return try calibrate(CalibrateTrace.readings(in: trace, recordedThrough: target.frame)) }
        guard let accelerometer else { throw CommandError("no accelerometer found") }
        guard output == nil, geteuid() == 0 else { return try calibrate(hold(accelerometer, rate: configuration.rate)) }
        return try withoutDaemon { () throws(CommandError) in
            try calibrate(hold(accelerometer, rate: configuration.rate))
        }
    }

    /// Runs `body` while orientd rests, which turns the display in the person's hands, and may have the sensor's buffer.
    private static func withoutDaemon(_ body: () throws(CommandError) -> ExitCode) throws(CommandError) -> ExitCode {
        let unit = "orientd.service"
        // From here on a signal ends the poses, or the program at work, and then orientd is started again.
        let status = (try? Program.status(of: ["systemctl", "is-active", "--quiet", unit])) ?? 1
        guard status < 128 else { throw CommandError("interrupted; nothing was written") }
        guard status == 0 else { return try body() }
        StandardError.print("orientd rests meanwhile.")
        let result: Result<ExitCode, CommandError>
        do throws(CommandError) {
            // One that is interrupted may have done it all the same.
            try Program.run(["systemctl", "stop", unit])
            result = .success(try body())
        } catch {
            result = .failure(error)
        }
        let start = ["systemctl", "--no-block", "start", unit]
        do throws(CommandError) {
            try Program.run(start)
        } catch {
            complain("warning: \(error.message); to have orientd again: sudo \(start.joined(separator: " "))")
        }
        return try result.get()
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
        var file = isInstalled ? HwdbEntry.standardPath : path == "-" ? nil : path
        var failure: CommandError?
        do throws(CommandError) {
            if let file {
                try HwdbFile(path: file).add(result.entry)
                StandardError.print("written to \(file)")
            }
        } catch {
            // What it took three poses to find is printed.
            file = nil
            failure = error
        }
        do throws(CommandError) {
            if isInstalled, failure == nil { try HwdbFile.load(result.entry, for: result.target.sysfsPath) }
        } catch {
            failure = error
        }
        if isJSON {
            try emit([result.json(writtenTo: file ?? "").line])
        } else if file == nil {
            try emit([String(result.entry.text.dropLast())])
        }
        if result.target.canBeInstalled, !isInstalled || failure != nil {
            let isThere = isInstalled && file != nil
            StandardError.print("To use it, \(isThere ? "" : "have it in \(HwdbEntry.standardPath) and ")do:")
            for program in HwdbFile.programs(for: result.target.sysfsPath) {
                StandardError.print("  sudo \(program.joined(separator: " "))")
            }
        }
        if let failure { throw failure }
        return .done
    }
}
