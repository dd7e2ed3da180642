// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import SystemdBus

/// A switch behind any backend and profile of GSettings, over the command `gsettings`, one of which runs all the time.
final class GSettingsSwitch: DesktopSwitch {
    private let lock: DesktopLock
    private let loop: EventLoop
    private let onEvent: (SwitchEvent) -> Void
    /// Nil after it has ended.
    private var monitor: Int32?
    private let output: FileDescriptor
    private var watches: [EventSource] = []
    /// The end of a write.
    private var end: EventSource?
    /// What the monitor has printed after the last line.
    private var rest: [UInt8] = []

    init(_ lock: DesktopLock, loop: EventLoop, onEvent: @escaping (SwitchEvent) -> Void) throws(SystemError) {
        (self.lock, self.loop, self.onEvent) = (lock, loop, onEvent)
        let ends = try FileDescriptor.pipe()
        let writing = FileDescriptor(owning: ends.writing)
        output = FileDescriptor(owning: ends.reading)
        let monitor = try spawn(lock.command("monitor"), output: writing.rawValue)
        self.monitor = monitor
        withExtendedLifetime(writing) {}
        watches = [
            try loop.watch(output.rawValue) { [unowned(unsafe) self] in receive() },
            try loop.onExit(of: monitor) { [unowned(unsafe) self] _ in
                self.monitor = nil
                self.onEvent(.ended("gsettings monitor has ended"))
            },
        ]
    }

    deinit {
        if let monitor { kill(monitor, SIGTERM) }
    }

    func begin() {
        do throws(SystemError) {
            let (bytes, status) = try POSIX.output(of: lock.command("get"))
            guard status == 0 else { return onEvent(.ended("gsettings get \(lock.schema) failed")) }
            // It does not tell whether the key was ever written.
            let isLocked = bytes.starts(with: "true".utf8)
            onEvent(.reads(isLocked == lock.standard ? .unset : .locked(isLocked)))
        } catch {
            onEvent(.ended("\(error)"))
        }
    }

    /// Reads lines of the form `orientation-lock: true`.
    private func receive() {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = retryingInterrupted { CLinux.read(output.rawValue, &bytes, bytes.count) }
        // The end of the process is reported.
        guard count > 0 else { return watches.removeFirst(1) }
        rest += bytes[..<count]
        while let line = UnixSocket.line(in: &rest) {
            onEvent(.reads(.locked(line.suffix(4).elementsEqual("true".utf8))))
        }
    }

    func write(_ isLocked: Bool) {
        do throws(SystemError) {
            let process = try spawn(lock.command("set", isLocked ? "true" : "false"))
            end = try loop.onExit(of: process) { [unowned(unsafe) self] status in
                onEvent(status == 0 ? .written : .refused("gsettings set exited with status \(status)"))
            }
        } catch {
            onEvent(.refused("\(error)"))
        }
    }
}

extension DesktopLock {
    fileprivate func command(_ action: String, _ values: String...) -> [String] {
        ["gsettings", action, schema, Self.key] + values
    }
}
