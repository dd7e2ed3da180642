// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// An event that hooks run on; the raw value is their argument.
enum HookEvent: String, CaseIterable {
    case rotateBefore = "rotate-before"
    case rotateAfter = "rotate-after"
    case tabletMode = "tablet-mode"
    case lock, outputs
}

/// Runs the executables of the hook folders each time an event happens.
///
/// All hooks run at the same time. If the event happens again meanwhile, they run once more, for the newest state.
final class HookRunner {
    private let event: HookEvent
    private let timeout: Double
    private let loop: EventLoop
    private let log: Log
    private var timer: Timer?

    /// What waits for the end of the current run; nil while none is under way.
    private var waiting: [() -> Void]?
    /// The run that begins when the current one has ended; nil for none.
    private var next: (environment: [(name: String, value: String)], completions: [() -> Void])?
    /// The hooks that run, by path.
    private var hooks: [String: ChildProcess] = [:]

    /// Runs each executable for at most `timeout` seconds.
    init(_ event: HookEvent, timeout: Double, loop: EventLoop, log: Log) throws(SystemError) {
        self.event = event
        self.timeout = timeout
        self.loop = loop
        self.log = log
        timer = try loop.timer { [self] in kill() }
    }

    /// Runs the hooks; `completion` is called when all have ended, at once if there are none.
    ///
    /// `session` has the variables of the session as it is now: this process may be older than the compositor.
    func run(
        _ state: ManagerStatus,
        output: String,
        outputs: String,
        session: [(name: String, value: String)],
        completion: @escaping () -> Void
    ) {
        let environment: [(name: String, value: String)] = [
            ("ORIENTD_EVENT", event.rawValue),
            ("ORIENTD_OUTPUT", output),
            ("ORIENTD_OUTPUTS", outputs),
            ("ORIENTD_TRANSFORM", state.outputTransform.name),
            ("ORIENTD_INTERFACE_ORIENTATION", state.interfaceOrientation.name),
            ("ORIENTD_DEVICE_ORIENTATION", state.deviceOrientation.name),
            ("ORIENTD_TABLET_MODE", state.tabletMode.name),
            ("ORIENTD_ROTATION_LOCK", state.rotationLock.name),
        ]
        next = (session + environment, (next?.completions ?? []) + [completion])
        if waiting == nil { beginNext() }
    }

    /// Kills the hooks that run: after this process has ended, nothing would end one that hangs.
    func end() {
        for hook in hooks.values { hook.abandon() }
    }

    // MARK: - Processes

    private func beginNext() {
        guard let run = next else { return }
        waiting = run.completions
        next = nil
        let files = hookFiles()
        for path in files.notExecutable { log.debug("the hook \(path) is not executable") }
        for path in files.executables {
            do throws(SystemError) {
                try start(path, run.environment)
            } catch {
                log.warning("the hook \(path) did not run: \(reason(error))")
            }
        }
        timer?.arm(after: timeout)
        finishIfAllEnded()
    }

    /// Ends the current run unless one of its hooks still runs.
    ///
    /// A hook that was killed is not waited for: if it goes on, it is another user's or has left its process group.
    private func finishIfAllEnded() {
        guard let completions = waiting, hooks.isEmpty else { return }
        timer?.disarm()
        waiting = nil
        for completion in completions { completion() }
        if waiting == nil { beginNext() }
    }

    private func start(_ path: String, _ environment: [(name: String, value: String)]) throws(SystemError) {
        hooks[path] = try ChildProcess([path, event.rawValue], adding: environment, loop: loop) {
            [self] end in ended(path, end.status)
        }
    }

    private func ended(_ path: String, _ status: Int32) {
        hooks[path] = nil
        let reason = status > 128 ? "was ended by signal \(status - 128)" : "failed with exit status \(status)"
        if status != 0 { log.warning("the hook \(path) \(reason)") }
        finishIfAllEnded()
    }

    /// Why a file that is there and executable did not run.
    private func reason(_ error: SystemError) -> String {
        switch error.errno {
        case .notFound: "its interpreter or loader does not exist"
        case .notExecutable: "it is no program of this machine, and no script with an interpreter, as in #!/bin/sh"
        default: "\(error)"
        }
    }

    /// Kills the hooks that take too long, with all processes that they have started.
    private func kill() {
        for (path, hook) in hooks {
            log.warning("the hook \(path) took longer than \(timeout) s and is killed")
            hook.abandon()
        }
        hooks = [:]
        finishIfAllEnded()
    }
}
