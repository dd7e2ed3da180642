// SPDX-License-Identifier: Apache-2.0

import CLinux

/// The daemon's messages: lines on standard error, with sd-daemon(3)'s level prefixes where the journal reads them.
package struct Log: Sendable {
    private let isVerbose: Bool
    private let hasPrefixes: Bool

    package init(isVerbose: Bool) {
        self.isVerbose = isVerbose
        hasPrefixes = getenv("JOURNAL_STREAM") != nil
    }

    package func error(_ message: String) {
        write(level: 3, message)
    }

    package func warning(_ message: String) {
        write(level: 4, "warning: " + message)
    }

    package func info(_ message: String) {
        write(level: 6, message)
    }

    /// Written only with `-v`.
    package func debug(_ message: String) {
        if isVerbose { write(level: 7, message) }
    }

    /// Writes one line with one call, so that lines of several writers never mix.
    private func write(level: Int, _ message: String) {
        var line = hasPrefixes ? "<\(level)>\(message)\n" : "orientd: \(message)\n"
        line.withUTF8 { _ = CLinux.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
