// SPDX-License-Identifier: Apache-2.0

/// The messages of a service: lines on standard error, with sd-daemon(3)'s level prefixes where the journal reads them.
package struct Log: Sendable {
    private let program: String
    private let isVerbose: Bool
    private let hasPrefixes: Bool

    /// `program` is the name that lines begin with where the journal does not read them.
    package init(_ program: String, isVerbose: Bool) {
        self.program = program
        self.isVerbose = isVerbose
        hasPrefixes = StandardError.isJournal
    }

    package func error(_ message: String) { write(level: 3, message) }
    package func warning(_ message: String) { write(level: 4, "warning: " + message) }
    package func info(_ message: String) { write(level: 6, message) }

    /// Written only with `-v`.
    package func debug(_ message: String) { if isVerbose { write(level: 7, message) } }

    private func write(level: Int, _ message: String) {
        StandardError.print((hasPrefixes ? "<\(level)>" : program + ": ") + printable(message))
    }
}
