// SPDX-License-Identifier: Apache-2.0

import CLinux
import JSON
import POSIX
import SystemdBus

/// The checks of the graphical session that the environment names, made by orient-agent, which can reach its display.
enum SessionChecks {
    /// In seconds; orient-agent gives up earlier.
    private static let timeout = 10.0

    /// False without a session, such as over SSH.
    static var isGraphical: Bool { environment("WAYLAND_DISPLAY") != nil || environment("DISPLAY") != nil }

    /// Whether root runs this for a user, whose session root does not reach.
    private static var isForUser: Bool {
        geteuid() == 0 && ["SUDO_UID", "PKEXEC_UID", "DOAS_USER"].contains { environment($0) != nil }
    }

    static func findings(_ system: SystemState) -> [Finding] {
        guard isGraphical, !isForUser else {
            let others = (try? Bus(.session)) == nil ? ", nor are desktop and rotator" : ""
            return [.ok("not checked\(others): that takes a terminal of the graphical session, without sudo")]
        }
        do throws(SystemError) {
            let (lines, problem) = try Program.output(of: ["orient-agent", "--check"], timeout: timeout)
            return problem.map { [.warn("cannot be checked: orient-agent --check \($0)")] } ?? findings(in: lines)
        } catch {
            guard error.errno == .notFound else { return [.warn("cannot be checked: \(error)")] }
            let text = "orient-agent is not installed"
            return switch Desktop.present {
            case nil: [.warn("\(text): it rotates displays where the desktop does not", remedy: .agent)]
            case .kde: []
            case .gnome, .phosh, .cinnamon: [.ok("\(text): the desktop's switch and orientd's lock may differ")]
            }
        }
    }

    /// Reads a JSON object a line, as `orientctl doctor --json` prints them; anything else is a finding of its own.
    static func findings(in lines: [[UInt8]]) -> [Finding] {
        var findings: [Finding] = []
        for line in lines {
            guard let json = try? JSONValue(line), let finding = Finding(json) else {
                let text = String(decoding: line, as: UTF8.self)
                return [.warn("cannot be checked: orient-agent --check printed '\(text)'")]
            }
            findings.append(finding)
        }
        return findings
    }
}
