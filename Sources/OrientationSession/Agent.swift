// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
package import POSIX
package import SystemdBus

/// The agent of one session: rotates the built-in display, and what must follow it, as orientd decides.
package final class Agent {
    /// In seconds, from a refused claim to the next: the reason may go away without a signal of logind.
    private static let claimPause = 30.0

    private let configuration: AgentConfiguration
    private let loop: EventLoop
    private let log: Log
    private let bus: Bus
    private let display: DisplayRotator
    private var hooks: [HookEvent: HookRunner] = [:]
    private let daemon: DaemonConnection
    private let application: ApplicationRequest
    /// Nil unless `Suggest=notify`.
    private var suggestion: RotationSuggestion?
    /// Nil unless the agent only keeps the lock.
    private var keeper: LockKeeper?
    private var termination: TerminationWatch?
    private var sessions: BusSlot?
    /// The session's bus, where a desktop may appear that rotates the display; nil if there is none.
    private var session: Bus?
    private var desktops: [BusSlot] = []
    /// Claims again after a refusal.
    private var claimTimer: Timer?
    private var claimProblem: ProblemLog
    /// Why orientd refused the last claim; nil if it did not.
    private var refusal: String?

    /// The transform that hooks were run for last; nil after the display was restored.
    private var announced: OutputTransform?
    /// Whether hooks run before a rotation, and whether that, or the next one, is an explicit command of a person.
    private var (isAnnouncing, isCommand) = (false, false)
    /// The tablet mode and the outputs that hooks were run for last.
    private var announcedMode = TabletMode.unknown
    private var announcedOutputs: [String]?
    private var role = Role.rotating

    private enum Role: Equatable {
        case rotating
        /// Another program, which the message describes, rotates the display.
        case standingAside(String)
        /// The desktop rotates the display, and its rotation switch is kept the same as the lock.
        case keepingLock
        /// The display is restored, and then the process ends.
        case ending
    }

    /// Locks the display that the environment names; rotates nothing before ``run()``.
    package init(
        configuration: AgentConfiguration,
        backend: BackendChoice,
        bus address: BusAddress,
        log: Log
    ) throws(SystemError) {
        let loop = try EventLoop()
        self.configuration = configuration
        self.loop = loop
        self.log = log
        bus = try Bus(address)
        bus.onInvalidSignal = log.warning
        display = try DisplayRotator(backend, configuration, loop: loop, log: log)
        for event in HookEvent.allCases {
            hooks[event] = try HookRunner(event, timeout: configuration.hookTimeout, loop: loop, log: log)
        }
        daemon = DaemonConnection(bus: bus)
        application = try ApplicationRequest(configuration, daemon: daemon, log: log)
        claimProblem = ProblemLog(log, consequence: "trying again")
        claimTimer = try loop.timer { [self] in claim() }
    }

    /// Runs until a termination signal; returns the exit status.
    package func run() throws(SystemError) -> Int32 {
        if let desktop, !configuration.isForced {
            guard let lock = desktop.lock, configuration.syncsLock else {
                log.info("\(desktop.description): orient-agent is not needed; Force=yes overrides this")
                return 0
            }
            let task = "orient-agent only keeps that desktop's rotation switch and orientd's lock the same"
            log.info("\(desktop.description): \(task)")
            role = .keepingLock
            keeper = try LockKeeper(lock, on: bus, daemon, loop: loop, log: log) { [self] in end() }
            display.report(AgentLock.keepingLock)
        }
        termination = try loop.onTermination { [self] in end() }
        if role == .rotating { try beginRotating() }
        daemon.onState = { [self] in stateChanged(from: $0) }
        daemon.onClaim = { [self] in claimChanged() }
        daemon.onRefusal = { [self] in application.refused($0, $1) }
        daemon.onConfirmation = { [self] in rotate(isCommand: true) }
        try daemon.begin(on: loop)
        keeper?.begin()
        let status = try loop.run()
        for runner in hooks.values { runner.end() }
        keeper?.end()
        return status
    }

    private func beginRotating() throws(SystemError) {
        if configuration.suggests { suggestion = makeSuggestion() }
        display.onEvent = { [self] in handle($0) }
        let login = "org.freedesktop.login1"
        let rule = "member='PropertiesChanged',arg0='\(login).Session'"
        // Compositors refuse all changes while another session is active, and polkit refuses the claim.
        sessions = try bus.subscribe(rule, from: .owner(of: login)) { [self] _ in
            display.tryAgain()
            claim()
        }
        try display.begin()
        claim()
    }

    private var desktop: (description: String, lock: DesktopLock?)? {
        OtherRotators.desktop(server: display.surroundings.server)
    }

    /// Ends with a status after which the service manager starts the agent again, if a desktop comes after it.
    ///
    /// It is only looked for once a program follows the sensor, as a desktop that rotates does: most sessions have none.
    private func watchForDesktop() {
        guard session == nil, let session = try? Bus(.session) else { return }
        self.session = session
        let handler: () -> Void = { [self] in
            guard role != .ending, let desktop else { return }
            log.info("\(desktop.description): orient-agent starts again")
            end(1)
        }
        do throws(SystemError) {
            try session.attach(to: loop)
            desktops = try OtherRotators.onDesktop(on: session, handler)
        } catch {
            log.warning("a desktop that comes later is not noticed: \(error)")
        }
        handler()
    }

    private func makeSuggestion() -> RotationSuggestion? {
        do throws(SystemError) {
            return try RotationSuggestion(daemon, loop: loop, log: log)
        } catch {
            log.warning("\(error); no rotations are suggested")
            return nil
        }
    }

    private func end(_ status: Int32 = 0) {
        guard role != .ending else { return }
        let rotates = role != .keepingLock
        role = .ending
        guard rotates else { return loop.exit(status) }
        guard configuration.restores else {
            display.keep()
            return loop.exit(status)
        }
        report()
        display.end { [self] in loop.exit(status) }
    }

    // MARK: - orientd

    /// Whether orientd has run and does not now.
    private var hasStopped = false

    /// Nil while orientd does not run.
    private var status: ManagerStatus? { daemon.state.snapshot?.status }

    private func stateChanged(from old: DaemonConnection.State) {
        guard role != .ending else { return }
        keeper?.serviceChanged(from: old.snapshot?.status)
        switch daemon.state {
        case .absent(nil): serviceLost()
        case .absent(let error?):
            if error.isServiceMissing {
                log.info("orientd is not running, or not installed; waiting for it to start")
            } else {
                log.warning("cannot start orientd: \(error)")
            }
        case .starting: break
        case .failed(let error): log.warning("cannot read the state of orientd: \(error)")
        case .disconnected:
            log.error("\(bus.address) closed the connection")
            end(1)
        case .running(let new):
            if hasStopped { log.info("orientd has started again") }
            hasStopped = false
            statusChanged(from: old.snapshot?.status, to: new.status)
        }
        if role == .rotating, (old.snapshot == nil) != (status == nil) { report() }
    }

    /// Claims the sensor, also after a refusal, or releases it.
    private func claim() { daemon.wantsClaim = role == .rotating }

    private func claimChanged() {
        switch daemon.claim {
        case .asked: return
        case .refused(let error):
            guard daemon.wantsClaim else { return }
            refusal = AgentLock.Hindrance.noClaim.words + "\(error)"
            claimTimer?.arm(after: Self.claimPause)
        case .none, .granted: refusal = nil
        }
        claimProblem.update(refusal)
        if role == .rotating { report() }
    }

    private func serviceLost() {
        log.warning("orientd has stopped; waiting for it to start again")
        hasStopped = true
        suggestion?.update(nil)
        if configuration.restoresOnServiceLoss {
            announced = nil
            display.pursue(.baseline)
        }
    }

    private func statusChanged(from before: ManagerStatus?, to status: ManagerStatus) {
        runStateHooks()
        if let before, status.rotationLock != before.rotationLock { run(.lock) }
        if status.sensorProxyClients != before?.sensorProxyClients { updateRole() }
        if role == .rotating { suggestion?.update(status) }
        let isTurned = before.map { $0.interfaceOrientation != status.interfaceOrientation } ?? false
        rotate(isCommand: isTurned && [.manual, .lock].contains(status.interfaceReason))
    }

    /// Runs the hooks if tablet mode or outputs have changed; the former also for the first time, when the output is
    /// known, whose name they get.
    private func runStateHooks() {
        guard let mode = status?.tabletMode else { return }
        if mode != announcedMode, display.isReady || announcedMode != .unknown || role == .keepingLock {
            announcedMode = mode
            run(.tabletMode)
        }
        guard display.isReady else { return }
        let outputs = display.outputs.shownNames
        if let announcedOutputs, outputs != announcedOutputs { run(.outputs) }
        announcedOutputs = outputs
    }

    /// Stands aside while another program rotates the display, and rotates it again after that.
    private func updateRole() {
        guard role != .ending, role != .keepingLock, !configuration.isForced, let clients = status?.sensorProxyClients
        else { return }
        let rival = OtherRotators.client(among: clients, on: bus, server: display.surroundings.server)
        let found = rival.map { Role.standingAside($0) } ?? .rotating
        guard found != role else { return }
        role = found
        log.info(rival.map { "\($0); standing aside" } ?? "no other program rotates the display any more")
        announced = nil
        claim()
        updateApplication()
        if rival != nil {
            suggestion?.update(nil)
            display.pursue(.baseline)
            watchForDesktop()
        }
        report()
    }

    /// Writes what the agent does, for `orientctl status`.
    private func report() {
        switch role {
        case .standingAside(let rival): display.report("stands aside: \(rival)")
        case .ending: display.report(AgentLock.ending)
        case .keepingLock: break
        case .rotating:
            let activity = display.activity
            let hindrance = status == nil ? AgentLock.Hindrance.noService.words : refusal
            display.report(activity == AgentLock.Hindrance.noOutput.words ? activity : hindrance ?? activity)
        }
    }

    /// Rotates the display to the transform that orientd publishes, after the rotate-before hooks have ended.
    ///
    /// An explicit command of a person also applies if somebody else has rotated the display, or it is kept.
    private func rotate(isCommand: Bool = false) {
        // While orientd knows nothing about the device, the display stays as the user has set it.
        guard let status, status.interfaceRule != .unknown, role == .rotating else { return }
        let target = status.outputTransform
        guard target != announced || isCommand, display.isReady || announced != nil else { return }
        self.isCommand = isCommand || self.isCommand && isAnnouncing
        // The hooks that run are those of this command.
        if isAnnouncing, target == announced { return }
        announced = target
        guard display.wouldRotate(to: target, isCommand: isCommand) else { return pursue(target) }
        isAnnouncing = true
        run(.rotateBefore) { [self] in
            guard announced == target, role == .rotating else { return }
            pursue(target)
        }
    }

    private func pursue(_ target: OutputTransform) {
        isAnnouncing = false
        display.pursue(.transform(target), isCommand: isCommand)
        isCommand = false
    }

    private func run(_ event: HookEvent, completion: @escaping () -> Void = {}) {
        guard let status else { return completion() }
        hooks[event]?.run(
            status,
            output: display.panel?.name ?? "",
            outputs: display.outputs.shownNames.joined(separator: " "),
            session: display.surroundings.variables,
            completion: completion
        )
    }

    // MARK: - The display

    private func handle(_ event: DisplayEvent) {
        switch event {
        case .outputsChanged:
            // Now the process of the compositor is known.
            updateRole()
            updateApplication()
            report()
            runStateHooks()
            rotate()
        case .activityChanged:
            report()
            logOverruling()
        case .rotated:
            // At the end, hooks would outlive this process.
            if role != .ending { run(.rotateAfter) }
        case .windowChanged: updateApplication()
        }
    }

    /// Says that another program has rotated the display, and which one that may be.
    private func logOverruling() {
        guard role == .rotating, display.activity.begins(with: AgentLock.Hindrance.overruled.words) else { return }
        let client = (status?.sensorProxyClients ?? []).lazy.compactMap { [bus] in bus.owner(of: $0) }.first
        log.info(display.activity + (client.map { "; \($0) follows the sensor as well" } ?? ""))
    }

    /// Requests what the focused window's application supports while the window is on the output that is rotated.
    private func updateApplication() {
        let window = display.panel.flatMap { display.window?.isShown(on: $0.name) ?? false ? display.window : nil }
        application.windowChanged(role == .rotating ? window : nil)
    }
}

/// Restores the display that the environment names, after an agent that ended without that; returns the exit status.
package func restoreDisplay(
    _ configuration: AgentConfiguration,
    backend: BackendChoice,
    log: Log
) throws(SystemError) -> Int32 {
    let loop = try EventLoop()
    let display = try DisplayRotator(backend, configuration, restoresOnly: true, loop: loop, log: log)
    guard display.saved != nil else { return 0 }
    try display.begin()
    display.end {
        if let postponement = display.postponement { log.info(postponement) }
        loop.exit(display.saved != nil && display.postponement == nil ? 1 : 0)
    }
    return try loop.run(keeping: display)
}
