// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import POSIX

@Suite struct SearchTests {
    @Test(arguments: [
        ("orientd.conf:3: [Application a]: b", ": ", "[Application a]: b"), ("a: ", ": ", ""), ("a:b", ": ", nil),
        ("", ":", nil), ("aab", "ab", ""), ("ää: ö", "ä: ", "ö"), ("abc", "", "abc"),
    ])
    func `the rest begins after the first occurrence`(text: String, separator: String, rest: String?) {
        #expect(text.suffix(after: separator).map { String($0) } == rest)
        #expect(text.includes(separator) == (rest != nil))
    }
}
