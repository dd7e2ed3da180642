// SPDX-License-Identifier: Apache-2.0

import OrientationConfiguration
import OrientationCore
import POSIX
import SystemdBus

/// What happens to the display.
enum DisplayEvent {
    /// The outputs changed, or are known for the first time.
    case outputsChanged
    case activityChanged
    /// The display was rotated or restored.
    case rotated
    case windowChanged
}

/// Rotates the panels of one display, with the devices that follow them, and keeps on disk what must be restored.
///
/// It ends the loop when there is nothing to rotate any more.
final class DisplayRotator {
    /// Seconds at the end for the compositor to restore the display, and again for the devices that follow it.
    private static let endTimeout = AgentLock.endTimeout / 2

    private let configuration: AgentConfiguration
    private let loop: EventLoop
    private let log: Log
    /// Nil while the connection is lost: an agent of a new session may take the lock meanwhile.
    private var lock: AgentLock?
    private let file: RestoreFile?
    private let server: DisplayServer
    /// Also reports what the compositor does; nil if it has no socket for that.
    private var inputs: (any InputMapper)?
    /// The output that has been alone: its touch screen stays its own.
    private var alone: String?
    /// Whether the devices have followed the panel, also that of an earlier agent.
    private var mapsInputs: Bool
    private let endTimer: Timer
    private var timer: Timer?

    /// Set once, before ``begin()``.
    var onEvent: (DisplayEvent) -> Void = { _ in }

    /// Nil if there is none, or if none is known.
    private(set) var window: FocusedWindow?

    /// Nil while the outputs are not known.
    private var rotation: PanelRotation?
    /// Nil until orientd or another program has the say.
    private var goal: PanelRotation.Goal?
    /// What the file contains; nil if there is nothing to restore.
    private(set) var saved: RestorePoint?
    /// The panel's transform when the change under way, which may take several requests, began.
    private var transformBefore: Transform?
    private var onRestored: (() -> Void)?
    /// What ends the process, while only devices are still to be restored; they go with the server.
    private var onDevicesLost: (() -> Void)?
    /// What was logged last as wrong with the outputs.
    private var problem: String?
    private var savingProblem: ProblemLog
    private var reportingProblem: ProblemLog

    /// Locks the display that the environment names; throws if another process has locked it.
    ///
    /// If it `restoresOnly`, its panels are those of the agent that left something to restore.
    init(
        _ backend: BackendChoice,
        _ configuration: AgentConfiguration,
        restoresOnly: Bool = false,
        loop: EventLoop,
        log: Log
    ) throws(SystemError) {
        self.loop = loop
        self.log = log
        savingProblem = ProblemLog(log, consequence: "after a crash the display may not be restored")
        reportingProblem = ProblemLog(log, consequence: "orientctl status does not name this agent")
        server = try DisplayServer(backend, loop: loop)
        let display = server.surroundings.display
        lock = try AgentLock(display: display, waits: !restoresOnly)
        file = AgentLock.folder.map { RestoreFile(path: $0 + "/" + AgentLock.name(of: display)) }
        saved = file?.read { log.warning($0) }
        mapsInputs = saved != nil
        var configuration = configuration
        if restoresOnly, let saved, configuration.outputs.isEmpty { configuration.outputs = saved.panels }
        self.configuration = configuration
        endTimer = try loop.timer {
            log.warning("the display, or what follows it, could not be restored in time")
            loop.exit(1)
        }
        timer = try loop.timer { [self] in advance(.timePassed) }
    }

    func begin() throws(SystemError) {
        server.onEvent = { [self] in handle($0) }
        try server.connect()
    }

    /// The main output that is rotated; nil while it is missing or unknown.
    var panel: Output? { rotation?.panels.first }

    /// All outputs as they were reported last.
    var outputs: [Output] { rotation?.outputs ?? [] }

    /// Whether the outputs are known.
    var isReady: Bool { rotation != nil }

    /// What is done, as words that follow "orient-agent".
    var activity: String { rotation?.activity ?? "waits for the display" }

    /// Whether a goal would rotate the panels if it was set now.
    func wouldRotate(to transform: OutputTransform, isCommand: Bool) -> Bool {
        rotation?.wouldRotate(to: transform, isCommand: isCommand) ?? false
    }

    var surroundings: Surroundings { server.surroundings }

    /// Writes what the agent does into the lock's file.
    func report(_ activity: String) {
        reportingProblem.attempt { () throws(SystemError) in try lock?.write(activity) }
    }

    /// Rotates the panels or restores the outputs, now or as soon as they are known; for a person if it is a command.
    func pursue(_ goal: PanelRotation.Goal, isCommand: Bool = false) {
        self.goal = goal
        advance(.goalSet(goal, isCommand: isCommand))
        mapInputs()
    }

    /// Tries again what was refused: something has happened that may end that.
    func tryAgain() { advance(.mayBeAccepted) }

    /// Makes the devices follow the panel as it is now, unless this agent has left the display to another program from the
    /// start.
    private func mapInputs() {
        guard mapsInputs || goal != nil && goal != .baseline, let inputs, let target = inputTarget() else { return }
        mapsInputs = true
        inputs.follow(target)
    }

