// SPDX-License-Identifier: Apache-2.0

/// What a sensor is used for; of several sensors for the same use one is read.
public struct SensorUse: Hashable, Sendable {
    public let kind: SensorKind
    /// The display's for all but accelerometers.
    public let role: AccelerometerRole

    package static let all = SensorKind.allCases.map { Self($0) } + [Self(.accelerometer, .base)]

    package init(_ kind: SensorKind, _ role: AccelerometerRole = .display) {
        self.kind = kind
        self.role = role
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
        /// Log what went wrong while the device was prepared, opened or closed.
        case warn(Int, [String])
        /// Sampling began, or goes on in another way.
        case began(Int)
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
        var faceUp = SensorFrame.FaceUp.positiveZ
        /// Those that the driver got last.
        var commands = DeviceCommands()
    }

    private var actions: [Action] = []
    private var sensors: [Sensor] = []
    /// Of each of ``SensorUse/all``, in that order.
    private var selections = SensorUse.all.map { _ in SensorSelection() }

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
        selections[index(use)]
    }

    /// The number of the sensor in use.
    func activeNumber(_ use: SensorUse) -> Int? { selections[index(use)].activeNumber }

    /// Whether there is something to do.
    var hasActions: Bool { !actions.isEmpty }

    package func use(of number: Int) -> SensorUse? { index(of: number).map { sensors[$0].use } }

    /// What a sensor is used for now; nil for one that is not in use.
    package func activeUse(of number: Int) -> SensorUse? {
        use(of: number).flatMap { activeNumber($0) == number ? $0 : nil }
    }

    /// The life of a device; nil for a recording or a simulation.
    package func life(of number: Int) -> DeviceMachine? { index(of: number).flatMap { sensors[$0].life } }

    /// How an accelerometer is read; nil for a recording or a simulation.
    func sampling(_ number: Int) -> Sampling? {
        guard let index = index(of: number), let life = sensors[index].life else { return nil }
        let isBuffered = life.mode == .buffer
        return Sampling(rate: life.sampleRate, mayFallSilent: isBuffered, faceUp: sensors[index].faceUp)
    }

    /// What the sensor was when a scan found it last.
    func identity(of number: Int) -> SensorIdentity? {
        use(of: number).flatMap { selection($0).sensor(number)?.identity }
    }

    /// When to call ``expire(at:)``; nil for never.
    package var deadline: Double? {
        var next = Double.infinity
        for index in sensors.indices { next = min(next, sensors[index].life?.deadline ?? .infinity) }
        for index in selections.indices { next = min(next, selections[index].retry ?? .infinity) }
        return next < .infinity ? next : nil
    }

    /// The sensors at a path, of one kind or of all.
    package func present(at path: String, of kind: SensorKind? = nil) -> [SensorSelection.Sensor] {
        let uses = SensorUse.all.filter { kind == nil || $0.kind == kind }
        return uses.flatMap { selection($0).sensors }.filter { $0.condition != .unplugged && $0.identity.path == path }
    }

    private func index(_ use: SensorUse) -> Int {
        guard let index = SensorUse.all.firstIndex(of: use) else { preconditionFailure("a use is missing") }
        return index
    }

    private func index(of number: Int) -> Int? { sensors.firstIndex { $0.number == number } }

    // MARK: - From udev and scans

    /// A scan found a device, for the first time or again; nothing happens where its number is that of another use.
    package mutating func find(_ device: FoundDevice, at time: Double) {
        let use = device.use
        if let index = index(of: device.number) {
            guard sensors[index].use == use else { return }
            if device.isDescribed, identity(of: device.number)?.path != device.path {
                handle(.removed, of: device.number, at: time)
            }
        } else {
            sensors.append(Sensor(number: device.number, use: use, life: DeviceMachine()))
        }
        if let index = index(of: device.number), let faceUp = device.faceUp { sensors[index].faceUp = faceUp }
        if let traits = device.traits { handle(.found(traits), of: device.number, at: time) }
        select(use, at: time) { $0.find(device.number, device.identity, isSubstitute: device.isSubstitute) }
    }

    /// Adds the accelerometer of a recording or a simulation, which has no device.
    package mutating func addRecording(_ name: String, at time: Double) {
        let use = SensorUse(.accelerometer)
        guard index(of: 0) == nil else { return }
        sensors.append(Sensor(number: 0, use: use, life: nil))
        let identity = SensorIdentity(name: name, location: .display, path: "")
        select(use, at: time) { $0.find(0, identity, isSubstitute: false) }
        select(use, at: time) { $0.endScan(mayReturn: .none, retries: false, at: time) }
    }

    /// A device was unplugged, or became another sensor, and why.
    package mutating func remove(_ number: Int, _ reason: String, at time: Double) {
        guard let use = use(of: number) else { return }
        handle(.removed, of: number, at: time)
        select(use, at: time) { $0.remove(number, reason, at: time) }
    }

    /// udev announced a device: the next scan may bring what was missing.
    package mutating func announce(at time: Double) {
        for use in SensorUse.all { select(use, at: time) { $0.announce() } }
    }

    /// A scan has ended; whether another one may bring back a sensor that failed, or new ones.
    package mutating func endScan(mayReturn reason: RescanReason, retries: Bool, at time: Double) {
        for use in SensorUse.all {
            select(use, at: time) { $0.endScan(mayReturn: reason, retries: retries, at: time) }
        }
    }

    // MARK: - From the machine

    /// Whether somebody needs readings.
    package mutating func need(_ isNeeded: Bool, _ use: SensorUse, at time: Double) {
        select(use, at: time) { $0.need(isNeeded) }
    }

    package mutating func enter(_ lifecycle: OrientationMachine.Lifecycle, at time: Double) {
        guard selections.contains(where: { $0.lifecycle != lifecycle }) else { return }
        for use in SensorUse.all { select(use, at: time) { $0.enter(lifecycle) } }
    }

    /// Sets how closely the sensor in use is read, until sampling begins anew.
    package mutating func sense(_ sensing: Sensing, _ use: SensorUse, at time: Double) {
        guard selection(use).isReading, let number = activeNumber(use), let index = index(of: number),
            let present = sensors[index].life?.sensing, present != sensing
        else { return }
        handle(.sense(sensing), of: number, at: time)
    }

    // MARK: - From a sensor

    /// Passes an event to the machine of a device; a recording has none, and is only started and stopped.
    package mutating func handle(_ event: DeviceEvent, of number: Int, at time: Double) {
        guard let index = index(of: number) else { return }
        if case .rescaled(let faceUp?) = event { sensors[index].faceUp = faceUp }
        guard var commands = sensors[index].life?.handle(event, at: time) else {
            var commands = DeviceCommands()
            if event == .start { commands.reading = .poll }
            return actions.append(.drive(number, commands))
        }
        let report = commands.report.take()
        // Most readings change nothing.
        if commands != sensors[index].commands || commands.job != nil || commands.compares || commands.abandons {
            sensors[index].commands = commands
            actions.append(.drive(number, commands))
        }
        if let report { handle(report, of: number, at: time) }
    }

    /// Passes a report of a device's machine, or of a recording, to the selection.
    package mutating func handle(_ report: DeviceReport, of number: Int, at time: Double) {
        guard let use = use(of: number) else { return }
        switch report {
        case .started(let warnings): actions += [.warn(number, warnings), .began(number)]
        case .closed(let warnings): actions.append(.warn(number, warnings))
        case .stalled, .silent, .failed: break
        }
        select(use, at: time) { $0.handle(report, of: number, at: time) }
    }

    /// A reading came; nil for other kinds than accelerometers.
    package mutating func add(_ sample: AccelerometerSample?, of number: Int, at time: Double) {
        guard let use = use(of: number) else { return }
        select(use, at: time) { $0.add(sample, of: number) }
    }

    /// The recording is over.
    package mutating func end(_ number: Int, at time: Double) {
        guard let use = use(of: number) else { return }
        select(use, at: time) { $0.end(number) }
    }

    /// Lets happen what is due: of each device, and the next scan.
    package mutating func expire(at time: Double) {
        let overdue = sensors.filter { $0.life?.deadline ?? .infinity <= time }
        for sensor in overdue { handle(.deadlinePassed, of: sensor.number, at: time) }
        for use in SensorUse.all { select(use, at: time) { $0.expire(at: time) } }
    }

    /// Passes an event to the selection of a use, and carries out its commands.
    private mutating func select(_ use: SensorUse, at time: Double, _ event: (inout SensorSelection) -> Void) {
        let index = index(use)
        event(&selections[index])
        carryOut(selections[index].takeCommands(), use, at: time)
    }

    @inline(never)  // There would be a copy for each event.
    private mutating func carryOut(_ commands: SensorCommands, _ use: SensorUse, at time: Double) {
        if let line = commands.log { actions.append(.log(line)) }
        if commands.leavesBuffer, let index = commands.stop.flatMap({ index(of: $0) }) {
            sensors[index].life?.avoidBuffer()
        }
        if let number = commands.stop { handle(.stop, of: number, at: time) }
        if let number = commands.start { handle(.start, of: number, at: time) }
        if let number = commands.forget {
            sensors.removeAll { $0.number == number }
            actions.append(.forget(number))
        }
        if commands.isChanged { actions.append(.changed(use)) }
        if commands.scans { actions.append(.scan) }
    }
}
