// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing

@testable import orientctl

/// What `orient-agent --check` tells about a session.
@Suite struct DoctorSessionTests {
    @Test func `each line is a finding, as doctor --json prints it`() throws {
        let findings: [Finding] = [
            .ok("panel", "eDP-1, transform normal"),
            .warn("rival", "rot8 (process 7) rotates", remedy: "pkill -x rot8"),
        ]
        let output = findings.map { $0.json.line + "\n" }.joined()
        #expect(try SessionChecks.findings(in: Array(output.utf8)) == findings)
    }

    @Test(arguments: [
        "{}\n", "ok\n", "[\"ok\", \"panel\"]\n", "Segmentation fault\n",
        "{\"check\":\"panel\",\"result\":\"good\",\"text\":\"\",\"remedy\":\"\"}\n",
    ])
    func `other output is an error`(output: String) {
        #expect(throws: CommandError.self) { try SessionChecks.findings(in: Array(output.utf8)) }
    }
}
