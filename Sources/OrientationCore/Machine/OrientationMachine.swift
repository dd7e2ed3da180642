// SPDX-License-Identifier: Apache-2.0

/// Decides everything about the orientation: events go in, effects come out.
///
/// A value that reads no clock, opens no file and knows no bus: `orientd` delivers the events of a real machine and
/// applies the effects, `orientctl replay` delivers those of a recording. docs/architecture.md shows the whole.
public struct OrientationMachine: Sendable {
    /// The life of the process.
    public enum Lifecycle: Hashable, Sendable {
        case running
        /// The machine sleeps, or is about to.
        case suspended
        /// Sensors are stopped, and none is opened any more.
        case ending
    }

    /// Seconds that the first search may take until the service counts as ready, and that stopping the sensors may
    /// take at the end.
    private static let timeout = (start: 1.0, end: 0.5)

    /// How many requests, and how many application masks, a client may hold, and all clients together.
    ///
    /// Clients read all requests with one call, which takes orientd 2 ms where there are 256.
    public static let limits = (client: 64, total: 256)

    /// The relative difference up to which a wrong scale is the one that was reported: more than noise makes.
    private static let scaleTolerance = 0.1

    public private(set) var lifecycle = Lifecycle.running
    /// The values that clients see.
    public internal(set) var status: ManagerStatus
    public internal(set) var policy: RotationPolicy

    public private(set) var configuration: MachineConfiguration
    var tracker: OrientationTracker
    var silence = PerRole(SilenceFeed())
    var tablet = TabletModeDetector()
    /// What the virtual tablet switch says; unknown where there is none.
    var virtualSwitch = TabletMode.unknown
    /// When the interface was last turned, or a client has last set the tablet mode to automatic.
    var lastTurn = -Double.infinity
    /// The claims of the tablet mode alone.
    var tabletModeClaims: UInt32 = 0
    var motion: PerRole<MotionDetector>
    /// All sensors, and which of them are read.
    package internal(set) var table = SensorTable()
    /// Whether this is an older recording, which says itself what became of its sensors.
    var hasReports = false
    var sensors = PerRole(SensorReport())

    var chassis: Idiom?
    /// Whether there ever was a tablet switch, which may be in a keyboard that can be taken off, or a hinge.
    var hadSwitchOrHinge = false
    public private(set) var isLidClosed = false
    /// Whether the edge that is up in a laptop was learned, not told.
    var learnsLaptopEdge = false
    /// The mode that a client set, now or in an earlier run.
    var chosenMode: AutorotateMode?

    private var saving: SaveSchedule
    /// What a resting sensor reads in g, as ``Effects/wrongScale`` last said.
    private var reportedScale = 1.0

    /// When the service counts as ready at the latest, or the process ends; nil in between, and once that has come.
    private var lifecycleDeadline: Deadline?
    /// The searches that have not ended yet.
    var awaited: Set<Search> = [.sensors, .switches, .chassis]

    enum Search { case sensors, switches, chassis }

    /// Creates the machine as it is at the start, at a time in seconds; `saved` is what an earlier run left.
    public init(_ configuration: MachineConfiguration, saved: SavedState?, at time: Double) {
        var configuration = configuration
        if configuration.naturalOrientation == .portrait, configuration.laptopEdge == .portrait,
            let last = saved?.shown.device, last == .landscapeLeft || last == .landscapeRight
        {
            // Until it is learned, it is the one that was up last.
            configuration.laptopEdge = last
            learnsLaptopEdge = true
        }
        self.configuration = configuration
        saving = SaveSchedule(saved)
        chosenMode = saved?.autorotate
        let mode = chosenMode ?? configuration.autorotateMode(chassis: nil, hasTabletMode: false)
        policy = RotationPolicy(configuration: configuration.rotation(chassis: nil), autorotate: mode, memory: saved)
        tablet.hinge.laptopEdge = configuration.laptopEdge
        tracker = OrientationTracker(
            naturalOrientation: configuration.naturalOrientation ?? .portrait,
            constants: configuration.classifier.constants,
            reportsFace: configuration.reportsFace
        )
        motion = PerRole(MotionDetector(isEnabled: configuration.power == .auto))
        status = ManagerStatus(policy)
        status.autorotateSource = autorotateSource
        lifecycleDeadline = Deadline(purpose: .ready, time: time + Self.timeout.start)
        if configuration.idiom != nil { awaited.remove(.chassis) }
    }

