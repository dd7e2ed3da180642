// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// A switch behind any backend and profile of GSettings, over the command `gsettings`, one of which runs all the time.
///
/// When that one ends, or another one cannot read the key, both are started again with exponential back-off.
final class GSettingsSwitch: DesktopSwitch {
    /// Seconds until the next start: from the first, doubled each time, to the last.
    private static let backoff = (first: 1.0, last: 3600.0)
    /// Seconds that a monitor must run to count as one that works.
    private static let trial = 60.0
    /// Seconds for a command to end, and for the monitor to print what it has changed.
    private static let timeout = 5.0

    private let lock: DesktopLock
    private let loop: EventLoop
    private let report: SwitchReport
    private var timer: Timer?
    private var delay = GSettingsSwitch.backoff.first
    /// When the monitor was started, and why the one before it had ended.
    private var started = 0.0, lastProblem: String?
    /// Nil once the monitor counts as one that works.
    private var problem: String? { loop.now - started < Self.trial ? lastProblem : nil }

    /// Prints each change; nil until the next start.
    private var monitor: ChildProcess?
    private var reading, writing: ChildProcess?
    /// For the monitor to print what was written; whether that is missing.
    private var echo: Timer?
    private var lacksEcho = false

    init(_ lock: DesktopLock, loop: EventLoop, report: @escaping SwitchReport) throws(SystemError) {
        (self.lock, self.loop, self.report) = (lock, loop, report)
        timer = try loop.timer { [unowned(unsafe) self] in begin() }
        echo = try loop.timer { [unowned(unsafe) self] in
            fail("gsettings monitor \(lock.schema) does not print what was written")
        }
    }

    deinit {
        for child in [monitor, reading, writing] { child?.abandon() }
    }

    func begin() {
        started = loop.now
        do throws(SystemError) {
            monitor = try start("monitor", onLine: { [unowned(unsafe) self] in changed($0) }) {
                [unowned(unsafe) self] in fail(describe("monitor", $0))
            }
            read()
        } catch {
            fail("\(error)")
        }
    }

    private func start(
        _ action: String,
        _ values: String...,
        timeout: Double? = nil,
        onLine: @escaping ([UInt8]) -> Void = { _ in },
        onEnd: @escaping (ChildProcess.End) -> Void
    ) throws(SystemError) -> ChildProcess {
        let command = ["gsettings", action, lock.schema, DesktopLock.key] + values
        return try ChildProcess(command, timeout: timeout, loop: loop, onLine: onLine, onEnd: onEnd)
    }

    private func describe(_ action: String, _ end: ChildProcess.End) -> String {
        "gsettings \(action) \(lock.schema) \(end.reason ?? "exited with \(end.status)")"
    }

    /// Starts again later.
    private func fail(_ problem: String) {
        monitor?.abandon()
        reading?.abandon()
        (monitor, reading) = (nil, nil)
        echo?.disarm()
        if self.problem == nil {
            delay = Self.backoff.first
            // So that this problem is reported.
            report(nil, nil)
        }
        lastProblem = problem
        timer?.arm(after: delay, slack: delay / 10)
        delay = min(2 * delay, Self.backoff.last)
        report(.reads(.desktop, .unknown), problem)
    }

    // MARK: - Reading

    private func read() {
        var text: [UInt8] = []
        do throws(SystemError) {
            reading = try start("get", timeout: Self.timeout, onLine: { text = $0 }) { [unowned(unsafe) self] end in
                reading = nil
                guard end.status == 0 else { return fail(describe("get", end)) }
                // It does not tell whether the key was ever written.
                let isLocked = Self.isLocked(text)
                report(.reads(.desktop, isLocked == lock.standard ? .unset : .locked(isLocked)), problem)
            }
        } catch {
            fail("\(error)")
        }
    }

    /// What a line of the form `orientation-lock: true`, or only its value, says.
    static func isLocked(_ line: [UInt8]) -> Bool { line.suffix(4).elementsEqual("true".utf8) }

    private func changed(_ line: [UInt8]) {
        lacksEcho = false
        echo?.disarm()
        // An older value, which is still being read, does not count any more.
        reading?.abandon()
        reading = nil
        report(.reads(.desktop, .locked(Self.isLocked(line))), problem)
    }

    // MARK: - Writing

    func write(_ isLocked: Bool) {
        lacksEcho = true
        do throws(SystemError) {
            writing = try start("set", isLocked ? "true" : "false", timeout: Self.timeout) {
                [unowned(unsafe) self] end in
                writing = nil
                let isWritten = end.status == 0
                if isWritten, lacksEcho, monitor != nil { echo?.arm(after: Self.timeout) }
                report(isWritten ? .written : .refused, isWritten ? nil : describe("set", end))
            }
        } catch {
            report(.refused, "\(error)")
        }
    }
}
