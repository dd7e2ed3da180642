// SPDX-License-Identifier: Apache-2.0

import CLinux

/// An error number of the system, always positive.
package struct Errno: Hashable, Sendable, CustomStringConvertible {
    package let code: Int32

    /// Takes an error number of either sign, as libsystemd and libiio return negative ones.
    package init(_ code: Int32) {
        self.code = abs(code)
    }

    /// The calling thread's `errno`; read it before any clean-up.
    package static var current: Errno { Errno(orientd_errno()) }

    package static let again = Errno(EAGAIN)
    package static let brokenPipe = Errno(EPIPE)
    package static let busy = Errno(EBUSY)
    package static let denied = Errno(EACCES)
    package static let exists = Errno(EEXIST)
    package static let interrupted = Errno(EINTR)
    package static let invalid = Errno(EINVAL)
    package static let notExecutable = Errno(ENOEXEC)
    package static let notFound = Errno(ENOENT)
    package static let noData = Errno(ENODATA)
    package static let noDevice = Errno(ENODEV)
    package static let notPermitted = Errno(EPERM)
    package static let notSupported = Errno(ENOSYS)
    package static let tooBig = Errno(EFBIG)

    package var description: String { String(cString: strerror(code)) }
}
