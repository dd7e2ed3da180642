// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// The checks of the graphical session that the environment names, made by orient-agent, which can reach its display.
struct SessionChecks {
    /// No findings without a session, such as over SSH.
    var findings: [Finding] {
        let variables = ["WAYLAND_DISPLAY", "DISPLAY"]
        guard variables.contains(where: { !(environment($0) ?? "").isEmpty }) else { return [] }
        do {
            return try Self.findings(in: try Program.output(of: ["orient-agent", "--check"]))
        } catch let error as SystemError where error.errno == .notFound {
            return [.warn("session", "orient-agent is not installed: it rotates displays where the desktop does not")]
        } catch {
            return [.warn("session", "cannot be checked: \(CommandError(error).message)")]
        }
    }

    /// Reads lines of a verdict, a subject, a text and a remedy, separated by tabs.
    static func findings(in output: [UInt8]) throws -> [Finding] {
        try output.split(separator: UInt8(ascii: "\n")).map { line in
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
