// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import SystemdBus

/// A program of the system, run to its end.
enum Program {
    /// Runs a command line; what it prints goes to standard error, and a status other than 0 is an error.
    static func run(_ arguments: [String]) throws(CommandError) {
        let status = try status(of: arguments)
        guard status == 0 else {
            throw CommandError("\(arguments.joined(separator: " ")): ended with status \(status)")
        }
    }

    /// Runs a command line and returns its exit status, as shells have it.
    static func status(of arguments: [String]) throws(CommandError) -> Int32 {
        try calling { () throws(SystemError) in try wait(for: try start(arguments)) }
    }

    private static func start(_ arguments: [String]) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Standard output is for the command's own answer.
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)

        // Loops block the signals that end a process, and what is blocked stays so in those it starts.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        var vector = arguments.map { strdup($0) }
        vector.append(nil)
        defer { for argument in vector { free(argument) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, arguments[0], &actions, &attributes, vector, orientd_environment())
        guard result == 0 else { throw SystemError("run", arguments[0], errno: Errno(result)) }
        return process
    }

    /// Waits for the end and returns the exit status, as shells have it; ends the process where this one is to end.
    private static func wait(for process: pid_t) throws(SystemError) -> Int32 {
        let loop = try EventLoop()
        let descriptor = try FileDescriptor.process(process)
        let watches = (
            try loop.watch(descriptor.rawValue) { loop.exit() },
            try loop.onTermination { kill(process, SIGTERM) }
        )
        _ = try loop.run()
        withExtendedLifetime((descriptor, watches)) {}
        var status: Int32 = 0
        try checkSystem("wait for", "a process", waitpid(process, &status, 0))
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}
