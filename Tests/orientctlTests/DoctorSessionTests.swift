// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import orientctl

/// What `orient-agent --check` tells about a session.
@Suite struct DoctorSessionTests {
    @Test func `each line is a finding`() throws {
        let output = "ok\tpanel\teDP-1, transform normal\t\nwarn\trival\trot8 (process 7) rotates\tpkill -x rot8\n"
        #expect(
            try SessionChecks.findings(in: Array(output.utf8)) == [
                .ok("panel", "eDP-1, transform normal"),
                .warn("rival", "rot8 (process 7) rotates", remedy: "pkill -x rot8"),
            ]
        )
    }

    @Test(arguments: ["ok\tpanel\n", "good\tpanel\teDP-1\t\n", "Segmentation fault\n"])
    func `other output is an error`(output: String) {
        #expect(throws: CommandError.self) { try SessionChecks.findings(in: Array(output.utf8)) }
    }
}