    /// Whether hostnamed's answer makes a difference.
    public var needsChassis: Bool { configuration.idiom == nil }

    // MARK: - What is known

    /// What the tablet switches say; unknown without one.
    public var switchMode: TabletMode { tablet.switchMode }

    /// What has set the mode of autorotation.
    var autorotateSource: AutorotateSource {
        chosenMode != nil ? .override : configuration.autorotate != nil ? .configuration : .default
    }

    /// Whether an edge or a face was seen since sampling began, or none is to be expected.
    var hasFirstAnswer: Bool {
        lifecycle == .ending || !sensors.display.mayDeliver || sensors.display.state == .sampling && tracker.hasAnswer
    }

    // MARK: - Events

    /// Handles an event of a time in seconds, on any clock that does not go back.
    public mutating func handle(_ event: Event, at time: Double) -> Effects {
        var effects = Effects()
        var oldStatus: ManagerStatus?
        var command: InterfaceReason?
        let measuredOnlyAngle = measuresOnlyAngle
        let wasContradicted = tablet.check.isContradicted
        if let isDecided = read(event, at: time) {
            // Otherwise `settle` does it, once it is known what the sensors do.
            if !table.hasActions { demandReadings(at: time) }
            // Most samples change nothing that clients see: nothing is copied and compared for them.
            if isDecided || table.hasActions || tracker.deviceOrientation != status.deviceOrientation
                || tracker.faceOrientation != status.faceOrientation || hasNewAngle
            {
                oldStatus = status
            }
            if table.hasActions { settle(&effects, measuredOnlyAngle: measuredOnlyAngle, at: time) }
            if isDecided || !effects.actions.isEmpty { policyChanged(&effects, at: time) }
        } else {
            oldStatus = status
            do throws(RotationRefusal) {
                try apply(event, at: time, &effects)
                command = event.command
            } catch {
                effects.refusal = error
            }
            settle(&effects, measuredOnlyAngle: measuredOnlyAngle, at: time)
            policyChanged(&effects, at: time)
        }
        if let oldStatus {
            status.deviceOrientation = tracker.deviceOrientation
            status.faceOrientation = tracker.faceOrientation
            status.autorotateSource = autorotateSource
            status.tabletModeSource = tablet.source
            status.isSwitchContradicted = tablet.check.isContradicted
            if hasNewAngle { status.hingeAngle = tablet.hinge.angle?.rounded() ?? -1 }
            if status != oldStatus { effects.status = status }
        }
        if let command, effects.transition == nil {
            effects.confirmation = Confirmation(orientation: policy.shown, reason: command)
        }
        if let weak = tracker.weakNorm, reportedScale >= OrientationClassifier.leastReference {
            reportedScale = weak
            effects.wrongScale = weak
        } else if tracker.reference != 1, abs(tracker.reference / reportedScale - 1) > Self.scaleTolerance {
            reportedScale = tracker.reference
            effects.wrongScale = reportedScale
        }
        if !wasContradicted { effects.contradictingAngle = tablet.check.contradiction }
        if effects.transition != nil { lastTurn = time }
        updateVirtualSwitch(at: time)
        describe(in: &effects)
        return effects
    }

    /// Sets what is in force.
    private func describe(in effects: inout Effects) {
        effects.gravity = tracker.gravity
        effects.proxied.edge = edge(configuration.proxiedOrientation)
        effects.proxied.tilt = tracker.tilt
        effects.hasFirstAnswer = hasFirstAnswer
        effects.tabletSwitch = virtualSwitch
        effects.deadline = deadline
    }

