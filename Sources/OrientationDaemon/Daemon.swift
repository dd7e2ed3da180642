// SPDX-License-Identifier: Apache-2.0

import OrientationBus
package import OrientationConfiguration
package import OrientationCore
import OrientationSensors
package import POSIX
package import SystemdBus

/// The daemon: sensors, classification and the bus, wired together in one loop.
package final class Daemon {
    /// How long in seconds READY waits for the first look at the sensors, and the end for their being put to rest.
    private static let patience = (start: 1.0, end: 0.5)

    private let loop: EventLoop
    private let bus: Bus
    private let log: Log
    private var tracker: OrientationTracker
    private var rotation: InterfaceRotation?
    private var supervisor: SensorSupervisor?
    private var switches: MachineSwitches?
    private var hinge: Hinge?
    private var manager: ManagerObject?
    private var proxy: SensorProxy?

    private var termination: TerminationWatch?
    private var disconnection: BusSlot?
    private var nameLoss: BusSlot?
    private var sleep: SleepWatch?
    private var startTimer: Timer?
    private var endTimer: Timer?
    private var silence: SilenceFeed?
    private var isClaimed = false
    private var isAsleep = false
    private var awaited = 3
    private var isReady = false
    private var isEnding = false
    private var reportedReference = 1.0
    private var reportedSummary = ""

    /// Connects to the bus and takes the service's name; nothing runs before ``run()``.
    package init(
        configuration: Configuration,
        bus address: BusAddress,
        replacing: Bool,
        log: Log
    ) throws(SystemError) {
        self.log = log
        loop = try EventLoop()
        var naturalOrientation = configuration.naturalOrientation
        if naturalOrientation == nil { naturalOrientation = try BuiltInDisplay.naturalOrientation }
        let natural = naturalOrientation ?? .portrait
        tracker = OrientationTracker(
            naturalOrientation: natural,
            constants: configuration.classifier.constants,
            reportsFace: configuration.reportsFace
        )
        bus = try Bus(address)
        try bus.attach(to: loop)

        termination = try loop.onTermination { [self] in end() }
        try loop.serveWatchdog()
        disconnection = try bus.onDisconnect { [self] in
            log.error("the connection to \(address) was closed")
            loop.exit(1)
        }
        startTimer = try loop.timer { [self] in becomeReady() }
        endTimer = try loop.timer { [self] in loop.exit() }
        silence = try SilenceFeed(loop: loop) { [self] in take($0) }

        let rotation = try InterfaceRotation(
            configuration: configuration,
            natural: natural,
            file: StateFile.standard,
            loop: loop,
            bus: bus,
            log: log
        )
        self.rotation = rotation
        rotation.onDecision = { [self] in decided($0) }
        let authority = PolkitAuthority(bus: bus) {
            log.warning("polkit is not on \(address): only root and orientd's own user may claim, lock or rotate")
        }
        manager = try ManagerObject(
            bus: bus,
            loop: loop,
            version: Version.current,
            status: ManagerStatus(rotation.policy),
            authority: authority,
            host: rotation,
            delegate: self
        )
        let helper = try HelperThread(loop: loop)
        let hinge = Hinge { [self] in machineChanged() }
        self.hinge = hinge
        let supervisor = try SensorSupervisor(
            configuration: configuration,
            loop: loop,
            bus: bus,
            log: log,
            helper: helper,
            delegate: self,
            baseDelegate: hinge
        )
        self.supervisor = supervisor
        if SensorProxy.isWanted(configuration.servesSensorProxy, log: log) {
            proxy = try SensorProxy(bus: bus, loop: loop, authority: authority, supervisor: supervisor, host: self)
        }
        try bus.own(Names.service, replacing: replacing)
        nameLoss = try bus.onNameLost(Names.service) { [self] in
            log.info("another service has taken over \(Names.service)")
            end()
        }
        sleep = try SleepWatch(bus: bus, log: log) { [self] in $0 ? fallAsleep() : wakeUp() }
        try supervisor.begin { [self] in partIsReady() }
        rotation.begin { [self] in partIsReady() }
        // What another machine or a recording says has nothing to do with the lid of this one.
        if configuration.source == .local {
            let switches = MachineSwitches(loop: loop, helper: helper, log: log) { [self] in machineChanged() }
            self.switches = switches
            try switches.begin { [self] in partIsReady() }
        } else {
            partIsReady()
        }
        startTimer?.arm(after: Self.patience.start)
    }

    /// Serves until it is told to end; returns the exit status.
    package func run() throws(SystemError) -> Int32 {
        try loop.run()
    }

    /// Takes notice that the sensors, the switches or the kind of machine are known.
    private func partIsReady() {
        awaited -= 1
        if awaited == 0 { becomeReady() }
    }

    private func becomeReady() {
        guard !isReady else { return }
        isReady = true
        startTimer?.disarm()
        // Who looks for that name asks once whether there are sensors, and goes by the answer.
        proxy?.takeName(log: log)
        reportedSummary = supervisor?.summary ?? ""
        ServiceManager.ready(status: reportedSummary)
    }

    /// Puts the sensors to rest and ends, at once if one hangs.
    private func end() {
        guard !isEnding else { return }
        isEnding = true
        ServiceManager.stopping()
        endTimer?.arm(after: Self.patience.end)
        manager?.answerWaiting()
        proxy?.answerWaiting()
        rotation?.end()
        supervisor?.end { [self] in loop.exit() }
    }

    // MARK: - Samples

    private func take(_ sample: AccelerometerSample) {
        let (edge, hadEdge) = (tracker.deviceEdge, tracker.hasEdge)
        tracker.add(sample)
        // The same edge is a turn, too, if it is the first after a pause; what is none the policy knows.
        if tracker.deviceEdge != edge || tracker.hasEdge != hadEdge {
            rotation?.deviceTurned(to: tracker.deviceEdge)
        } else {
            publish()
        }
        if tracker.reference != 1, tracker.reference != reportedReference { reportReference() }
    }

    /// Publishes what the sensors and the tracker say, and what the policy has made of it or of something else.
    private func publish(_ decision: Decision? = nil) {
        guard let manager, let supervisor else { return }
        var status = manager.status
        status.hasAccelerometer = supervisor.hasSensor(.accelerometer)
        status.sensorState = supervisor.state(of: .accelerometer)
        status.deviceOrientation = tracker.deviceOrientation
        status.faceOrientation = tracker.faceOrientation
        if status != manager.status {
            log.debug("\(status.deviceOrientation), face \(status.faceOrientation), sensor \(status.sensorState)")
        }
        if decision != nil, let rotation { status.take(rotation.policy) }
        manager.publish(status, decision?.transition)
        manager.answerIfKnown()
        proxy?.publish(tracker)
    }

    private func decided(_ decision: Decision) {
        publish(decision)
        machineChanged()
    }

    // MARK: - The machine

    /// Has the sensor sample while somebody wants to know, or a request turns with the device.
    private func senseIfNeeded() {
        let isAsked = rotation.map { $0.policy.autorotatingRequests > 0 } == true
        let isNeeded = isClaimed || isAsked || proxy?.claimsAccelerometer == true
        supervisor?.need(.accelerometer, isNeeded)
        supervisor?.needBase(isNeeded && countsAngle)
    }

    /// Says whether the angle of the hinge decides what the machine is used as, and that anything.
    private var countsAngle: Bool {
        supervisor?.hasHinge == true && switches?.tabletMode ?? .unknown == .unknown
            && rotation?.policy.autorotate == .tabletMode
    }

    /// Takes notice of what the machine is used as, of its lid, and of what tells of them.
    private func machineChanged() {
        guard let rotation, let supervisor, let hinge else { return }
        if !countsAngle { hinge.forget() }
        let mode = switches?.tabletMode ?? .unknown
        rotation.machineUsed(
            as: mode == .unknown ? hinge.tabletMode : mode,
            isTold: mode != .unknown || supervisor.hasHinge
        )
        pauseIfNeeded()
        senseIfNeeded()
    }

    /// Has the policy ignore the device while the lid is closed or the machine sleeps.
    private func pauseIfNeeded() {
        guard let rotation else { return }
        let isPaused = isAsleep || switches?.isLidClosed == true
        guard isPaused != rotation.isPaused else { return }
        rotation.isPaused = isPaused
        // What was sampled meanwhile is no news afterwards.
        if !isPaused { tracker.restart() }
    }

    /// Puts the sensors to rest while the machine sleeps; how the interface is shown stays.
    private func fallAsleep() {
        log.debug("the machine is about to sleep")
        isAsleep = true
        pauseIfNeeded()
        supervisor?.suspend { [self] in sleep?.allowSleep() }
    }

    private func wakeUp() {
        log.debug("the machine has woken up")
        isAsleep = false
        pauseIfNeeded()
        supervisor?.resume()
    }

    private func reportReference() {
        reportedReference = tracker.reference
        log.warning(
            "the accelerometer's scale looks wrong: at rest it reads \(tracker.reference) g; taking that for 1 g"
        )
    }
}

