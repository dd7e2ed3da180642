// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import SystemdBus

/// Other programs, run to their end.
enum Program {
    /// Runs a command line; its output goes to standard error, and a status other than 0 is an error.
    static func run(_ arguments: [String]) throws(CommandError) {
        let status = try systemCall(status(of: arguments))
        guard status == 0 else {
            throw CommandError("\(arguments.joined(separator: " ")): exited with status \(status)")
        }
    }

    /// Runs a command line and returns its exit status, as shells count it.
    ///
    /// A termination signal to this process ends the program.
    static func status(of arguments: [String]) throws(SystemError) -> Int32 {
        let loop = try EventLoop()
        // Standard output is for the command's own result.
        let process = try spawn(arguments, output: STDERR_FILENO)
        var status: Int32 = 0
        let watches = (
            try loop.onExit(of: process) {
                status = $0
                loop.exit()
            },
            try loop.onTermination { kill(process, SIGTERM) }
        )
        _ = try loop.run()
        withExtendedLifetime(watches) {}
        return status
    }
}
