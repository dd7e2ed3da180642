// SPDX-License-Identifier: Apache-2.0

import CLinux

/// The stream for messages to the person at the keyboard.
package enum StandardError {
    /// Writes one line with one call, so that lines of several programs never mix.
    package static func print(_ line: String) {
        write(line + "\n")
    }

    /// Writes a text as it is, with one call.
    package static func write(_ text: String) {
        var text = text
        // Nothing is left to complain on when this fails.
        text.withUTF8 { _ = CLinux.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
