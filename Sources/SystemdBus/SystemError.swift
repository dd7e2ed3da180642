// SPDX-License-Identifier: Apache-2.0

/// A failed call of libsystemd or of the system: what was tried, on what, and why it failed.
package struct SystemError: Error, Hashable, Sendable {
    /// What was being done, as words that follow "cannot": `open`, `own the name`.
    package let operation: String

    /// The path, name or address it was done to; empty where there is none.
    package let subject: String
    package let errno: Errno

    package init(_ operation: String, _ subject: String = "", errno: Errno) {
        self.operation = operation
        self.subject = subject
        self.errno = errno
    }
}

extension SystemError: CustomStringConvertible {
    package var description: String {
        "cannot \(operation)\(subject.isEmpty ? "" : " " + subject): \(errno)"
    }
}

/// Checks libsystemd's convention: a negative errno is a failure, anything else the result.
@discardableResult
package func check(_ operation: String, _ subject: String, _ result: Int32) throws(SystemError) -> Int32 {
    guard result >= 0 else { throw SystemError(operation, subject, errno: Errno(result)) }
    return result
}

@discardableResult
package func check(_ operation: String, _ result: Int32) throws(SystemError) -> Int32 {
    try check(operation, "", result)
}

/// Checks the system's convention: -1 is a failure, with the reason in `errno`.
@discardableResult
package func checkSystem(_ operation: String, _ subject: String, _ result: Int) throws(SystemError) -> Int {
    guard result != -1 else { throw SystemError(operation, subject, errno: Errno.current) }
    return result
}

@discardableResult
package func checkSystem(_ operation: String, _ subject: String, _ result: Int32) throws(SystemError) -> Int32 {
    guard result != -1 else { throw SystemError(operation, subject, errno: Errno.current) }
    return result
}
