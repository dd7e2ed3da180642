// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import POSIX
import Testing

@testable import orientctl

/// Suggestions for misspelt words, and the errors of command lines.
@Suite struct SuggestionTests {
    static let words: [(String, String?)] = [
        ("staus", "status"), ("sttaus", "status"), ("statuss", "status"), ("status", "status"), ("monitr", "monitor"),
        ("sens", "sensors"), ("calib", "calibrate"), ("dance", nil), ("", nil), ("st", nil), ("re", nil),
        ("rec", "record"), ("re\u{FF}ord", "record"), ("xxxxxx", nil),
    ]

    @Test(arguments: words)
    func `a word is corrected to the only close candidate`(word: String, expected: String?) {
        let candidates = ["status", "monitor", "sensors", "calibrate", "record", "replay", "report"]
        #expect(suggestion(for: word, among: candidates) == expected)
    }

    @Test func `two equally close candidates are no suggestion`() {
        #expect(suggestion(for: "cat", among: ["bat", "hat"]) == nil)
        #expect(suggestion(for: "bat", among: ["bat", "hat"]) == "bat")
    }

    static let mistakes = [
        (["--ouput=x"], "unknown option '--ouput'; did you mean '--output'?"),
        (["--frobnicate"], "unknown option '--frobnicate'; try: test --help"),
        (["-x"], "unknown option '-x'; try: test --help"), (["-qx"], "unknown option '-x'; try: test --help"),
        (["--re"], "'--re' is ambiguous: --report or --recording; try: test --help"),
        (["--quiet=yes"], "option '--quiet' takes no value; try: test --help"),
        (["--qui=yes"], "option '--quiet' takes no value; try: test --help"),
        (["--output"], "option '--output' needs a value; try: test --help"),
        (["-é"], "unknown option '-\u{FFFD}'; try: test --help"), (["--=x"], "unknown option '--'; try: test --help"),
        (["a", "-o"], "option '-o' needs a value; try: test --help"),
    ]

    @Test(arguments: mistakes)
    func `a wrong option is explained`(arguments: [String], message: String) {
        let options: [OptionParser.Option] = [
            .init("output", "o", value: "FILE", help: ""), .init("quiet", "q", help: ""),
            .init("report", value: "FILE", help: ""), .init("recording", value: "FILE", help: ""),
        ]
        let error = #expect(throws: OptionError.self) { _ = try OptionParser(options).parseAlone(["test"] + arguments) }
        #expect(error?.message(among: options, of: "test") == message)
    }
}
