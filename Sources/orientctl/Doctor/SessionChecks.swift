// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// The checks of the graphical session that the environment names, made by orient-agent, which can reach its display.
struct SessionChecks {
    /// No findings without a session, such as over SSH.
    var findings: [Finding] {
        let variables = ["WAYLAND_DISPLAY", "DISPLAY"]
        guard variables.contains(where: { !(environment($0) ?? "").isEmpty }) else { return [] }
        do throws(SystemError) {
            return Self.findings(of: try Program.output(of: ["orient-agent", "--check"]))
        } catch {
            return error.errno == .notFound
                ? [.warn("session", "orient-agent is not installed: it rotates displays where the desktop does not")]
                : [.warn("session", "cannot be checked: \(error)")]
        }
    }

    private static func findings(of program: (bytes: [UInt8], status: Int32)) -> [Finding] {
        guard program.status == 0 else {
            return [.warn("session", "cannot be checked: orient-agent --check failed")]
        }
        do throws(CommandError) {
            return try findings(in: program.bytes)
        } catch {
            return [.warn("session", "cannot be checked: \(error.message)")]
        }
    }

    /// Reads lines of a verdict, a subject, a text and a remedy, separated by tabs.
    static func findings(in output: [UInt8]) throws(CommandError) -> [Finding] {
        try output.split(separator: UInt8(ascii: "\n")).map { line throws(CommandError) in
            let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            guard fields.count == 4, let verdict = Finding.Verdict(rawValue: fields[0]) else {
                throw CommandError("orient-agent --check printed '\(String(decoding: line, as: UTF8.self))'")
            }
            return switch verdict {
            case .ok: .ok(fields[1], fields[2])
            case .warn: .warn(fields[1], fields[2], remedy: fields[3])
            case .fail: .fail(fields[1], fields[2], remedy: fields[3])
            }
        }
    }
}
