// SPDX-License-Identifier: Apache-2.0

package import SystemdBus

/// A failed call to a sensor, of libiio or of the system: what was tried, on what, and why it failed.
package struct IIOError: Error, Hashable, Sendable {
    /// What was being done, as words that follow "cannot": `read`, `open the buffer of`.
    package let operation: String

    /// The file, device or URI it was done to.
    package let subject: String
    package let errno: Errno

    package init(_ operation: String, _ subject: String, errno: Errno) {
        self.operation = operation
        self.subject = subject
        self.errno = errno
    }
}

extension IIOError {
    init(_ error: SystemError) {
        self.init(error.operation, error.subject, errno: error.errno)
    }
}

extension IIOError: CustomStringConvertible {
    package var description: String { "cannot \(operation) \(subject): \(errno)" }
}

/// Checks libiio's convention of counts and descriptors: a negative errno is a failure, anything else the result.
@discardableResult
func checkIIO<Count: SignedInteger>(
    _ operation: String,
    _ subject: @autoclosure () -> String,
    _ result: Count
) throws(IIOError) -> Count {
    guard result >= 0 else {
        throw IIOError(operation, subject(), errno: Errno(Int32(truncatingIfNeeded: result)))
    }
    return result
}

/// Checks libiio's convention of handles: NULL is a failure, with the reason in `errno`.
func checkIIO(
    _ operation: String,
    _ subject: @autoclosure () -> String,
    _ result: OpaquePointer?
) throws(IIOError) -> OpaquePointer {
    guard let result else {
        let reason = Errno.current
        throw IIOError(operation, subject(), errno: reason)
    }
    return result
}
