// SPDX-License-Identifier: Apache-2.0

/// How a command ends.
enum ExitCode: Int32 {
    case done = 0
    case failed = 1
    case usage = 2
    case noDaemon = 3
    case refused = 4
    /// There is a command to run, but the system cannot execute it: as shells say it.
    case notExecutable = 126
    case notFound = 127
}
