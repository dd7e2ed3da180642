// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import SystemdBus

/// An event that hooks run on; the raw value is their argument.
enum HookEvent: String, CaseIterable {
    case rotateBefore = "rotate-before"
    case rotateAfter = "rotate-after"
    case tabletMode = "tablet-mode"
    case lock
}

/// Runs the executables of the hook folders each time an event happens.
///
/// All hooks run at the same time. If the event happens again meanwhile, they run once more after that, for the newest
/// state only.
final class HookRunner {
    private let event: HookEvent
    private let timeout: Double
    private let loop: EventLoop
    private let log: Log
    private var timer: Timer?

    /// The run that has not ended; nil for none.
    private var current: Run?
    /// The run that begins when the current one has ended; nil for none.
    private var next: Run?
    /// The hooks that have not ended.
    private var hooks: [Hook] = []

    private struct Run {
        let environment: [(name: String, value: String)]
        let completions: [() -> Void]
    }

    private final class Hook {
        let path: String
        let process: Int32
        var watch: EventSource?
        var isKilled = false

        init(path: String, process: Int32) {
            self.path = path
            self.process = process
        }
    }

    /// Runs each executable for at most `timeout` seconds.
    init(_ event: HookEvent, timeout: Double, loop: EventLoop, log: Log) throws(SystemError) {
        self.event = event
        self.timeout = timeout
        self.loop = loop
        self.log = log
        timer = try loop.timer { [unowned(unsafe) self] in withExtendedLifetime(self) { kill() } }
    }

    /// Runs the hooks with these variables added to the environment; `completion` is called when all have ended, at once
    /// if there are none.
    func run(_ environment: [(name: String, value: String)], completion: @escaping () -> Void) {
        let run = Run(environment: environment, completions: (next?.completions ?? []) + [completion])
        next = run
        if current == nil { begin(run) }
    }

    /// Kills the hooks that run: after this process has ended, nothing would end one that hangs.
    func end() {
        for hook in hooks where !hook.isKilled { CLinux.kill(-hook.process, SIGKILL) }
    }

    // MARK: - Processes

    private func begin(_ run: Run) {
        (current, next) = (run, nil)
        for path in executables {
            do throws(SystemError) {
                try start(path, run)
            } catch {
                log.warning("the hook \(path) did not run: \(error)")
            }
        }
        timer?.arm(after: timeout)
        finishIfAllEnded()
    }

    /// Ends the current run unless one of its hooks still runs.
    ///
    /// A hook that was killed is not waited for: if it goes on, it belongs to another user or has left its process group.
    private func finishIfAllEnded() {
        guard let ended = current, hooks.allSatisfy({ $0.isKilled }) else { return }
        timer?.disarm()
        current = nil
        for completion in ended.completions { completion() }
        if current == nil, let next { begin(next) }
    }

    private func start(_ path: String, _ run: Run) throws(SystemError) {
        let process = try spawn(
            [path, event.rawValue],
            adding: run.environment,
            isGroupLeader: true
        )
        let hook = Hook(path: path, process: process)
        do throws(SystemError) {
            hook.watch = try loop.onExit(of: process) { [unowned(unsafe) self, unowned(unsafe) hook] status in
                withExtendedLifetime(self) { ended(hook, status) }
            }
        } catch {
            // Without a watch, nothing would reap it, or kill it after the timeout.
            CLinux.kill(-process, SIGKILL)
            _ = retryingInterrupted { waitpid(process, nil, 0) }
            throw error
        }
        hooks.append(hook)
    }

    private func ended(_ hook: Hook, _ status: Int32) {
        if status != 0, !hook.isKilled { log.warning("the hook \(hook.path) \(Self.explanation(status))") }
        hooks.removeAll { $0 === hook }
        finishIfAllEnded()
    }

    private static func explanation(_ status: Int32) -> String {
        status > 128 ? "was ended by signal \(status - 128)" : "failed with exit status \(status)"
    }

    /// Kills the hooks that take too long, with all processes that they have started.
    private func kill() {
        for hook in hooks where !hook.isKilled {
            log.warning("the hook \(hook.path) took longer than \(timeout) s and is killed")
            hook.isKilled = true
            CLinux.kill(-hook.process, SIGKILL)
        }
        finishIfAllEnded()
    }

    /// The executables, sorted by name; any file of the user hides that of its name in the system's folder.
    private var executables: [String] {
        let folders = [AgentConfiguration.configurationFolder.map { $0 + "/orientd/hooks.d" }, "/etc/orientd/hooks.d"]
        var paths: [String: String] = [:]
        for folder in folders.compactMap({ $0 }) {
            guard let names = try? FileDescriptor.names(in: folder) else { continue }
            for name in names where paths[name] == nil { paths[name] = folder + "/" + name }
        }
        // Editors leave backups and hidden files; a folder is executable, too.
        return paths.filter { !$0.key.hasPrefix(".") && !$0.key.hasSuffix("~") && isExecutableFile($0.value) }
            .sorted { $0.key < $1.key }.map { $0.value }
    }

    private func isExecutableFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) && access(path, X_OK) == 0
    }
}
