// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import SystemdBus

/// Other programs, run to their end.
enum Program {
    /// Runs a command line; its output goes to standard error, and a status other than 0 is an error.
    static func run(_ arguments: [String]) throws {
        let status = try status(of: arguments)
        guard status == 0 else {
            throw CommandError("\(arguments.joined(separator: " ")): exited with status \(status)")
        }
    }

    /// Runs a command line and returns its exit status, as shells count it.
    ///
    /// A termination signal to this process ends the program.
    static func status(of arguments: [String]) throws -> Int32 {
        let process = try start(arguments)
        let loop = try EventLoop()
        let descriptor = try FileDescriptor.process(process)
        let watches = (
            try loop.watch(descriptor.rawValue) { loop.exit() },
            try loop.onTermination { kill(process, SIGTERM) }
        )
        _ = try loop.run()
        withExtendedLifetime((descriptor, watches)) {}
        var status: Int32 = 0
        try checkSystem("wait for", arguments[0], waitpid(process, &status, 0))
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }

    private static func start(_ arguments: [String]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Standard output is for the command's own result.
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)

        // The event loop blocks termination signals, and children inherit that.
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
}
