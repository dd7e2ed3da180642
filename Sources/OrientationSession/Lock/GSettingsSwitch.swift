// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import SystemdBus

/// A switch behind any backend and profile of GSettings, over the command `gsettings`, one of which runs all the time.
final class GSettingsSwitch: DesktopSwitch {
    private let lock: DesktopLock
    private let loop: EventLoop
    private let report: SwitchReport
    /// The process that prints changes, its output, and what it has printed after the last line.
    private var monitor: Int32?
    private let output: FileDescriptor
    private var rest: [UInt8] = []
    /// Those of the monitor and of the last write.
    private var sources: [EventSource] = [], end: EventSource?

    init(_ lock: DesktopLock, loop: EventLoop, report: @escaping SwitchReport) throws(SystemError) {
        (self.lock, self.loop, self.report) = (lock, loop, report)
        let ends = try FileDescriptor.pipe()
        let writing = FileDescriptor(owning: ends.writing)
        output = FileDescriptor(owning: ends.reading)
        let process = try spawn(command("monitor"), output: writing.rawValue)
        withExtendedLifetime(writing) {}
        monitor = process
        sources = [
            try loop.watch(output.rawValue) { [unowned(unsafe) self] in receive() },
            try loop.onExit(of: process) { [unowned(unsafe) self] _ in
                monitor = nil
                self.report(.reads(.desktop, .unknown), "gsettings monitor has ended")
                // Started anew, the agent knows again whether the key was ever written.
                loop.exit(1)
            },
        ]
    }

    deinit { if let monitor { kill(monitor, SIGTERM) } }

    private func command(_ action: String, _ values: String...) -> [String] {
        ["gsettings", action, lock.schema, DesktopLock.key] + values
    }

    /// The same for a command that ends: one that hangs would hold up the agent, or the next write, for ever.
    private func limited(_ command: [String]) -> [String] { ["timeout", "5"] + command }

    func begin() {
        guard let (bytes, status) = try? POSIX.output(of: limited(command("get"))), status == 0 else {
            return report(nil, "gsettings get \(lock.schema) failed")
        }
        // It does not tell whether the key was ever written.
        let isLocked = bytes.starts(with: "true".utf8)
        report(.reads(.desktop, isLocked == lock.standard ? .unset : .locked(isLocked)), nil)
    }

    /// Reads lines of the form `orientation-lock: true`.
    private func receive() {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = retryingInterrupted { CLinux.read(output.rawValue, &bytes, bytes.count) }
        // The end of the process is reported.
        guard count > 0 else { return sources.removeFirst(1) }
        rest += bytes[..<count]
        while let line = UnixSocket.line(in: &rest) {
            report(.reads(.desktop, .locked(line.suffix(4).elementsEqual("true".utf8))), nil)
        }
    }

    func write(_ isLocked: Bool) {
        do throws(SystemError) {
            let process = try spawn(limited(command("set", isLocked ? "true" : "false")))
            end = try loop.onExit(of: process) { [unowned(unsafe) self] status in
                report(status == 0 ? .written : .refused, status == 0 ? nil : "gsettings set exited with \(status)")
            }
        } catch {
            report(.refused, "\(error)")
        }
    }
}
