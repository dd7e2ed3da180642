// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import SystemdBus

/// What hooks are run for.
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
    private let folders: [String]
    private let timeout: Double
    private let loop: EventLoop
    private let log: Log
    private var timer: Timer?

    /// The run that has not ended; nil for none.
    private var present: Run?
    /// The run that begins after the present one; nil for none.
    private var next: Run?
    private var running: [Hook] = []
    /// Hooks that were killed and have not ended yet.
    private var killed: [Hook] = []

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

    /// Runs the executables in `folders`, for at most `timeout` seconds each; those of an earlier folder hide those of
    /// the same name in a later one.
    init(_ event: HookEvent, folders: [String], timeout: Double, loop: EventLoop, log: Log) throws(SystemError) {
        self.event = event
        self.folders = folders
        self.timeout = timeout
        self.loop = loop
        self.log = log
        timer = try loop.timer { [unowned(unsafe) self] in withExtendedLifetime(self) { kill() } }
    }

    /// The user's folder, and the system's.
    static var standardFolders: [String] {
        [AgentConfiguration.configurationFolder.map { $0 + "/orientd/hooks.d" }, "/etc/orientd/hooks.d"].compactMap {
            $0
        }
    }

    /// Runs the hooks with these variables added to the environment; `completion` is called when all have ended, at once
    /// if there are none.
    func run(_ environment: [(name: String, value: String)], completion: @escaping () -> Void = {}) {
        next = Run(environment: environment, completions: (next?.completions ?? []) + [completion])
        start()
    }

    /// Kills the hooks that run: nothing ends one that hangs once this process has ended.
    func end() {
        for hook in running { CLinux.kill(-hook.process, SIGKILL) }
    }

    // MARK: - Processes

    private func start() {
        while present == nil, let run = next {
            next = nil
            present = run
            for path in hooks { start(path, run) }
            if running.isEmpty { finish() } else { timer?.arm(after: timeout) }
        }
    }

    private func finish() {
        let completions = present?.completions ?? []
        present = nil
        for completion in completions { completion() }
    }

    private func start(_ path: String, _ run: Run) {
        do throws(SystemError) {
            let process = try spawn(
                [path, event.rawValue],
                adding: [(name: "ORIENTD_EVENT", value: event.rawValue)] + run.environment,
                isGroupLeader: true
            )
            let hook = Hook(path: path, process: process)
            hook.watch = try loop.onExit(of: process) { [unowned(unsafe) self, unowned(unsafe) hook] status in
                withExtendedLifetime(self) { ended(hook, status) }
            }
            running.append(hook)
        } catch {
            log.warning("the hook \(path) did not run: \(error)")
        }
    }

    private func ended(_ hook: Hook, _ status: Int32) {
        guard !hook.isKilled else { return killed.removeAll { $0 === hook } }
        if status != 0 { log.warning("the hook \(hook.path) \(Self.explanation(status))") }
        running.removeAll { $0 === hook }
        guard running.isEmpty else { return }
        timer?.disarm()
        finish()
        start()
    }

    private static func explanation(_ status: Int32) -> String {
        status > 128 ? "was ended by signal \(status - 128)" : "failed with exit status \(status)"
    }

    /// Kills the hooks that take too long, with all processes that they have started.
    private func kill() {
        for hook in running {
            log.warning("the hook \(hook.path) took longer than \(timeout) s and is killed")
            hook.isKilled = true
            CLinux.kill(-hook.process, SIGKILL)
        }
        // A hook of another user or in another process group may go on; nothing waits for it.
        killed += running
        running = []
        finish()
        start()
    }

    /// The executables, sorted by name; any file hides those of its name in later folders.
    private var hooks: [String] {
        var paths: [String: String] = [:]
        for folder in folders {
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
