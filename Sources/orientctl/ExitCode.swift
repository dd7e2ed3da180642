// SPDX-License-Identifier: Apache-2.0

/// How a command ends.
enum ExitCode: Int32 {
    case done = 0
    case failed = 1
    case usage = 2
    case noDaemon = 3
    case refused = 4
}
