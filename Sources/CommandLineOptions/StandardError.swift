// SPDX-License-Identifier: Apache-2.0

import CLinux

/// The stream for messages to the person at the keyboard.
package enum StandardError {
    /// Writes one line with one call, so that lines of several programs never mix.
    package static func print(_ line: String) {
        var line = line + "\n"
        // Nothing is left to complain on when this fails.
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
