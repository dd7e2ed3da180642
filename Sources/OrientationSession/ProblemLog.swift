// SPDX-License-Identifier: Apache-2.0

import POSIX

/// Logs a problem when it occurs, and not again until it has been solved.
struct ProblemLog {
    private let log: Log
    private let consequence: String
    private var isLogged = false

    /// `consequence` is the end of each message.
    init(_ log: Log, consequence: String) {
        (self.log, self.consequence) = (log, consequence)
    }

    mutating func report(_ problem: String) {
        if !isLogged { log.warning("\(problem); \(consequence)") }
        isLogged = true
    }

    mutating func solved() { isLogged = false }

    /// Reports the error of an attempt, or that the problem is solved.
    mutating func attempt(_ body: () throws(SystemError) -> Void) {
        do throws(SystemError) {
            try body()
            solved()
        } catch {
            report("\(error)")
        }
    }
}