    private mutating func apply(_ event: Event, at time: Double, _ effects: inout Effects) throws(RotationRefusal) {
        switch event {
        case .sample, .device: break
        case .deviceFound(let device): table.find(device, at: time)
        case .deviceRemoved(let number, let reason): table.remove(number, reason, at: time)
        case .deviceAnnounced: table.announce(at: time)
        case .scanned(let reason, let retries):
            table.endScan(mayReturn: reason, retries: retries, at: time)
            finish(.sensors, &effects)
        case .needed(let kind, let isNeeded):
            if kind != .accelerometer { table.need(isNeeded, SensorUse(kind), at: time) }
        case .sourceFound(let name):
            table.addRecording(name, at: time)
            finish(.sensors, &effects)
        case .samplingBegan(let role, let sampling):
            table.handle(DeviceReport.started(warnings: []), of: 0, at: time)
            begin(sampling, role, at: time)
        case .sourceEnded(let reason?): table.handle(DeviceReport.failed(reason), of: 0, at: time)
        case .sourceEnded(nil): table.end(0, at: time)
        case .sensorChanged(let role, let report):
            hasReports = true
            change(role, to: report)
        case .sensorsFound: finish(.sensors, &effects)
        case .switchesFound: finish(.switches, &effects)
        case .chassisFound(let idiom):
            chassis = idiom
            policy.configure(configuration.rotation(chassis: idiom))
            finish(.chassis, &effects)
        case .displayFound(let natural, let laptopEdge):
            // A console that is not turned, or not yet, tells nothing.
            let isTold = laptopEdge != .portrait
            if isTold { learnsLaptopEdge = false }
            setDisplay(natural: natural, laptopEdge: isTold ? laptopEdge : configuration.laptopEdge)
        case .lid(let isClosed):
            isLidClosed = isClosed
            pauseOrResume(at: time)
        case .tabletSwitch(let mode): tablet.switchMode = mode
        case .hingeSensor(let report):
            hasReports = true
            changeHinge(to: report)
        case .hingeAngle(let angle): tablet.add(angle: angle, at: time)
        case .sleep:
            guard lifecycle != .ending else { return }
            lifecycle = .suspended
            effects.step = .suspend
            pauseOrResume(at: time)
        case .wake:
            guard lifecycle == .suspended else { return }
            lifecycle = .running
            effects.step = .resume
            pauseOrResume(at: time)
        case .claims(let count): status.claims = count
        case .tabletModeClaims(let count): tabletModeClaims = count
        case .proxyClaims(let clients): status.sensorProxyClients = clients
        case .deadlinePassed(let purpose): meet(purpose, at: time, &effects)
        case .saveFailed: saving.fail(at: time)
        case .shutdown:
            guard lifecycle != .ending else { return }
            lifecycle = .ending
            lifecycleDeadline = Deadline(purpose: .exit, time: time + Self.timeout.end)
            silence = PerRole(SilenceFeed())
            effects.step = .end
            effects.save = saving.write(savedState)
        case .setRotationLock(let lock): try policy.setLock(lock)
        case .rotate(let orientation): try policy.rotate(to: orientation)
        case .alignToDevice: policy.alignToDevice()
        case .setAutorotate(let mode):
            // Also the mode that is the default: from now on it does not depend on the machine.
            chosenMode = mode
            // Without one, `settle` sets the default.
            if let mode { policy.setAutorotate(mode) }
        case .setTabletMode(let mode):
            tablet.override = mode
            // What it says next, or the hinge, may turn the display (`orientctl tablet-mode toggle`).
            if mode == .unknown { lastTurn = time }
        case .setApplicationMask(let mask, let appID, let client):
            if mask != nil, !policy.hasApplicationMask(of: appID, for: client) {
                let masks = policy.dynamicMasks.mapValues { $0.count }
                try checkLimits(masks[client] ?? 0, masks.values.reduce(0, +), "application masks")
            }
            try policy.setApplicationMask(mask, of: appID, for: client)
        case .present(let request, let client):
            try checkLimits(policy.tree.count(of: client), policy.tree.count, "requests")
            let id = try policy.present(request, of: client)
            effects.request = ClientRequest(id: id, request: request, client: client)
        case .update(let id, let request, let client):
            try policy.update(id, to: request, of: client)
            effects.request = policy.request(id).map { ClientRequest(id: id, request: $0, client: client) }
        case .setNeedsUpdate(let id, let client): try policy.setNeedsUpdate(id, of: client)
        case .release(let id, let client): effects.released = try policy.release(id, of: client)
        case .vanished(let client): effects.released = policy.drop(client)
        }
    }

    /// Throws if a client, or all clients together, hold as many things of a kind as they may.
    private func checkLimits(_ held: Int, _ total: Int, _ kind: String) throws(RotationRefusal) {
        guard total < Self.limits.total else {
            throw .limitExceeded("all \(Self.limits.total) \(kind) are taken")
        }
        guard held < Self.limits.client else {
            throw .limitExceeded("this connection holds \(Self.limits.client) \(kind), the most it may")
        }
    }

