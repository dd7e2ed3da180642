// SPDX-License-Identifier: Apache-2.0

import OrientationConfiguration
import POSIX
import SystemdBus

/// Receives what happens to the display.
protocol DisplayRotatorDelegate: AnyObject {
    /// The outputs changed, or are known for the first time.
    func outputsChanged()

    /// The display was rotated or restored.
    func rotated()

    func windowChanged(_ window: FocusedWindow?)

    /// There is nothing to rotate any more; the process is to end with this status.
    func displayLost(_ status: Int32)
}

/// Rotates the panel of one display, and keeps on disk what must be restored.
final class DisplayRotator {
    private let output: String?
    private let mapsInput: Bool
    private let log: Log
    private let display: String
    /// Nil while the connection is lost: an agent of a new session may take the lock meanwhile.
    private var lock: AgentLock?
    private let file: RestoreFile?
    private let server: DisplayServer

    /// Set once, before ``begin()``.
    unowned(unsafe) var delegate: (any DisplayRotatorDelegate)?

    /// Nil while the outputs are not known.
    private var rotation: PanelRotation?
    private var goal = PanelRotation.Goal.unchanged
    /// What the file contains.
    private var saved: RestorePoint?
    /// The transform that the delegate was informed of last.
    private var reported: Transform?
    private var onRestored: (() -> Void)?
    private var savingProblem: ProblemLog
    private var reportingProblem: ProblemLog

    /// Locks the display that the environment names; throws if another process has locked it.
    init(
        _ backend: BackendChoice,
        _ configuration: AgentConfiguration,
        loop: EventLoop,
        log: Log
    ) throws(SystemError) {
        output = configuration.output
        mapsInput = configuration.inputMapping == .auto
        self.log = log
        savingProblem = ProblemLog(log, consequence: "after a crash the display may not be restored")
        reportingProblem = ProblemLog(log, consequence: "orientctl status does not name this agent")
        let backend = backend.resolved ?? .wlr
        display = backend.display
        lock = try AgentLock(display: display)
        file = RestoreFile(display: display)
        saved = file?.read { log.warning($0) }
        server = try DisplayServer(backend, loop: loop)
    }

    /// Connects to the display server.
    func begin() throws(SystemError) {
        server.delegate = self
        try server.connect()
    }

    /// Whether an earlier agent left something to restore.
    var hasLeftover: Bool { saved != nil }

    /// The output that is rotated; nil while it is missing or unknown.
    var panel: Output? { rotation?.panel }

    /// Whether the outputs are known.
    var isReady: Bool { rotation != nil }

    /// The output that is rotated, with the transform that was applied last; nil while it is missing or unknown.
    var shownPanel: Output? { rotation?.shownPanel }

    /// The process that provides the display; nil if unknown.
    var serverProcess: Int32? { server.process }

    /// Writes what the agent does into the lock's file.
    func report(_ activity: String) {
        reportingProblem.attempt { () throws(SystemError) in try lock?.write(activity) }
    }

    /// Rotates the panel or restores the outputs, now or as soon as they are known.
    func pursue(_ goal: PanelRotation.Goal) {
        self.goal = goal
        handle(.goalChanged(goal))
    }

    /// Restores the outputs, and then the devices that follow them; calls `completion` afterwards.
    func end(with inputs: (any InputMapper)?, completion: @escaping () -> Void) {
        onRestored = { [self] in
            guard let inputs, let panel = shownPanel else { return server.finish(completion: completion) }
            inputs.end(with: panel, completion: completion)
        }
        pursue(.baseline)
        // While the outputs are unknown, only an earlier agent can have left something, which a lost server does not show.
        if !isReady, !hasLeftover || lock == nil { restored() }
    }

    /// Leaves the outputs as they are, with nothing to restore later.
    func keep() { save(nil) }

    /// The compositor has read its configuration again.
    func configurationReloaded() { handle(.configurationReloaded) }

    /// Why the leftover was not restored, as a message; nil unless that has to wait for the panel.
    var postponement: String? {
        guard isReady, panel == nil, let saved else { return nil }
        let name = output ?? saved.outputs.panel(named: nil)?.name ?? "the panel"
        return "\(name) is off or not connected: it is restored when orient-agent runs again"
    }

    // MARK: - Changes

    private func handle(_ event: PanelRotation.Event) {
        guard let actions = rotation?.handle(event), let rotation else { return }
        if mapsInput, let panel {
            if case .transform = goal { server.mapInput(to: panel.name, true) }
            if goal == .baseline, rotation.isSettled { server.mapInput(to: panel.name, false) }
        }
        if let warning = actions.warning { log.warning(warning) }
        // Before the change, so that a crash during it leaves what is needed to undo it.
        save(rotation.restorePoint)
        if let change = actions.change {
            log.debug("rotating \(change.output) to \(change.transform)")
            server.apply(change)
        }
        if rotation.isSettled { restored() }
    }

    /// Calls what waits for the end of restoring.
    private func restored() {
        let completion = onRestored
        onRestored = nil
        completion?()
    }

    private func save(_ point: RestorePoint?) {
        guard point != saved else { return }
        saved = point
        savingProblem.attempt { () throws(SystemError) in try file?.write(point) }
    }

    /// Takes the lock again after the connection was lost; false if this session has ended meanwhile.
    private func isStillOurs() -> Bool {
        guard lock == nil else { return true }
        do throws(SystemError) {
            lock = try AgentLock(display: display)
        } catch {
            log.info("\(error); leaving the display to it")
            return false
        }
        guard Compositor.detected?.isSocketMissing ?? false else { return true }
        log.info("the compositor of this session has ended")
        return false
    }
}

extension DisplayRotator: OutputBackendDelegate {
    func outputsChanged(_ outputs: [Output]) {
        guard isStillOurs() else { return delegate?.displayLost(0) ?? () }
        if rotation == nil {
            rotation = PanelRotation(
                output: output,
                mayPlaceAutomatically: server.mayPlaceAutomatically,
                goal: goal,
                leftover: saved
            )
        }
        handle(.outputsReported(outputs))
        if rotation?.isSettled ?? false { reported = shownPanel?.transform }
        delegate?.outputsChanged()
    }

    func changeEnded(_ result: OutputResult) {
        handle(.changeEnded(result))
        // A second change may only have moved the neighbours.
        guard result == .applied, let shown = shownPanel?.transform, shown != reported else { return }
        reported = shown
        delegate?.rotated()
    }

    func windowChanged(_ window: FocusedWindow?) { delegate?.windowChanged(window) }

    func backendLost(_ reason: String) {
        if lock != nil { log.warning("\(reason); trying to connect again") }
        // What was saved is still to be restored if only the connection has gone.
        rotation = nil
        lock = nil
        delegate?.outputsChanged()
        delegate?.windowChanged(nil)
        restored()
    }

    func serverGivenUp(_ problem: String) {
        log.error(problem)
        delegate?.displayLost(1)
    }
}
