// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// Gets what a switch reports: what it reads or the end of a write, why that failed, or both.
typealias SwitchReport = (_ event: LockSync.Event?, _ problem: String?) -> Void

/// The rotation switch of the desktop, over the command `gsettings`, one of which runs all the time.
///
/// When that one ends, or another one cannot read the key, both are started again with exponential back-off. `dconf`
/// tells whether the key was ever written, which `gsettings` does not.
final class GSettingsSwitch {
    /// Seconds until the next start: from the first, doubled each time, to the last.
    private static let backoff = (first: 1.0, last: 3600.0)
    /// Seconds that a monitor must run to count as one that works.
    private static let trial = 60.0
    /// Seconds for a command to end: it may take several while a session starts on a slow machine.
    private static let timeout = 10.0
    /// Seconds for the monitor to print what was written.
    private static let echoTime = 5.0
    /// Seconds for the monitor to begin, at least: the key is read again then, as it may have changed meanwhile.
    ///
    /// It may take many while a session starts on a slow machine: twice the time that the first reading took.
    private static let monitorStart = 2.0

    private let lock: DesktopLock
    private let loop: EventLoop
    private let report: SwitchReport
    private var restart, reread: Timer?
    private var delay = GSettingsSwitch.backoff.first
    /// When the monitor was started, and why the one before it had ended.
    private var started = 0.0, lastProblem: String?
    /// Nil once the monitor counts as one that works.
    private var problem: String? { loop.now - started < Self.trial ? lastProblem : nil }

    /// Prints each change; nil until the next start.
    private var monitor: ChildProcess?
    private var reading, writing: ChildProcess?
    /// For the monitor to print what was written, and what it has not printed yet.
    private var echo: Timer?
    private var expected: Bool?

    init(_ lock: DesktopLock, loop: EventLoop, report: @escaping SwitchReport) throws(SystemError) {
        self.lock = lock
        self.loop = loop
        self.report = report
        restart = try loop.timer { [self] in begin() }
        reread = try loop.timer { [self] in read() }
        echo = try loop.timer { [self] in verify() }
    }

    /// Reports what it reads at first, and later its changes.
    func begin() {
        started = loop.now
        do throws(SystemError) {
            monitor = try start("monitor", onLine: { [self] in changed($0) }) {
                [self] in fail(describe("monitor", $0))
            }
            get { [self] in
                reread?.arm(after: max(Self.monitorStart, 2 * (loop.now - started)), slack: 0.5)
                take($0, ifUnclear: .unset(isLocked: lock.standard))
            }
        } catch {
            fail("\(error)")
        }
    }

    private func start(
        _ action: String,
        _ values: [String] = [],
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
        monitor = nil
        reading = nil
        echo?.disarm()
        reread?.disarm()
        if self.problem == nil {
            delay = Self.backoff.first
            // So that this problem is reported.
            report(nil, nil)
        }
        lastProblem = problem
        if writing == nil { endWrite(.refused) }
        restart?.arm(after: delay, slack: delay / 10)
        delay = min(2 * delay, Self.backoff.last)
        report(.reads(.desktop, .unknown), problem)
    }

    /// Ends the commands that run.
    func end() {
        for child in [monitor, reading, writing] { child?.abandon() }
    }

    // MARK: - Reading

    private func read() { get { [self] in take($0, ifUnclear: .unset(isLocked: lock.standard)) } }

    /// Calls `completion` with the present value; what fails is tried again later.
    private func get(_ completion: @escaping (_ isLocked: Bool) -> Void) {
        reading?.abandon()
        var text: [UInt8] = []
        do throws(SystemError) {
            reading = try start("get", timeout: Self.timeout, onLine: { text = $0 }) { [self] end in
                reading = nil
                guard end.status == 0 else { return fail(describe("get", end)) }
                completion(Self.isLocked(text))
            }
        } catch {
            fail("\(error)")
        }
    }

    /// Reports a value; asks dconf about the default, which may be what nobody has ever written.
    ///
    /// `reading` is what the default counts as with another backend, or without dconf's command.
    private func take(_ isLocked: Bool, ifUnclear reading: LockSync.Reading) {
        guard isLocked == lock.standard else { return report(.reads(.desktop, .locked(isLocked)), problem) }
        guard environment("GSETTINGS_BACKEND") ?? "dconf" == "dconf" else {
            return report(.reads(.desktop, reading), problem)
        }
        var hasValue = false
        do throws(SystemError) {
            self.reading = try ChildProcess(
                ["dconf", "read", lock.path],
                timeout: Self.timeout,
                loop: loop,
                onLine: { _ in hasValue = true },
                onEnd: { [self] end in
                    self.reading = nil
                    let found: LockSync.Reading = hasValue ? .locked(isLocked) : .unset(isLocked: isLocked)
                    report(.reads(.desktop, end.status == 0 ? found : reading), problem)
                }
            )
        } catch {
            report(.reads(.desktop, reading), problem)
        }
    }

    /// What a line of the form `orientation-lock: true`, or only its value, says.
    static func isLocked(_ line: [UInt8]) -> Bool { line.suffix(4).elementsEqual("true".utf8) }

    private func changed(_ line: [UInt8]) {
        echo?.disarm()
        if writing == nil { endWrite(.written) } else { expected = nil }
        // An older value, which is still being read, does not count any more.
        reading?.abandon()
        reading = nil
        let isLocked = Self.isLocked(line)
        take(isLocked, ifUnclear: .locked(isLocked))
    }

    // MARK: - Writing

    /// Writes it, or resets it with nil, and reports `written` or `refused`, later or at once.
    func write(_ isLocked: Bool?) {
        let action = isLocked == nil ? "reset" : "set"
        do throws(SystemError) {
            writing = try start(action, isLocked.map { [$0 ? "true" : "false"] } ?? [], timeout: Self.timeout) {
                [self] end in
                writing = nil
                guard end.status == 0 else {
                    expected = nil
                    return report(.refused, describe(action, end))
                }
                if expected != nil, monitor != nil { return echo?.arm(after: Self.echoTime) ?? () }
                expected = nil
                report(.written, nil)
            }
            expected = isLocked ?? lock.standard
        } catch {
            report(.refused, "\(error)")
        }
    }

    private func endWrite(_ event: LockSync.Event, _ problem: String? = nil) {
        guard expected != nil else { return }
        expected = nil
        report(event, problem)
    }

    /// Reads what was written: `gsettings set` succeeds also where dconf cannot write.
    private func verify() {
        get { [self] isLocked in
            guard isLocked == expected else {
                return endWrite(.refused, "gsettings set \(lock.schema) had no effect")
            }
            endWrite(.written)
            fail("gsettings monitor \(lock.schema) does not print what was written")
        }
    }
}
