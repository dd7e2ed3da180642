// SPDX-License-Identifier: Apache-2.0

import CLinux

/// Starts a program that is searched for in PATH, with no signal blocked and SIGPIPE not ignored.
///
/// `output` becomes its standard output, and `variables` are added to its environment; a `isGroupLeader` has a process
/// group of its own. Returns the id of the process, a child of this one.
package func spawn(
    _ arguments: [String],
    output: Int32 = STDOUT_FILENO,
    adding variables: [(name: String, value: String)] = [],
    isGroupLeader: Bool = false
) throws(SystemError) -> Int32 {
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
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    if isGroupLeader { flags |= POSIX_SPAWN_SETPGROUP }
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var process: pid_t = 0
    let result = withCStrings(arguments) { arguments in
        withCStrings(environment(adding: variables)) {
            posix_spawnp(&process, program, &actions, &attributes, arguments, $0)
        }
    }
    guard result == 0 else { throw SystemError("run", program, errno: Errno(result)) }
    return process
}

/// The environment of this process with other values of some variables.
private func environment(adding variables: [(name: String, value: String)]) -> [String] {
    var entries: [String] = []
    var next = orientd_environment()
    while let entry = next?.pointee {
        let text = String(cString: entry)
        if !variables.contains(where: { text.begins(with: $0.name + "=") }) { entries.append(text) }
        next = next?.advanced(by: 1)
    }
    return entries + variables.map { $0.name + "=" + $0.value }
}

/// Returns a variable of the environment; nil if it is not set or empty.
package func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}

/// The user's folder for configuration files; nil if the environment names none.
package var userConfigurationFolder: String? {
    environment("XDG_CONFIG_HOME") ?? environment("HOME").map { $0 + "/.config" }
}

/// The first folder of a list that colons separate, as in the service manager's variables: systemd.exec(5).
package func firstFolder(in folders: String) -> String? {
    folders.utf8.split(separator: UInt8(ascii: ":")).first.map { String(Substring($0)) }
}

package var runningProcesses: [Int32] { ((try? FileDescriptor.names(in: "/proc")) ?? []).compactMap { Int32($0) } }

/// Returns the name of a process's program, of 15 bytes at most; nil if there is no such process.
package func commandName(of process: Int32) -> String? {
    firstLine(of: "/proc/\(process)/comm")
}

/// Returns the first line of a small file; nil if it cannot be read.
package func firstLine(of path: String) -> String? {
    let bytes = try? FileDescriptor.contents(of: path, limit: 4096)
    return bytes.map { String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) }
}

/// Returns the process that has started a process, or has adopted it; nil if there is none.
package func parent(of process: Int32) -> Int32? {
    let bytes = (try? FileDescriptor.contents(of: "/proc/\(process)/stat", limit: 4096)) ?? []
    // The program's name before it may contain blanks and parentheses.
    let fields = bytes.split(separator: UInt8(ascii: ")")).last?.split(separator: UInt8(ascii: " ")) ?? []
    return fields.count > 1 ? Int32(String(decoding: fields[1], as: UTF8.self)) : nil
}

/// Returns the process that listens at a Unix stream socket, 0 if it is unknown; nil if none answers.
package func listener(at path: String) -> Int32? {
    let descriptor = orientd_connect_without_waiting(path)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return peerProcess(of: descriptor) ?? 0
}

/// Returns the process at the other end of a Unix socket; nil if the system does not tell.
package func peerProcess(of socket: Int32) -> Int32? {
    peerCredentials(of: socket).flatMap { $0.pid > 0 ? $0.pid : nil }
}

/// Returns the user at the other end of a Unix socket; nil if the system does not tell.
package func peerUser(of socket: Int32) -> UInt32? { peerCredentials(of: socket)?.uid }

private func peerCredentials(of socket: Int32) -> orientd_ucred? {
    var credentials = orientd_ucred()
    var size = socklen_t(MemoryLayout<orientd_ucred>.size)
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 ? credentials : nil
}

/// The descriptor that the service manager has passed under a name; nil if there is none: sd_listen_fds(3).
package func passedDescriptor(named name: String) -> FileDescriptor? {
    guard environment("LISTEN_PID") == "\(getpid())", let names = environment("LISTEN_FDNAMES") else { return nil }
    let index = names.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        .firstIndex { $0.elementsEqual(name.utf8) }
    return index.map { FileDescriptor(owning: 3 + Int32($0)) }
}
