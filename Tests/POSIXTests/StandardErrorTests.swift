// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import POSIX
import Testing

@Suite struct StandardErrorTests {
    // Only the variable's presence counted: a program started from a service wrote prefixes to its terminal.
    @Test func `the journal reads standard error if JOURNAL_STREAM names its device and inode`() async {
        await #expect(processExitsWith: .success) {
            var status = stat()
            fstat(STDERR_FILENO, &status)
            unsetenv("JOURNAL_STREAM")
            #expect(!StandardError.isJournal)
            for (stream, isJournal) in [
                ("\(status.st_dev):\(status.st_ino)", true), ("\(status.st_dev):\(status.st_ino + 1)", false),
                ("\(status.st_dev + 1):\(status.st_ino)", false), ("1", false), ("", false),
            ] {
                setenv("JOURNAL_STREAM", stream, 1)
                #expect(StandardError.isJournal == isJournal, "\(stream)")
            }
        }
    }

    @Test(arguments: [
        ("plain, ä ☀", "plain, ä ☀"), ("a\nb\r\tc", "a\u{FFFD}b\u{FFFD}\u{FFFD}c"), ("\u{1B}[2J", "\u{FFFD}[2J"),
        ("\u{0}\u{7F}\u{80}\u{9F}\u{A0}", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{A0}"), ("", ""),
    ])
    func `control characters are replaced`(text: String, expected: String) {
        #expect(printable(text) == expected)
    }
}