    /// What the devices are to follow, which is nothing where the agent does not map them.
    private func inputTarget() -> InputTarget? {
        guard let rotation else { return nil }
        var target = InputTarget(configuration.mapsInput ? rotation.panels : [], among: rotation.outputs)
        if target.isAlone { alone = target.output }
        target.isAlone = target.output != nil && target.output == alone
        return target
    }

    /// Restores the outputs, and then the devices that follow them; calls `completion` afterwards.
    ///
    /// Ends the loop with status 1 if that takes too long.
    func end(completion: @escaping () -> Void) {
        endTimer.arm(after: Self.endTimeout)
        onRestored = { [self] in
            endTimer.arm(after: Self.endTimeout)
            if isReady { onDevicesLost = completion }
            if mapsInputs, let inputs, let target = inputTarget() {
                return inputs.end(with: target) { [self] isDone in isDone ? completion() : loop.exit(1) }
            }
            // A server that is lost, or was never there, has no devices to restore.
            if isReady, let x11 = server.x11 { x11.finish(completion: completion) } else { completion() }
        }
        pursue(.baseline)
        // While the outputs are unknown, only the leftover of an earlier agent is to be restored.
        if !isReady, saved == nil || lock == nil { restored() }
    }

    /// Leaves the outputs as they are, with nothing to restore later.
    func keep() { save(nil) }

    /// Why the leftover was not restored, as a message; nil unless that has to wait for the panel.
    var postponement: String? {
        guard isReady, panel == nil, let saved else { return nil }
        let name = saved.outputs.panels(named: configuration.outputs).first?.name ?? "the panel"
        return "\(name) is off or not connected: it is restored when orient-agent runs again"
    }

    // MARK: - Changes

    private func advance(_ event: PanelRotation.Event) {
        let (wasChanging, oldActivity) = (rotation?.isChanging ?? false, activity)
        guard let actions = rotation?.handle(event, at: loop.now), let rotation else { return }
        if configuration.mapsInput, let panel {
            if case .transform? = goal { server.x11?.mapInput(to: panel.name, true) }
            if goal == .baseline, rotation.isSettled { server.x11?.mapInput(to: panel.name, false) }
        }
        if let problem = rotation.problem, problem != self.problem { log.warning(problem) }
        problem = rotation.problem
        // Before the change, so that a crash during it leaves what is needed to undo it.
        save(rotation.restorePoint)
        if let change = actions.change {
            if !wasChanging { transformBefore = panel?.transform }
            // Not each second while the panel is blanked.
            for (name, transform) in change.transforms where !rotation.attempts.isOff {
                log.debug("rotating \(name) to \(transform)")
            }
            server.apply(change)
        }
        if let deadline = actions.deadline { timer?.arm(after: deadline - loop.now) } else { timer?.disarm() }
        if wasChanging, !rotation.isChanging, let shown = panel?.transform, shown != transformBefore {
            mapInputs()
            onEvent(.rotated)
        }
        if rotation.activity != oldActivity { onEvent(.activityChanged) }
        if rotation.isSettled { restored() }
    }

    private func restored() {
        let completion = onRestored
        onRestored = nil
        completion?()
    }

    private var isEnding: Bool { onRestored != nil || onDevicesLost != nil }

    private func save(_ point: RestorePoint?) {
        guard point != saved else { return }
        saved = point
        savingProblem.attempt { () throws(SystemError) in try file?.write(point) }
    }

    /// Takes the lock again after the connection was lost; false if another agent has taken it meanwhile.
    private func isStillOurs() -> Bool {
        guard lock == nil else { return true }
        do throws(SystemError) {
            lock = try AgentLock(display: surroundings.display)
            log.info("the display is there again")
            return true
        } catch {
            log.info("\(error); leaving the display to it")
            return false
        }
    }

    // MARK: - The server

    private func handle(_ event: OutputEvent) {
        switch event {
        case .outputs(let outputs): outputsReported(outputs)
        case .changeEnded(let result): advance(.changeEnded(result))
        case .window(let window):
            self.window = window
            onEvent(.windowChanged)
        case .workspace(let outputs):
            if let panel, outputs.contains(panel.name) { server.toplevels?.workspaceChanged() }
        case .reloaded: advance(.configurationReloaded)
        case .lost(let reason, true) where isEnding:
            log.warning(reason)
            loop.exit(1)
        case .lost(let reason, _):
            if lock != nil { log.warning(isEnding ? reason : "\(reason); trying to connect again") }
            // What was saved is still to be restored if only the connection has gone.
            rotation = nil
            lock = nil
            window = nil
            inputs = nil
            onEvent(.outputsChanged)
            onDevicesLost?()
            restored()
        case .givenUp(let problem):
            log.error(problem)
            loop.exit(1)
        }
    }

    private func outputsReported(_ outputs: [Output]) {
        guard isStillOurs() else { return loop.exit() }
        if rotation == nil {
            inputs = surroundings.inputMapper(loop: loop, log: log)
            inputs?.onEvent = { [self] in handle($0) }
            rotation = PanelRotation(
                outputs: configuration.outputs,
                keepsWithMonitor: configuration.keepsWithMonitor,
                mayPlaceAutomatically: !surroundings.isX11,
                goal: goal ?? .unchanged,
                leftover: saved
            )
        }
        advance(.outputsReported(outputs))
        // Another program may rotate the panel, which is found out now.
        onEvent(.outputsChanged)
        mapInputs()
    }
}
