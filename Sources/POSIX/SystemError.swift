// SPDX-License-Identifier: Apache-2.0

/// A failed call of the system, libsystemd or libiio: what was tried, on what, and why it failed.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was being done, as words that follow "cannot": `open`, `own the name`.
    package let operation: String
    /// The path, name or address it was done to; empty where there is none.
    package let subject: String
    package let errno: Errno
    /// Whether `hint` says why it failed, in place of the text of an `errno` that does not tell.
    private var isExplained = false
    /// What the user can do, as words that follow a semicolon; empty where only the reason can tell.
    package var hint: String

    package init(_ operation: String, _ subject: String = "", errno: Errno, hint: String = "") {
        self.operation = operation
        self.subject = subject
        self.errno = errno
        self.hint = hint
    }

    /// Says why it failed in place of the text of `errno`.
    package init(_ operation: String, _ subject: String = "", errno: Errno, reason: String) {
        self.init(operation, subject, errno: errno, hint: reason)
        isExplained = true
    }

    /// The description without the hint.
    package var problem: String {
        "cannot \(operation)\(subject.isEmpty ? "" : " " + subject): \(isExplained ? hint : "\(errno)")"
    }

    package var description: String { problem + (hint.isEmpty || isExplained ? "" : "; \(hint)") }
}

extension Result {
    /// The error; nil for a success.
    package var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

/// Checks the convention of libsystemd and libiio: a negative errno is a failure, anything else the result.
@discardableResult
package func check<Count: SignedInteger>(
    _ operation: String,
    _ subject: @autoclosure () -> String,
    _ result: Count
) throws(SystemError) -> Count {
    guard result >= 0 else {
        throw SystemError(operation, subject(), errno: Errno(Int32(truncatingIfNeeded: result)))
    }
    return result
}

@discardableResult
package func check(_ operation: String, _ result: Int32) throws(SystemError) -> Int32 {
    try check(operation, "", result)
}

/// Checks the system's convention of counts and descriptors: -1 is a failure, with the reason in `errno`.
@discardableResult
package func checkSystem<Count: SignedInteger>(
    _ operation: String,
    _ subject: String,
    _ result: Count
) throws(SystemError) -> Count {
    guard result != -1 else { throw SystemError(operation, subject, errno: Errno.current) }
    return result
}
