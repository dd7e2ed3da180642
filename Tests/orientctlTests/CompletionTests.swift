// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import orientctl

@Suite struct CompletionTests {
    @Test(arguments: [
        (["re"], ["requests", "record", "replay"]), (["--", "unl"], ["unlock"]),
        (["-b", "session", "unl"], ["unlock"]),
        (["-b", ""], ["system", "session"]), (["--bus=s"], ["--bus=system", "--bus=session"]),
        (["replay", "--rest", ""], ["hub", "polled"]), (["replay", "--rest=p"], ["--rest=polled"]),
        (["replay", "--p"], ["--plot="]), (["run", "--supp"], ["--supported="]),
        (["run", "--supported=normal,landscape-l"], ["--supported=normal,landscape-left"]),
        (["lock", "to"], ["toggle"]), (["lock", "current", ""], []), (["help", "cal"], ["calibrate"]),
        (["monitor", "RotationLock", "Claim"], ["Claims"]), (["nothing", ""], []), (["record", "-d", ""], []),
        (["replay", "tr"], [":files"]), (["replay", "--plot="], [":files"]), (["replay", "-p", "x"], [":files"]),
        (["run", "--supported=all", "mk"], [":command 2"]), (["run", "mkdir", "--p"], [":command 1"]),
        (["--j"], ["--json"]), (["get", "--j"], ["--json"]), (["record", "--j"], []), (["run", "--j"], []),
    ])
    func `what can follow the words before is offered`(words: [String], expected: [String]) {
        let lines = Completion.candidates(for: words)
        #expect(lines.map { $0.split(separator: "\t")[0] } == expected.map { $0[...] })
    }

    @Test func `commands and options have an explanation in one line`() {
        for words in [[""], ["record", "--"]] {
            for line in Completion.candidates(for: words) {
                #expect(line.split(separator: "\t").count == 2 && !line.contains("\n"), "\(line)")
            }
        }
    }
}
