// SPDX-License-Identifier: Apache-2.0

import JSON
import POSIX
import SystemdBus

/// The checks of the graphical session that the environment names, made by orient-agent, which can reach its display.
enum SessionChecks {
    /// No findings without a session, such as over SSH.
    static func findings(_ system: SystemState) -> [Finding] {
        let variables = ["WAYLAND_DISPLAY", "DISPLAY"]
        guard variables.contains(where: { !(environment($0) ?? "").isEmpty }) else { return [] }
        do throws(SystemError) {
            return findings(of: try Program.output(of: ["orient-agent", "--check"]))
        } catch {
            return error.errno == .notFound
                ? [.warn("orient-agent is not installed: it rotates displays where the desktop does not")]
                : [.warn("cannot be checked: \(error)")]
        }
    }

    private static func findings(of program: (bytes: [UInt8], status: Int32)) -> [Finding] {
        guard program.status == 0 else {
            return [.warn("cannot be checked: orient-agent --check failed")]
        }
        do throws(CommandError) {
            return try findings(in: program.bytes)
        } catch {
            return [.warn("cannot be checked: \(error.message)")]
        }
    }

    /// Reads a JSON object a line, as `orientctl doctor --json` prints them.
    static func findings(in output: [UInt8]) throws(CommandError) -> [Finding] {
        try output.split(separator: UInt8(ascii: "\n")).map { line throws(CommandError) in
            guard let json = try? JSONValue(Array(line)), let finding = Finding(json) else {
                throw CommandError("orient-agent --check printed '\(String(decoding: line, as: UTF8.self))'")
            }
            return finding
        }
    }
}
