// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
package import POSIX
package import SystemdBus

/// The agent of one session: rotates the built-in display, and what must follow it, as orientd decides.
package final class Agent {
    /// Seconds that the compositor has to restore the display at the end.
    fileprivate static let endTimeout = 1.0

    private let configuration: AgentConfiguration
    private let loop: EventLoop
    private let log: Log
    private let bus: Bus
    private let display: DisplayRotator
    private let hooks: SessionHooks
    private let follower: OrientationFollower
    private let application: ApplicationRequest
    private let endTimer: Timer
    private var watches: [AnyObject] = []

    /// The transform that hooks are run for; nil while none are.
    private var announced: OutputTransform?
    private var isEnding = false

    /// Takes the display that the environment names; nothing is rotated before ``run()``.
    package init(
        configuration: AgentConfiguration,
        backend: BackendChoice,
        bus address: BusAddress,
        log: Log
    ) throws(SystemError) {
        let loop = try EventLoop()
        (self.configuration, self.loop, self.log) = (configuration, loop, log)
        bus = try Bus(address)
        try bus.attach(to: loop)
        display = try DisplayRotator(backend, output: configuration.output, loop: loop, log: log)
        hooks = try SessionHooks(timeout: configuration.hookTimeout, loop: loop, log: log)
        let follower = OrientationFollower(bus: bus)
        self.follower = follower
        let reader = ConfigurationReader<Configuration>()
        try reader.read(Configuration.standardPath, isRequired: false)
        let masks = (configuration.applicationMasks, reader.configuration.machine.applicationMasks)
        application = ApplicationRequest(configuration.applications, follower: follower, log: log) { appID in
            masks.0[appID] ?? masks.1[appID] ?? DesktopFile.orientations(of: appID)
        }
        endTimer = try loop.timer {
            log.warning("the display could not be restored in time")
            loop.exit(1)
        }
    }

    /// Follows orientd until the process is told to end; returns the exit status.
    package func run() throws(SystemError) -> Int32 {
        watches = [
            try loop.onTermination { [self] in end() },
            try bus.onDisconnect { [self] in
                log.error("\(bus.address) closed the connection")
                end(1)
            },
        ]
        display.delegate = self
        try display.begin()
        follower.onProblem = { [self] in log.warning($0) }
        follower.onChange = { [self] in stateChanged(from: $0, to: $1) }
        follower.isClaiming = true
        try follower.begin()
        return try loop.run()
    }

    private func end(_ status: Int32 = 0) {
        guard !isEnding else { return }
        isEnding = true
        guard configuration.restores else { return loop.exit(status) }
        endTimer.arm(after: Self.endTimeout)
        display.release { [self] in loop.exit(status) }
    }

    // MARK: - orientd

    private func stateChanged(from old: ManagerSnapshot?, to new: ManagerSnapshot?) {
        guard !isEnding else { return }
        guard let status = new?.status else {
            log.warning("orientd has stopped; waiting for it to start again")
            if configuration.onServiceLost == .restore { display.release() }
            return
        }
        let before = old?.status
        if before == nil { application.serviceRestarted() }
        if status.tabletMode != before?.tabletMode, before != nil || status.tabletMode != .unknown {
            run(.tabletMode)
        }
        if let before, status.rotationLock != before.rotationLock { run(.lock) }
        rotate()
    }

    /// Rotates the display as orientd says now, after the hooks that want to run before.
    private func rotate() {
        // Nothing is known of the device: the display stays as the user has set it.
        guard let status = follower.snapshot?.status, status.interfaceRule != .unknown else { return }
        let target = status.outputTransform
        guard target != announced else { return }
        announced = target
        guard Transform(target) != display.panel?.transform else { return display.want(target) }
        run(.rotateBefore) { [self] in
            guard announced == target, !isEnding else { return }
            display.want(target)
        }
    }

    private func run(_ event: HookEvent, completion: @escaping () -> Void = {}) {
        guard let status = follower.snapshot?.status else { return completion() }
        hooks.run(event, status, output: display.panel?.name, completion: completion)
    }
}

extension Agent: DisplayRotatorDelegate {
    func outputsChanged(panel: Output?) {}

    func rotated(_ panel: Output?) { run(.rotateAfter) }

    func windowChanged(_ window: FocusedWindow?) { application.windowChanged(window) }

    func displayLost() { loop.exit(1) }
}

/// Puts back what an agent left that ended without doing so.
package enum Restoration {
    /// Restores the display that the environment names; returns the exit status.
    package static func run(
        configuration: AgentConfiguration,
        backend: BackendChoice,
        log: Log
    ) throws(SystemError) -> Int32 {
        let loop = try EventLoop()
        let display = try DisplayRotator(backend, output: configuration.output, loop: loop, log: log)
        guard display.hasLeftover else { return 0 }
        let timer = try loop.timer {
            log.error("the display could not be restored in time")
            loop.exit(1)
        }
        timer.arm(after: Agent.endTimeout)
        try display.begin()
        display.release { loop.exit(0) }
        let status = try loop.run()
        withExtendedLifetime((display, timer)) {}
        return status
    }
}
