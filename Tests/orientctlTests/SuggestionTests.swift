// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import orientctl

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
}
