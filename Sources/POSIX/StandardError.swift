// SPDX-License-Identifier: Apache-2.0

import CLinux

/// The stream for messages to the person at the keyboard, or to the journal.
package enum StandardError {
    /// Whether the journal reads it: whether JOURNAL_STREAM names its device and inode, as systemd.exec(5) describes.
    package static var isJournal: Bool {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }

    /// Writes one line with one call, so that lines of several programs never mix.
    package static func print(_ line: String) {
        write(line + "\n")
    }

    /// Writes a text as it is, with one call.
    package static func write(_ text: String) {
        var text = text
        // A failure cannot be reported anywhere else.
        text.withUTF8 { _ = CLinux.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

/// Replaces the control characters of a text from outside, which could steer a terminal or forge a line of a log.
package func printable(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
        result.append(isControl ? "\u{FFFD}" : scalar)
    }
    return String(result)
}
