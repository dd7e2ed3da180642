// SPDX-License-Identifier: Apache-2.0

import JSON
import SystemdBus
import Testing

@testable import orientctl

/// The findings of `orient-agent --check`.
@Suite struct DoctorSessionTests {
    private func lines(_ output: String) -> [[UInt8]] {
        output.utf8.split(separator: UInt8(ascii: "\n")).map { Array($0) }
    }

    @Test func `each line is a finding, as doctor --json prints it`() {
        var findings: [Finding] = [
            .ok("eDP-1, transform normal"), .warn("rot8 (process 7) rotates", remedy: .change("pkill -x rot8")),
        ]
        for (index, subject) in ["panel", "rival"].enumerated() { findings[index].subject = subject }
        let output = findings.map { $0.json(on: .system).line + "\n" }.joined()
        #expect(SessionChecks.findings(in: lines(output)) == findings)
    }

    @Test(arguments: [
        "{}\n", "ok\n", "[\"ok\", \"panel\"]\n", "Segmentation fault\n",
        "{\"check\":\"panel\",\"result\":\"good\",\"text\":\"\",\"remedy\":\"\"}\n",
    ])
    func `other output is a warning`(output: String) {
        let line = output.dropLast()
        let expected = Finding.warn("cannot be checked: orient-agent --check printed '\(line)'")
        #expect(SessionChecks.findings(in: lines(output)) == [expected])
    }
}
