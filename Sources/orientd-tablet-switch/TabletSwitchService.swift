// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import POSIX

/// The program's entry; see `orientd`'s.
@_cdecl("orientd_tablet_switch_main")
func main(_ count: Int32, _ vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32 {
    let arguments = (0..<Int(count)).compactMap { vector[$0].map { String(cString: $0) } }
    return OptionParser([.init("help", "h", help: "print this help")]).run(
        "orientd-tablet-switch",
        purpose: "Provide the virtual tablet switch of orientd, whose service starts this program.",
        manuals: "orientd-tablet-switch(8)",
        arguments,
        set: { _, _ in .stored },
        body: run
    )
}

/// Serves the connection that systemd has passed; returns the exit status.
private func run() -> Int32 {
    let log = Log("orientd-tablet-switch", isVerbose: false)
    do throws(SystemError) {
        guard let listener = passedDescriptor(named: "connection") else {
            throw SystemError(
                "find",
                "a socket that systemd has passed",
                errno: .notFound,
                reason: "only orientd starts this program, by orientd-tablet-switch.socket"
            )
        }
        try TabletSwitchService(listener: listener, log: log).run()
        return 0
    } catch {
        log.error("\(error)")
        return 1
    }
}

/// Serves one connection of orientd, whose bytes are the state of the switch, which exists as long as this runs.
private struct TabletSwitchService {
    /// Milliseconds until a start without a connection ends, as after a crash when orientd is gone too.
    private static let connectionTimeout: Int32 = 10_000

    /// How many states of a second are set; a machine is not folded that often.
    private static let mostInSecond = 100

    let listener: FileDescriptor
    let log: Log

    /// Returns at the end of the connection, on a signal to end, or if nobody connects; the switch is off then.
    func run() throws(SystemError) {
        blockTermination()
        let passed = passedDescriptor(named: "device").map { VirtualSwitch($0) }
        // A run that crashed has left its switch. If that is on, libinput wakes the keyboard only on its way to off.
        let exists = try passed?.turnOffLeftover() ?? false
        // First: systemd starts a program that leaves its connection waiting again and again.
        guard let connection = try accept() else { return }
        let device = if let passed { passed } else { try VirtualSwitch.open() }
        if !exists { try device.create() }
        // The descriptor could become a keyboard's, which types as anybody.
        try checkSystem("give up ioctl(2)", "", orientd_deny_ioctl())
        do throws(SystemError) {
            try serve(connection, device)
        } catch {
            try device.turnOff()
            throw error
        }
        try device.turnOff()
    }

    /// Waits for a connection of the socket's owner or root; nil if there is none.
    private func accept() throws(SystemError) -> FileDescriptor? {
        var owner: uid_t = 0
        try checkSystem("find the owner of", "the socket", orientd_socket_owner(listener.rawValue, &owner))
        while waitUntilReadable(listener, milliseconds: Self.connectionTimeout) {
            let accepted = CLinux.accept(listener.rawValue, nil, nil)
            let connection = FileDescriptor(owning: try checkSystem("accept", "a connection", accepted))
            let user = peerUser(of: connection.rawValue)
            if user == 0 || user == owner { return connection }
            let name = user.map { "user \($0)" } ?? "an unknown user"
            log.warning("refused a connection of \(name): only user \(owner) and root may connect")
        }
        return nil
    }

    /// Sets the switch to each byte and confirms it with the same byte, until the connection ends.
    private func serve(_ connection: FileDescriptor, _ device: VirtualSwitch) throws(SystemError) {
        var (second, states) = (-Double.infinity, 0)
        while waitUntilReadable(connection, milliseconds: -1) {
            if MonotonicClock.now - second >= 1 {
                second = MonotonicClock.now
                states = 0
            }
            states += 1
            guard states <= Self.mostInSecond else {
                let limit = "it sent more than \(Self.mostInSecond) states in a second"
                throw SystemError("serve", "orientd", errno: .invalid, reason: limit)
            }
            var byte: UInt8 = 0
            let count = retryingInterrupted { CLinux.read(connection.rawValue, &byte, 1) }
            // A failed connection has ended, too: orientd may have closed it before it read all.
            guard count > 0 else { return }
            guard byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") else {
                let states = "the states are the digits 0 and 1"
                throw SystemError("use the byte", "\(byte)", errno: .invalid, reason: states)
            }
            try device.set(isTablet: byte == UInt8(ascii: "1"))
            // If the connection has ended, the next read says so.
            _ = send(connection.rawValue, &byte, 1, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
    }
}

/// Keeps SIGTERM and SIGINT pending until ``waitUntilReadable(_:milliseconds:)``: neither leaves the switch on.
private func blockTermination() {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGTERM, SIGINT] { sigaddset(&signals, signal) }
    sigprocmask(SIG_BLOCK, &signals, nil)
    for signal in [SIGTERM, SIGINT] { orientd_catch_signal(signal) }
}

/// Returns false if a signal arrives first, or after so many milliseconds; -1 waits without limit.
private func waitUntilReadable(_ descriptor: FileDescriptor, milliseconds: Int32) -> Bool {
    // ppoll(2) does not deliver a signal while there is something to read.
    var pending = sigset_t()
    sigpending(&pending)
    if [SIGTERM, SIGINT].contains(where: { sigismember(&pending, $0) == 1 }) { return false }
    var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    var timeout = timespec(tv_sec: Int(milliseconds / 1000), tv_nsec: 0)
    var none = sigset_t()
    sigemptyset(&none)
    return withUnsafePointer(to: &timeout) { ppoll(&request, 1, milliseconds < 0 ? nil : $0, &none) } > 0
}