    /// Derives the status, the transition and the state to save from the policy.
    private mutating func policyChanged(_ effects: inout Effects, at time: Double) {
        let shown = status.interfaceOrientation
        status.update(from: policy)
        if policy.shown != shown {
            effects.transition = Transition(from: shown, to: policy.shown, reason: policy.reason)
            effects.explanation = policy.explanation
        }
        let isTransition = effects.transition != nil
        if let state = saving.note(savedState, isTransition: isTransition, at: time) { effects.save = state }
    }

    // MARK: - The machine

    /// Sets how the panel is mounted.
    mutating func setDisplay(natural: DeviceOrientation?, laptopEdge: DeviceOrientation) {
        guard natural != configuration.naturalOrientation || laptopEdge != configuration.laptopEdge else { return }
        configuration.naturalOrientation = natural
        configuration.laptopEdge = laptopEdge
        tablet.hinge.laptopEdge = laptopEdge
        tablet.hinge.restart()
        motion.display.stream()
        motion.base.stream()
        tracker.naturalOrientation = natural ?? .portrait
        policy.configure(configuration.rotation(chassis: chassis))
    }

    /// Pauses the policy while the lid is closed or the machine sleeps.
    private mutating func pauseOrResume(at time: Double) {
        let isPaused = isLidClosed || lifecycle == .suspended
        guard isPaused != policy.isPaused else { return }
        tablet.hinge.restart()
        // Whoever opens the lid or wakes the machine up needs its keyboard.
        if tablet.override == .tablet { tablet.override = .unknown }
        if isPaused {
            policy.pause()
            tablet.pauseCheck()
        } else {
            policy.resume()
            tablet.repeatCheck(at: time)
            // A device at rest gives no reading.
            startClassifying()
        }
    }

    private mutating func finish(_ search: Search, _ effects: inout Effects) {
        awaited.remove(search)
        if awaited.isEmpty { becomeReady(&effects) }
    }

    private mutating func becomeReady(_ effects: inout Effects) {
        guard lifecycleDeadline?.purpose == .ready else { return }
        lifecycleDeadline = nil
        effects.step = .ready
    }

    // MARK: - Deadlines and the saved state

    private mutating func meet(_ purpose: Deadline.Purpose, at time: Double, _ effects: inout Effects) {
        switch purpose {
        case .sensors: table.expire(at: time)
        case .ready: becomeReady(&effects)
        case .silence: repeatSample(at: time)
        case .switchCheck: tablet.check.expire(at: time, angle: tablet.hinge.angle)
        // `handle` sets what it says after every event.
        case .virtualSwitch: break
        case .doze:
            motion.display.doze(at: time)
            motion.base.doze(at: time)
        case .save: effects.save = saving.write(savedState)
        case .exit:
            lifecycleDeadline = nil
            effects.step = .exit
        }
    }

    /// The next moment that it waits for; nil for none.
    public var deadline: Deadline? {
        var next: Deadline?
        var latest = Double.infinity
        func consider(_ purpose: Deadline.Purpose, _ time: Double?, slack: Double = Deadline.usualSlack) {
            guard let time else { return }
            // Another one that comes soon after it must not be late.
            latest = min(latest, time + slack)
            if time < next?.time ?? .infinity { next = Deadline(purpose: purpose, time: time, slack: slack) }
        }
        if let lifecycleDeadline { consider(lifecycleDeadline.purpose, lifecycleDeadline.time) }
        consider(.sensors, table.deadline)
        consider(.silence, silence.display.deadline)
        consider(.silence, silence.base.deadline)
        consider(.switchCheck, tablet.check.deadline, slack: 1)
        consider(.virtualSwitch, virtualSwitchDeadline)
        consider(.doze, motion.display.deadline, slack: 1)
        consider(.doze, motion.base.deadline, slack: 1)
        consider(.save, saving.deadline, slack: 1)
        if let time = next?.time { next?.slack = max(latest - time, 0) }
        return next
    }

    private var savedState: SavedState {
        var state = policy.memory
        state.autorotate = chosenMode
        return state
    }
}
