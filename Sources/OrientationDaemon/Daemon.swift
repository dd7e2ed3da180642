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

    private var saveProblem: ProblemLog
    /// The last status that the service manager got; nil until the service is ready.
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
        try settings.adaptToDisplay()
        let recorder: Recorder? = if let recording { try Recorder(path: recording, log: log) } else { nil }
        let file = StateFile.standard
        let driver = try MachineDriver(settings, saved: file?.read(warn: log.warning), loop: loop, recorder: recorder)
        // Before the first thread: where that came first, SIGTERM killed one daemon in some hundred under umockdev.
        let termination = try loop.onTermination { driver.deliver(.shutdown) }
        let scanner = try SensorScanner(configuration.source, loop: loop, log: log)
        self.loop = loop
        self.bus = bus
        self.log = log
        self.recorder = recorder
        self.file = file
        self.driver = driver
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
        let servesProxy = SensorProxyObject.isWanted(configuration.servesSensorProxy, log: log)
        let proxy =
            servesProxy
            ? try SensorProxyObject(bus: bus, loop: loop, clients: clients) { kind, claimants in
                let isNeeded = !claimants.isEmpty
                driver.deliver(kind == .accelerometer ? .proxyClaims(claimants) : .needed(kind, isNeeded))
            } : nil
        let sensors = Sensors(
            configuration: configuration,
            scanner: scanner,
            machineDriver: driver,
            loop: loop,
            bus: bus,
            log: log
        ) { proxy?.publish($0) }
        self.sensors = sensors
        self.proxy = proxy
        switches =
            configuration.source.isLocal
            ? try LidAndTabletSwitches(
                loop: loop,
                log: log,
                ignored: .init(lid: configuration.ignoredLidSwitches, tabletMode: configuration.ignoredTabletSwitches),
                countsKeyboards: configuration.isTabletWithoutKeyboard
            ) {
                driver.switchesChanged($0, isLidClosed: $1)
            } : nil
        if let switches { scanner?.onCover = { switches.isCovered = $0 } }
        sleep = try SleepWatch(address, loop: loop, log: log) { driver.deliver($0 ? .sleep : .wake) }
        let socket = environment("ORIENTD_TABLET_SWITCH_SOCKET") ?? "/run/orientd-tablet-switch.socket"
        tabletSwitch = try TabletSwitchLink(path: socket, loop: loop, log: log)
        try loop.serveWatchdog()
        // Before the name: for a source that cannot be opened, --replace must not end another orientd.
        try sensors.begin()
        let name: BusSlot
        do throws(SystemError) {
            name = try bus.own(Names.service, replacing: replacing) {
                log.info("another service has taken over \(Names.service)")
                driver.deliver(.shutdown)
            }
        } catch {
            var error = error
            if error.errno == .exists { error.hint += "; stop it first, or add --replace" }
            throw error
        }
        var isConnected = true
        let disconnected = {
            if isConnected { log.error("the connection to \(address) was closed") }
            isConnected = false
            loop.exit(1)
        }
        let displays = try DeviceMonitor(subsystem: "drm", loop: loop) { _, _ in driver.findDisplay() }
        let consoles = try DeviceMonitor(subsystem: "graphics", loop: loop) { change, _ in
            if change == .added { driver.findDisplay(hasNewConsole: true) }
        }
        watches = [
            termination, displays, consoles, name,
            try bus.onDisconnect(disconnected), try sleep.onDisconnect(disconnected),
        ]
        driver.begin { [self] in apply($0) }
        try begin()
    }

    /// Starts the searches that READY waits for besides that for sensors.
    private func begin() throws(SystemError) {
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
        for action in effects.actions {
            sensors.perform(action)
            if case .changed(let use) = action { changed(use) }
        }
        if let status = effects.status { log(status, effects) }
        manager.publish(effects)
        proxy?.publish(effects)
        tabletSwitch.apply(effects.tabletSwitch)
        if let angle = effects.contradictingAngle { switches?.warnOfContradiction(angle: angle) }
        if let scale = effects.wrongScale {
            let reading = (scale * 1000).rounded() / 1000
            let isWeak = scale < OrientationClassifier.leastReference
            let consequence = isWeak ? "too little to tell an orientation" : "taking that for 1 g"
            log.warning("the accelerometer's scale looks wrong: at rest it reads \(reading) g; \(consequence)")
        }
        if let step = effects.step { apply(step) }
    }

    private func apply(_ step: Effects.Step) {
        switch step {
        case .ready:
            // Clients of that name ask once, when it appears, whether there are sensors.
            if proxy != nil { SensorProxyObject.ownName(on: bus, log: log) }
            let summary = sensors.summary
            reportedSummary = summary
            if !driver.machine.status.hasAccelerometer {
                log.info("there is no accelerometer; orientctl doctor tells more")
            }
            ServiceManager.ready(status: summary)
        case .suspend: sensors.onClosed = { [self] in sleep.allowSleep() }
        case .resume: sensors.onClosed = nil
        case .end:
            ServiceManager.stopping()
            sensors.scanner?.end()
            sensors.onClosed = { [self] in loop.exit() }
        case .exit: loop.exit()
        }
    }

    private func log(_ status: ManagerStatus, _ effects: Effects) {
        log.debug("\(status.deviceOrientation), face \(status.faceOrientation), sensor \(status.sensorState)")
        guard let transition = effects.transition else { return }
        log.debug("\(transition.to) after \(transition.from), by \(transition.reason): \(effects.explanation)")
    }

    // MARK: - The saved state

    private func save(_ state: SavedState) {
        guard let file else { return }
        let isSaved = saveProblem.attempt { () throws(SystemError) in try file.write(state) }
        if !isSaved { driver.deliver(.saveFailed) }
    }

    // MARK: - Sensors

    private func changed(_ use: SensorUse) {
        let report = driver.machine.report(use)
        if let proxy, use.role == .display {
            let isRead = !report.mayDeliver || sensors.hasReading(of: use.kind)
            proxy.setPresence(of: use.kind, report.isPresent, isRead: isRead)
        }
        guard use == SensorUse(.accelerometer), let reportedSummary else { return }
        let summary = sensors.summary
        guard summary != reportedSummary else { return }
        self.reportedSummary = summary
        ServiceManager.status(summary)
    }
}
