// SPDX-License-Identifier: Apache-2.0

import POSIX

/// Writes all that a command has to say on standard output; a reader that has gone or a full disk is an error.
///
/// Call it once: standard output is closed with it.
func emit(_ lines: [String]) throws(CommandError) {
    try calling { () throws(SystemError) in
        var output = OutputFile.standardOutput()
        for line in lines { try output.write(line + "\n") }
        try output.flush()
    }
}

/// The text with control characters made visible: what a driver or a firmware calls itself must not steer a terminal.
func printable(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
        result.append(isControl ? "\u{FFFD}" : scalar)
    }
    return String(result)
}
