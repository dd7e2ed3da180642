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
        var failure: CommandError?
        if isInstalled {
            do throws(CommandError) {
                try HwdbFile.load(result.entry, for: result.target.sysfsPath)
            } catch {
                failure = error
            }
        }
        if isJSON {
            try emit([result.json(writtenTo: file ?? "").line])
        } else if file == nil {
            try emit([String(result.entry.text.dropLast())])
        }
        if result.target.canBeInstalled, !isInstalled || failure != nil {
            StandardError.print("To use it, \(isInstalled ? "" : "have it in \(HwdbEntry.standardPath) and ")do:")
            for program in HwdbFile.programs(for: result.target.sysfsPath) {
                StandardError.print("  sudo \(program.joined(separator: " "))")
            }
        }
        if let failure { throw failure }
        return .done
    }
}
