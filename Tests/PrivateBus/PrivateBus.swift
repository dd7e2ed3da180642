// SPDX-License-Identifier: Apache-2.0

// A release build makes this library too, and has no internals to show it.
#if DEBUG
import CLinux
import Glibc
package import POSIX

@testable package import SystemdBus

/// A message bus of a test's own: a real dbus-daemon that allows everything, and ends with this or with the thread.
package final class PrivateBus {
    package let address: String
    private var process: pid_t

    /// Starts the daemon; it listens when this returns.
    package init() throws(SystemError) {
        let ends = try FileDescriptor.pipe()
        let reading = FileDescriptor(owning: ends.reading)
        process = try Self.start(printingTo: FileDescriptor(owning: ends.writing))

        // The daemon prints its address once it listens.
        var text: [UInt8] = []
        var byte: UInt8 = 0
        while read(reading.rawValue, &byte, 1) == 1, byte != UInt8(ascii: "\n") { text.append(byte) }
        address = String(decoding: text, as: UTF8.self)
        guard !address.isEmpty else { throw SystemError("start", "a private dbus-daemon", errno: .notFound) }
    }

    deinit {
        end()
    }

    /// Kills the daemon, so that every connection to it breaks.
    package func end() {
        guard process > 0 else { return }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        process = 0
    }

    /// Connects to it, and attaches the connection to a loop if there is one.
    package func connect(_ loop: EventLoop? = nil) throws(SystemError) -> Bus {
        let bus = try Bus(.address(address))
        if let loop { try bus.attach(to: loop) }
        return bus
    }

    private static func start(printingTo writing: consuming FileDescriptor) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Another number than the pipe's own, so that it is not closed on exec.
        let output: Int32 = 100
        posix_spawn_file_actions_adddup2(&actions, writing.rawValue, output)
        // As root it complains of limits that it may not raise.
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)

        // A test that crashes must not leave its bus running.
        let arguments = [
            "setpriv", "--pdeathsig", "KILL", "--",
            "dbus-daemon", "--nofork", "--nopidfile", "--nosyslog", "--config-file=\(configuration)",
            "--print-address=\(output)",
        ]
        var strings = arguments.map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, "setpriv", &actions, nil, &strings, environ)
        try check("start", "a private dbus-daemon", -result)
        return process
    }

    private static let configuration =
        #filePath.dropLast("PrivateBus/PrivateBus.swift".count) + "Fixtures/private-bus.conf"
}

extension Bus {
    /// Says whether anybody has `name`.
    package func hasOwner(of name: String) throws(BusError) -> Bool {
        let bus = "org.freedesktop.DBus"
        return try call(bus, "/org/freedesktop/DBus", bus, "NameHasOwner") { $0.append(name) }.readBool()
    }
}
#endif
