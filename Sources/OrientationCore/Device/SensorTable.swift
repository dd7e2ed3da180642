// SPDX-License-Identifier: Apache-2.0

/// What a sensor is used for; of several sensors for the same use one is read.
package struct SensorUse: Hashable, Sendable {
    package let kind: SensorKind
    /// The display's for all but accelerometers.
    package let role: AccelerometerRole

    package static let all = SensorKind.allCases.map { Self($0) } + [Self(.accelerometer, .base)]

    package init(_ kind: SensorKind, _ role: AccelerometerRole = .display) {
        (self.kind, self.role) = (kind, role)
    }
}

/// All sensors by number: the life of each device, and for each use the sensor that is read.
///
/// A value that makes no call: each method takes an event, and leaves what is to be done in ``takeActions()``. Times are
/// in seconds, on any clock that does not go back.
package struct SensorTable: Sendable {
    /// What is to be done, in this order.
    package enum Action: Hashable, Sendable {
        case log(SensorLog)
        /// Pass the commands to the driver of the sensor.
        case drive(Int, DeviceCommands)
        /// Close the sensor, which was unplugged long ago, and remove it from the bus.
        case forget(Int)
        /// Sampling began, or the device is closed; of interest are the warnings.
        case report(Int, DeviceReport)
        /// What is known of a use, or of one of its sensors, has changed.
        case changed(SensorUse)
        /// Scan for devices now.
        case scan
    }

    private struct Sensor {
        let number: Int
        let use: SensorUse
        /// Nil for a recording or a simulation, which have no device.
        var life: DeviceMachine?
        var path: String
        /// What the driver was told last.
        var driven = DeviceCommands()
    }

    /// The sensors for one use.
    private struct Choice {
        let use: SensorUse
        var selection = SensorSelection()
        /// When to scan again.
        var retry: Double?
    }

    private var actions: [Action] = []
    private var sensors: [Sensor] = []
    private var uses = SensorUse.all.map { Choice(use: $0) }

    package init() {}

    // MARK: - What is known

    /// Returns and forgets what is to be done.
    package mutating func takeActions() -> [Action] {
        var taken: [Action] = []
        swap(&taken, &actions)
        return taken
    }

    /// The sensors that are or were used for something.
    package func selection(_ use: SensorUse) -> SensorSelection {
        guard let index = index(use) else { preconditionFailure("a use is missing") }
        return uses[index].selection
    }

    package func use(of number: Int) -> SensorUse? { sensors.first { $0.number == number }?.use }

    /// The life of a device; nil for a recording or a simulation.
    package func life(of number: Int) -> DeviceMachine? { sensors.first { $0.number == number }?.life }

    /// The directory of a device, or what it was when it was unplugged.
    package func path(of number: Int) -> String? { sensors.first { $0.number == number }?.path }

    /// When to call ``expire(at:)``; nil for never.
    package var deadline: Double? {
        var next = Double.infinity
        for sensor in sensors { next = min(next, sensor.life?.deadline ?? .infinity) }
        for use in uses { next = min(next, use.retry ?? .infinity) }
        return next < .infinity ? next : nil
    }

    /// The devices whose deadline has passed.
    package func overdue(at time: Double) -> [Int] {
        sensors.filter { $0.life?.deadline ?? .infinity <= time }.map { $0.number }
    }

    /// The sensors that are at a path.
    package func present(at path: String) -> [Int] {
        uses.flatMap { $0.selection.sensors }.filter { $0.condition != .unplugged && $0.identity.path == path }
            .map { $0.number }
    }

    /// Whether a sensor that works is at a path.
    package func hasWorkingSensor(at path: String) -> Bool {
        uses.contains { $0.selection.sensors.contains { $0.works && $0.identity.path == path } }
    }

    private func index(_ use: SensorUse) -> Int? { uses.firstIndex { $0.use == use } }

    // MARK: - From udev and scans

    /// A scan found a sensor, for the first time or again; nil for one that has no device, or cannot be described.
    package mutating func find(
        _ number: Int,
        for use: SensorUse,
        _ identity: SensorIdentity,
        isSubstitute: Bool,
        _ traits: DeviceTraits?,
        isDevice: Bool = true,
        at time: Double
    ) {
        if let path = path(of: number), path != identity.path, traits != nil { drive(number, .removed, at: time) }
        if let index = sensors.firstIndex(where: { $0.number == number }) {
            sensors[index].path = identity.path
        } else {
            let life = isDevice ? DeviceMachine(rate: traits?.rate ?? 0) : nil
            sensors.append(Sensor(number: number, use: use, life: life, path: identity.path))
        }
        if let traits { drive(number, .found(traits), at: time) }
        select(use, .found(number, identity, isSubstitute: isSubstitute), at: time)
    }

    /// The sensors of a use that are at a path were unplugged, or became other sensors, and why.
    package mutating func remove(path: String, _ use: SensorUse, _ reason: String, at time: Double) {
        for number in present(at: path) where self.use(of: number) == use { drive(number, .removed, at: time) }
        select(use, .removed(path: path, reason), at: time)
    }

    /// udev announced a device: the next scan may bring what was missing.
    package mutating func announce(at time: Double) {
        for use in SensorUse.all { select(use, .announced, at: time) }
    }

    /// A scan has ended; whether another one may bring back a sensor that failed, or new ones.
    package mutating func endScan(mayReturn reason: RescanReason, retries: Bool, at time: Double) {
        for use in SensorUse.all { select(use, .scanned(mayReturn: reason, retries: retries), at: time) }
    }

    // MARK: - From the machine

    /// Whether somebody needs readings.
    package mutating func need(_ isNeeded: Bool, _ use: SensorUse, at time: Double) {
        select(use, .needed(isNeeded), at: time)
    }

    package mutating func enter(_ lifecycle: OrientationMachine.Lifecycle, at time: Double) {
        for use in SensorUse.all { select(use, .lifecycle(lifecycle), at: time) }
    }

    /// Sets how closely the sensor in use is read, until sampling begins anew; returns its number.
    package mutating func sense(_ sensing: Sensing, _ use: SensorUse, at time: Double) -> Int? {
        let selection = selection(use)
        guard selection.isReading, let number = selection.activeNumber, life(of: number) != nil else { return nil }
        drive(number, .sense(sensing), at: time)
        return number
    }

    // MARK: - From a sensor

    /// Something happened to a device.
    package mutating func handle(_ event: DeviceEvent, of number: Int, at time: Double) {
        drive(number, event, at: time)
    }

    /// Something happened to a recording or a simulation.
    package mutating func handle(_ report: DeviceReport, of number: Int, at time: Double) {
        guard let use = use(of: number) else { return }
        self.report(number, use, report, at: time)
    }

    /// A reading came; nil for other kinds than accelerometers.
    package mutating func add(_ sample: AccelerometerSample?, of number: Int, at time: Double) {
        guard let use = use(of: number) else { return }
        select(use, .sample(number, sample), at: time)
    }

    /// The recording is over.
    package mutating func end(_ number: Int, at time: Double) {
        guard let use = use(of: number) else { return }
        select(use, .ended(number), at: time)
    }

    /// Scans again where that is due; the devices that are overdue have events of their own.
    package mutating func expire(at time: Double) {
        for index in uses.indices where uses[index].retry ?? .infinity <= time {
            uses[index].retry = nil
            actions.append(.scan)
        }
    }

    // MARK: - The two levels

    /// Passes an event to the selection of a use, and carries out its commands.
    private mutating func select(_ use: SensorUse, _ event: SensorEvent, at time: Double) {
        guard let index = index(use) else { return }
        let commands = uses[index].selection.handle(event)
        if let line = commands.log { actions.append(.log(line)) }
        switch commands.retry {
        case .never: uses[index].retry = nil
        case .after(let delay): uses[index].retry = time + delay
        case nil: break
        }
        if let number = commands.stop { drive(number, .stop, at: time) }
        if let number = commands.start { drive(number, .start, at: time) }
        if let number = commands.forget {
            sensors.removeAll { $0.number == number }
            actions.append(.forget(number))
        }
        if commands.isChanged { actions.append(.changed(use)) }
        if commands.scans { actions.append(.scan) }
    }

    /// Passes an event to a device's life; where there is no device, the driver is told only whether to read.
    private mutating func drive(_ number: Int, _ event: DeviceEvent, at time: Double) {
        guard let index = sensors.firstIndex(where: { $0.number == number }) else { return }
        guard sensors[index].life != nil else {
            var commands = DeviceCommands()
            if event == .start { commands.reading = .poll }
            return actions.append(.drive(number, commands))
        }
        guard var commands = sensors[index].life?.handle(event, at: time) else { return }
        let report = commands.report.take()
        // Most readings change nothing.
        if commands != sensors[index].driven || commands.job != nil || commands.abandons {
            sensors[index].driven = commands
            actions.append(.drive(number, commands))
        }
        if let report { self.report(number, sensors[index].use, report, at: time) }
    }

    private mutating func report(_ number: Int, _ use: SensorUse, _ report: DeviceReport, at time: Double) {
        switch report {
        case .started, .closed: actions.append(.report(number, report))
        case .stalled, .silent, .failed: break
        }
        select(use, .report(number, report), at: time)
    }
}
