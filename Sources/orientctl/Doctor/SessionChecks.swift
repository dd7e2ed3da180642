// SPDX-License-Identifier: Apache-2.0

import JSON
import POSIX
import SystemdBus

/// The checks of the graphical session that the environment names, made by orient-agent, which can reach its display.
enum SessionChecks {
    /// No findings without a session, such as over SSH.
    static func findings(_ system: SystemState) -> [Finding] {
        guard environment("WAYLAND_DISPLAY") != nil || environment("DISPLAY") != nil else { return [] }
        do throws(SystemError) {
            let program = try output(of: ["orient-agent", "--check"])
            guard program.status == 0 else { return [.warn("cannot be checked: orient-agent --check failed")] }
            return findings(in: program.bytes)
        } catch {
            return error.errno == .notFound
                ? [.warn("orient-agent is not installed: it rotates displays where the desktop does not")]
                : [.warn("cannot be checked: \(error)")]
        }
    }

    /// Reads a JSON object a line, as `orientctl doctor --json` prints them; anything else is a finding of its own.
    static func findings(in output: [UInt8]) -> [Finding] {
        var findings: [Finding] = []
        for line in output.split(separator: UInt8(ascii: "\n")) {
            guard let json = try? JSONValue(Array(line)), let finding = Finding(json) else {
                let text = String(decoding: line, as: UTF8.self)
                return [.warn("cannot be checked: orient-agent --check printed '\(text)'")]
            }
            findings.append(finding)
        }
        return findings
    }
}
