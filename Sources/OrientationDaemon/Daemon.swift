// SPDX-License-Identifier: Apache-2.0

import OrientationBus
package import OrientationConfiguration
import OrientationCore
import OrientationSensors
package import POSIX
package import SystemdBus

/// The daemon: delivers the events of sensors, switches, logind and the bus to the machine, and applies its effects.
package final class Daemon {
    private let loop: EventLoop
    private let bus: Bus
    private let log: Log
    private let driver: MachineDriver
    private let recorder: Recorder?
    private let file: StateFile?
    private let manager: ManagerObject
    private let sensors: Sensors

    /// Nil where another machine's sensors, or a recording's, count: this one's lid says nothing about them.
    private let switches: LidAndTabletSwitches?

    /// Nil where net.hadess.SensorProxy is not served.
    private let proxy: SensorProxyObject?
    private let sleep: SleepWatch
    private let tabletSwitch: TabletSwitchLink

    /// What must live as long as the daemon.
    private let watches: [AnyObject]

    private var reads = PerRole(false)
    private var sensing = PerRole(Sensing.stream)
    private var readsHinge = false
    private var isSwitchContradicted = false
    private var saveProblem: ProblemLog
    /// What the service manager was told last; nil until the service is ready.
    private var reportedSummary: String?

    /// Connects to the bus, starts to look for sensors, and takes the service's name; results come in ``run()``.
    ///
    /// `recording` is the file that every event is written to; nil for none.
    package init(
        configuration: Configuration,
        bus address: BusAddress,
        replacing: Bool,
        recording: String?,
        log: Log
    ) throws(SystemError) {
        let loop = try EventLoop()
        let bus = try Bus(address)
        try bus.attach(to: loop)
        var settings = configuration.machine
        if settings.naturalOrientation == nil { settings.naturalOrientation = try BuiltInDisplay.naturalOrientation }
        let recorder: Recorder? = if let recording { try Recorder(path: recording, log: log) } else { nil }
        let file = StateFile.standard
        let driver = MachineDriver(settings, saved: file?.read(warn: log.warning), loop: loop, recorder: recorder)
        // Before the first thread: where that came first, SIGTERM killed one daemon in some hundred under umockdev.
        let termination = try loop.onTermination { driver.deliver(.shutdown) }
        let scanner = try SensorScanner(configuration.source, loop: loop, log: log)
        (self.loop, self.bus, self.log, self.recorder, self.file, self.driver) = (
            loop, bus, log, recorder, file, driver
        )
        saveProblem = ProblemLog(log, consequence: "the lock and the orientation will not outlast this run")

        let authority = try PolkitAuthority(bus: bus, loop: loop, limitError: Names.limitError) {
            log.warning("polkit is not on \(address): only root and orientd's own user may claim, lock or rotate")
        }
        let clients = Clients(on: bus, authority: authority)
        manager = try ManagerObject(
            bus: bus,
            loop: loop,
            version: Version.current,
            status: driver.machine.status,
            clients: clients,
            host: driver
        )
        let sensors = try Sensors(
            configuration: configuration,
            scanner: scanner,
            loop: loop,
            bus: bus,
            log: log,
            record: recorder.map { recorder in { recorder.write($0, at: driver.now) } }
        )
        self.sensors = sensors
        let servesProxy = SensorProxyObject.isWanted(configuration.servesSensorProxy, log: log)
        proxy =
            servesProxy
            ? try SensorProxyObject(bus: bus, loop: loop, clients: clients) { kind, claimants in
                guard kind == .accelerometer else { return sensors.read(kind, !claimants.isEmpty) }
                driver.deliver(.proxyClaims(claimants))
            } : nil
        switches =
            configuration.source == .local
            ? try LidAndTabletSwitches(loop: loop, log: log, ignored: configuration.ignoredTabletSwitches) {
                driver.switchesChanged($0, isLidClosed: $1)
            } : nil
        sleep = try SleepWatch(address, loop: loop, log: log) { driver.deliver($0 ? .sleep : .wake) }
        let socket = environment("ORIENTD_TABLET_SWITCH_SOCKET") ?? "/run/orientd-tablet-switch.socket"
        tabletSwitch = try TabletSwitchLink(path: socket, loop: loop, log: log)
        let timer = try loop.timer { driver.deadlinePassed() }
        try loop.serveWatchdog()
        let name: BusSlot
        do throws(SystemError) {
            name = try bus.own(Names.service, replacing: replacing) {
                log.info("another service has taken over \(Names.service)")
                driver.deliver(.shutdown)
            }
        } catch {
            var error = error
            if error.errno == .exists { error.hint = "stop it first, or use: orientd --replace" }
            throw error
        }
        var isConnected = true
        let disconnected = {
            if isConnected { log.error("the connection to \(address) was closed") }
            isConnected = false
            loop.exit(1)
        }
        watches = [termination, timer, name, try bus.onDisconnect(disconnected), try sleep.onDisconnect(disconnected)]
        driver.applyEffects = { [self] in apply($0) }
        driver.arm = { deadline in
            guard let deadline else { return timer.disarm() }
            timer.arm(after: deadline.time - driver.now, slack: deadline.slack)
        }
        driver.onRead = { sensors.deliverWaiting() }
        try begin()
    }

    /// Starts the searches that READY waits for; the one for sensors is under way.
    private func begin() throws(SystemError) {
        driver.begin()
        sensors.onEvent = { [self] in handle($0) }
        try sensors.begin()
        if driver.machine.needsChassis {
            Chassis.ask(over: bus) { [self] idiom, error in
                if let error {
                    log.warning("hostnamed does not tell the chassis, so it counts as a tablet: \(error)")
                }
                driver.deliver(.chassisFound(idiom))
            }
        }
        guard let switches else { return driver.deliver(.switchesFound) }
        try switches.begin { [self] in driver.deliver(.switchesFound) }
    }

    /// Serves until a termination signal, or until another orientd takes over; returns the exit status.
    package func run() throws(SystemError) -> Int32 {
        let status = try loop.run()
        recorder?.flush()
        return status
    }

    // MARK: - Effects

    private func apply(_ effects: Effects) {
        if let state = effects.save { save(state) }
        if let status = effects.status { log(status, effects) }
        manager.publish(effects)
        proxy?.publish(effects)
        if effects.reads != reads || effects.sensing != sensing { read(effects) }
        if effects.readsHinge != readsHinge {
            readsHinge = effects.readsHinge
            sensors.read(.hinge, readsHinge)
        }
        tabletSwitch.apply(effects.tabletSwitch)
        if let scale = effects.wrongScale {
            log.warning("the accelerometer's scale looks wrong: at rest it reads \(scale) g; taking that for 1 g")
        }
        if let step = effects.step { apply(step) }
    }

    private func read(_ effects: Effects) {
        let (wereRead, wereSensed) = (reads, sensing)
        (reads, sensing) = (effects.reads, effects.sensing)
        for role in AccelerometerRole.allCases {
            if reads[role] != wereRead[role] { sensors.read(.accelerometer, reads[role], role: role) }
            if sensing[role] != wereSensed[role] { sensors.sense(sensing[role], role: role) }
        }
    }

    private func apply(_ step: Effects.Step) {
        switch step {
        case .ready:
            // Clients of that name ask once, when it appears, whether there are sensors.
            if proxy != nil { SensorProxyObject.ownName(on: bus, log: log) }
            let summary = sensors.summary
            reportedSummary = summary
            ServiceManager.ready(status: summary)
        case .suspend: sensors.enter(.suspended) { [self] in sleep.allowSleep() }
        case .resume: sensors.enter(.running)
        case .end:
            ServiceManager.stopping()
            sensors.enter(.ending) { [self] in loop.exit() }
        case .exit: loop.exit()
        }
    }

    private func log(_ status: ManagerStatus, _ effects: Effects) {
        log.debug("\(status.deviceOrientation), face \(status.faceOrientation), sensor \(status.sensorState)")
        if status.isSwitchContradicted != isSwitchContradicted {
            isSwitchContradicted = status.isSwitchContradicted
            if isSwitchContradicted { switches?.warnOfContradiction(angle: status.hingeAngle) }
        }
        guard let transition = effects.transition else { return }
        log.debug("\(transition.to) after \(transition.from), by \(transition.reason): \(effects.explanation)")
    }

    // MARK: - The saved state

    private func save(_ state: SavedState) {
        guard let file else { return }
        let isSaved = saveProblem.attempt { () throws(SystemError) in try file.write(state) }
        if !isSaved { driver.deliver(.saveFailed) }
    }
}

extension Daemon {
    private func handle(_ event: Sensors.Event) {
        switch event {
        case .samplingBegan(let role, let sampling):
            // A source that starts again reads every sample.
            sensing[role] = .stream
            driver.deliver(.samplingBegan(role, sampling))
        case .sample(let role, let sample): driver.deliver(sample, role)
        case .reading(let measurement):
            if case .angle(let degrees) = measurement { driver.deliver(.hingeAngle(degrees)) }
            proxy?.publish(measurement)
        case .changed(let use): changed(use)
        case .found: driver.deliver(.sensorsFound)
        }
    }

    private func changed(_ use: SensorUse) {
        let report = sensors.report(use)
        if let proxy, use.role == .display {
            let isRead = !report.mayDeliver || sensors.reading(of: use.kind) != nil
            proxy.setPresence(of: use.kind, report.isPresent, isRead: isRead)
        }
        if use.kind == .hinge { driver.deliver(.hingeSensor(report)) }
        guard use.kind == .accelerometer else { return }
        driver.deliver(.sensorChanged(use.role, report))
        let summary = sensors.summary
        guard use.role == .display, let reportedSummary, summary != reportedSummary else { return }
        self.reportedSummary = summary
        ServiceManager.status(summary)
    }
}