extension Daemon: ManagerDelegate {
    package var gravity: Vector3 { tracker.gravity }

    package var hasFirstAnswer: Bool {
        guard let supervisor, supervisor.isHopeful(.accelerometer) else { return true }
        return supervisor.state(of: .accelerometer) == .sampling && tracker.hasAnswer
    }

    package func claimsChanged(areHeld: Bool) {
        log.debug(areHeld ? "the sensor is claimed" : "no claim is left")
        isClaimed = areHeld
        senseIfNeeded()
    }
}

extension Daemon: SensorProxyHost {
    func accelerometerClaimsChanged() {
        senseIfNeeded()
    }
}

extension Daemon: SensorSupervisorDelegate {
    func samplingBegan(rate: Double, mayFallSilent: Bool, faceUp: SensorFrame.FaceUp) {
        let samplePeriod = rate > 0 ? 1 / rate : 1 / 15
        tracker.begin(samplePeriod: samplePeriod, faceUp: faceUp)
        hinge?.displayBegan()
        silence?.begin(samplePeriod: mayFallSilent ? samplePeriod : nil)
    }

    func received(_ measurement: Measurement) {
        guard case .acceleration(let sample) = measurement else {
            proxy?.publish(measurement)
            return
        }
        hinge?.displayRead(sample.acceleration)
        take(sample)
        silence?.heard(sample, isTurning: tracker.isTurning)
    }

    func sensorChanged(_ kind: SensorKind) {
        proxy?.sensorChanged(kind)
        guard kind == .accelerometer else { return }
        if supervisor?.state(of: kind) != .sampling { hinge?.displayBegan() }
        publish()
        machineChanged()
        guard isReady, let summary = supervisor?.summary, summary != reportedSummary else { return }
        reportedSummary = summary
        ServiceManager.status(summary)
    }
}
