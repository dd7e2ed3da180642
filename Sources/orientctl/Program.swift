// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import SystemdBus

/// Other programs, run to their end.
enum Program {
    /// Whether a folder of PATH has a program of that name.
    static func exists(_ name: String) -> Bool {
        (environment("PATH") ?? "").utf8.split(separator: UInt8(ascii: ":")).contains {
            access("\(Substring($0))/\(name)", X_OK) == 0
        }
    }

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
        var status: Int32 = 0
        // Standard output is for the command's own result.
        let child = try ChildProcess(arguments, standardOutput: STDERR_FILENO, isGroupLeader: false, loop: loop) {
            status = $0.status
            loop.exit()
        }
        let watch = try loop.onTermination { child.stop("was interrupted") }
        _ = try loop.run(keeping: watch)
        return status
    }

    /// Runs a command line for at most `timeout` seconds; returns the lines of its output, or why it failed.
    static func output(
        of arguments: [String],
        timeout: Double
    ) throws(SystemError) -> (lines: [[UInt8]], problem: String?) {
        let loop = try EventLoop()
        var lines: [[UInt8]] = []
        var problem: String?
        _ = try ChildProcess(arguments, timeout: timeout, loop: loop, onLine: { lines.append($0) }) { end in
            problem = end.reason ?? (end.status == 0 ? nil : "exited with status \(end.status)")
            loop.exit()
        }
        _ = try loop.run()
        return (lines, problem)
    }
}
