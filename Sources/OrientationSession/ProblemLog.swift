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

    /// Reports the problem, or with nil that it has been solved.
    mutating func update(_ problem: String?) {
        if let problem, !isLogged { log.warning("\(problem); \(consequence)") }
        isLogged = problem != nil
    }

    mutating func attempt(_ body: () throws(SystemError) -> Void) {
        do throws(SystemError) {
            try body()
            update(nil)
        } catch {
            update("\(error)")
        }
    }
}
