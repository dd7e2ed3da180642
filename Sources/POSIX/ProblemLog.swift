// SPDX-License-Identifier: Apache-2.0

/// Logs a problem when it occurs, and not again until it has been solved.
package struct ProblemLog {
    private let log: Log
    private let consequence: String
    private var isLogged = false

    /// `consequence` is the end of each message.
    package init(_ log: Log, consequence: String) {
        self.log = log
        self.consequence = consequence
    }

    /// Reports the problem, or with nil that it has been solved.
    package mutating func update(_ problem: String?) {
        if let problem, !isLogged { log.warning("\(problem); \(consequence)") }
        isLogged = problem != nil
    }

    /// Makes an attempt; returns whether that succeeds.
    @discardableResult
    package mutating func attempt(_ body: () throws(SystemError) -> Void) -> Bool {
        do throws(SystemError) {
            try body()
            update(nil)
            return true
        } catch {
            update("\(error)")
            return false
        }
    }
}
