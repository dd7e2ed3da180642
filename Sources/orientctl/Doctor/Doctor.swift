// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import JSON
import POSIX
import SystemdBus

/// `orientctl doctor`: checks everything that rotation needs, and says how to fix what is wrong.
enum Doctor {
    static let command = Command(
        name: "doctor",
        summary: "check everything that rotation needs",
        description: "Checks everything that rotation needs, from the driver to polkit, and says how to mend what is "
            + "wrong. Lay the device down and leave it still meanwhile.",
        options: [
            .init("report", "r", value: "FILE", help: "write a bug report without personal data; - prints it"),
            .init("recording", value: "TRACE", help: "put TRACE into the report, from orientd --record"),
        ]
    ) { invocation throws(CommandError) in
        let path = invocation.value(of: "report")
        guard path != "-" || !invocation.isJSON else {
            throw CommandError("--report=- prints text: it cannot be combined with --json", .usage)
        }
        guard path != nil || !invocation.has("recording") else {
            throw CommandError("--recording needs --report", .usage)
        }
        // Files first: no checks for a report that cannot be written.
        let recording = try invocation.value(of: "recording").map {
            path throws(CommandError) in try EventRecording.lines(of: path)
        }
        let file: OutputFile? =
            if let path { path == "-" ? .standardOutput() : try systemCall(.create(path)) } else { nil }
        let system = try SystemState(invocation)
        let seconds = path == nil || recording != nil ? 2.0 : 5
        if isatty(STDERR_FILENO) == 1, system.accelerometer != nil || system.snapshot != nil {
            let reads = "reading the accelerometer for some seconds; leave the device still"
            complain(system.accelerometer == nil ? "checking for some seconds" : reads)
        }
        system.readings.read(system, seconds: seconds)
        guard !system.readings.isInterrupted else { throw CommandError("interrupted") }
        let findings = Check.all.flatMap { $0.findings(in: system) }
        if let file {
            let report = DoctorReport(system: system, findings: findings, recording: recording)
            do throws(SystemError) { try report.write(to: file) } catch { throw CommandError(error) }
        }
        if path != "-" {
            let bus = system.address
            try emit(
                findings.flatMap { finding in
                    if invocation.isJSON { return [finding.json(on: bus).line] }
                    return Terminal.isOutput
                        ? finding.rows(on: bus, columns: Terminal.columns) : [finding.line(on: bus)]
                }
            )
            if let path { complain("\(path) has the report; look through it before you send it") }
        }
        if findings.contains(where: { $0.verdict == .fail }) { throw CommandError.reported }
    }
}
