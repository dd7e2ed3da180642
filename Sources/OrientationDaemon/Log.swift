// SPDX-License-Identifier: Apache-2.0

import POSIX

/// The daemon's messages: lines on standard error, with sd-daemon(3)'s level prefixes where the journal reads them.
package struct Log: Sendable {
    private let isVerbose: Bool
    private let hasPrefixes: Bool

    package init(isVerbose: Bool) {
        self.isVerbose = isVerbose
        hasPrefixes = StandardError.isJournal
    }

    package func error(_ message: String) { write(level: 3, message) }
    package func warning(_ message: String) { write(level: 4, "warning: " + message) }
    package func info(_ message: String) { write(level: 6, message) }

    /// Written only with `-v`.
    package func debug(_ message: String) { if isVerbose { write(level: 7, message) } }

    private func write(level: Int, _ message: String) {
        StandardError.print((hasPrefixes ? "<\(level)>" : "orientd: ") + printable(message))
    }
}
