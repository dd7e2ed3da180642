// SPDX-License-Identifier: Apache-2.0

import CLinux

/// Starts a program that is searched for in PATH, with no signal blocked; `output` becomes its standard output.
///
/// Returns the id of the process, a child of this one.
package func spawn(_ arguments: [String], output: Int32 = STDOUT_FILENO) throws(SystemError) -> Int32 {
    guard let program = arguments.first else { throw SystemError("run", errno: .invalid) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)

    // A child inherits the signals that an event loop blocks.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    var process: pid_t = 0
    let result = withCStrings(arguments) {
        posix_spawnp(&process, program, &actions, &attributes, $0, orientd_environment())
    }
    guard result == 0 else { throw SystemError("run", program, errno: Errno(result)) }
    return process
}
