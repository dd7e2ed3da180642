// SPDX-License-Identifier: Apache-2.0

import CLinux

/// Messages to the user or to the journal.
package enum StandardError {
    /// Whether it is the journal's stream, which JOURNAL_STREAM names by device and inode: systemd.exec(5).
    package static var isJournal: Bool {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }

    /// Writes a line in one call, so that lines of several programs do not mix.
    package static func print(_ line: String) { write(line + "\n") }

    package static func write(_ text: String) {
        var text = text
        // A failure cannot be reported anywhere else.
        text.withUTF8 { _ = CLinux.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

/// Replaces control characters in untrusted text, which could control a terminal or forge a log line.
package func printable(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
        result.append(isControl ? "\u{FFFD}" : scalar)
    }
    return String(result)
}

/// The beginning of a text that is longer than so many bytes, with an ellipsis.
package func shortened(_ text: String, to count: Int) -> String {
    guard text.utf8.count > count else { return text }
    return String(decoding: text.utf8.prefix(count), as: UTF8.self) + "…"
}
