// SPDX-License-Identifier: Apache-2.0

/// The sensors of one kind and role, and which of them is read: the best one that works.
///
/// A value that makes no call: each method takes an event, and leaves what is to be done in ``takeCommands()``.
package struct SensorSelection: Sendable {
    /// Seconds until a failed sensor is tried again: the first time at once, then after `first`, doubled up to `last`.
    ///
    /// While a worse sensor is read, up to an hour: each attempt interrupts it.
    private static let backoff = (first: 0.5, last: 30.0, besideOther: 3600.0)
    /// Readings in a row after which a sensor that had failed counts as sound again.
    private static let soundReadings = 100
    /// Unplugged sensors that stay known beside the one in use.
    private static let keptUnplugged = 8

    /// A sensor that is or was there.
    package struct Sensor: Sendable {
        package enum Condition: Sendable {
            /// It samples, or could.
            case working
            /// It hangs; it may answer again.
            case stalled
            /// Sampling ended; only another scan makes it work again.
            case failed
            case unplugged
        }

        package let number: Int
        package fileprivate(set) var identity: SensorIdentity
        package fileprivate(set) var condition = Condition.working
        package fileprivate(set) var state = SensorState.idle
        /// Empty while the sensor works.
        package fileprivate(set) var lastError = ""
        /// Whether it counts only where there is no better one.
        fileprivate let isSubstitute: Bool
        fileprivate var stuck = StuckDetector()
        /// What was logged last, until it has been read for a while.
        fileprivate var lastFailure = ""

        package var works: Bool { condition == .working || condition == .stalled }

        fileprivate var rank: Int? { SensorSelection.rank(identity.location, isSubstitute: isSubstitute) }

        /// Makes it lost; returns whether that is news.
        fileprivate mutating func lose(_ reason: String, _ condition: Condition) -> Bool {
            let isNews = reason != lastFailure
            lastFailure = reason
            if self.condition != .unplugged { self.condition = condition }
            state = .lost
            lastError = reason
            return isNews
        }
    }

    private var commands = SensorCommands()
    /// When to scan again, on the clock of the events; nil for never.
    package private(set) var retry: Double?

    package private(set) var sensors: [Sensor] = []
    /// The number of the sensor in use.
    package private(set) var activeNumber: Int?
    private(set) var lifecycle = OrientationMachine.Lifecycle.running
    private var isNeeded = false
    private var rescanReason = RescanReason.none
    /// Seconds until the next retry.
    private(set) var delay = 0.0
    /// The readings since sampling began.
    private var readings = 0

    package init() {}

    /// How suitable a sensor is, of two of the same role: the one with the lower rank; nil for one that does not count.
    ///
    /// One that is known to be in the display comes first, since that of unknown place may be in the base. Input devices
    /// in a laptop's base do not count: they protect its hard disk, and their axes are not those of the display with the
    /// lid closed.
    package static func rank(_ location: SensorLocation, isSubstitute: Bool) -> Int? {
        switch (location, isSubstitute) {
        case (.display, false), (.base, false): 0
        case (.display, true): 1
        case (.unknown, false): 2
        case (.unknown, true): 3
        case (.base, true): nil
        }
    }

    // MARK: - What is known

    /// The sensor in use; a lost one stays until another one works.
    package var active: Sensor? { activeNumber.flatMap { sensor($0) } }

    package func sensor(_ number: Int) -> Sensor? { sensors.first { $0.number == number } }

    package var hasSensor: Bool { active.map { $0.condition != .unplugged } ?? false }

    /// The state of the sensor in use.
    package var state: SensorState { lifecycle == .suspended && hasSensor ? .suspended : active?.state ?? .none }

    /// Whether the sensor in use is to be read now.
    package var isReading: Bool { isNeeded && lifecycle == .running }

    /// Whether readings come, or may come soon.
    package var mayDeliverReadings: Bool { lifecycle != .suspended && (active?.works == true || canRetry) }

    /// Whether another scan may help: not for what udev announces, nor for a recording that has ended.
    private var canRetry: Bool {
        guard active?.works != true || lacksBetter else { return false }
        return switch rescanReason {
        case .none: false
        case .failures: hasSensor
        case .arrivals: true
        }
    }

    /// Whether a better sensor than the one in use could be tried: it has failed, or hung and has answered since.
    private var lacksBetter: Bool {
        sensors.contains { sensor in
            (sensor.condition == .failed || sensor.condition == .working) && sensor.rank ?? .max < active?.rank ?? .max
        }
    }

    /// How a device that a scan found relates to the sensors that are known.
    package enum Match: Hashable, Sendable {
        case new
        /// It is in use, or could be.
        case working(Int)
        /// Its sensor was lost, maybe at another path; or udev has announced it again.
        case returned(Int)
    }

    package func match(_ identity: SensorIdentity, isAnnounced: Bool) -> Match {
        let known =
            sensors.first { $0.identity == identity }
            ?? sensors.first { !$0.works && $0.identity.isSameSensor(as: identity) }
        guard let known else { return .new }
        return known.works && !isAnnounced ? .working(known.number) : .returned(known.number)
    }

    // MARK: - Events

    /// Returns and forgets what is to be done.
    package mutating func takeCommands() -> SensorCommands {
        defer { commands = SensorCommands() }
        return commands
    }

    /// udev announced a device: the next scan may bring what was missing.
    package mutating func announce() { resetBackoff() }

    /// A scan has ended; whether another one may bring back a sensor that failed, or new ones.
    package mutating func endScan(mayReturn reason: RescanReason, retries: Bool, at time: Double) {
        rescanReason = reason
        choose()
        if canRetry, isReading || retries { scheduleRetry(at: time) }
    }

    /// Scans again if that is due.
    package mutating func expire(at time: Double) {
        guard retry ?? .infinity <= time else { return }
        retry = nil
        commands.scans = true
    }

    /// Whether somebody needs readings.
    package mutating func need(_ isNeeded: Bool) { change { $0.isNeeded = isNeeded } }

    package mutating func enter(_ lifecycle: OrientationMachine.Lifecycle) {
        guard self.lifecycle != .ending, lifecycle != self.lifecycle else { return }
        commands.isChanged = true
        change { $0.lifecycle = lifecycle }
    }

    /// The recording is over.
    package mutating func end(_ number: Int) {
        update(number) { _ = $0.lose(SensorLog.recordingEnded, .failed) }
        commands.log = SensorLog(sensor: number, isWarning: false, text: SensorLog.recordingEnded)
        choose()
    }

    private mutating func update(_ number: Int, _ body: (inout Sensor) -> Void) {
        if let index = sensors.firstIndex(where: { $0.number == number }) { body(&sensors[index]) }
    }

    /// Starts or stops the sensor in use where a change asks for that.
    private mutating func change(_ body: (inout Self) -> Void) {
        let wasReading = isReading
        body(&self)
        guard isReading != wasReading else { return }
        commands.isChanged = true
        resetBackoff()
        if isReading {
            // A better one that hung may have answered meanwhile.
            choose()
            commands.scans = canRetry
        } else if let activeNumber {
            rest(activeNumber)
        }
    }

    private mutating func rest(_ number: Int) {
        commands.stop = number
        // Sensors stop while the daemon ends; clients must not see that as a change.
        if lifecycle != .ending { update(number) { if $0.state == .sampling { $0.state = .idle } } }
    }

    private mutating func resetBackoff() {
        delay = 0
        retry = nil
    }

    private mutating func scheduleRetry(at time: Double) {
        let last = active?.works == true ? Self.backoff.besideOther : Self.backoff.last
        retry = time + delay
        delay = min(max(Self.backoff.first, delay * 2), last)
    }

    /// Has another scan made if that may help, and none is due.
    private mutating func retryIfUseful(at time: Double) {
        if isReading, canRetry, retry == nil { scheduleRetry(at: time) }
    }

    // MARK: - Arrivals and departures

    /// Notes a sensor; which one is used is chosen when the scan has ended.
    package mutating func find(_ number: Int, _ identity: SensorIdentity, isSubstitute: Bool) {
        guard sensor(number) != nil else {
            return sensors.append(Sensor(number: number, identity: identity, isSubstitute: isSubstitute))
        }
        let isAwaited = isReading && number == activeNumber
        update(number) { sensor in
            sensor.identity = identity
            sensor.condition = .working
            // A sensor that is waited for stays lost until readings come.
            if !isAwaited {
                sensor.state = .idle
                sensor.lastError = ""
            }
        }
    }

    /// The sensor's device was unplugged, or became another sensor, and why.
    package mutating func remove(_ number: Int, _ reason: String, at time: Double) {
        replaceSubstitute(number)
        let present = sensors.firstIndex { $0.condition != .unplugged && $0.number == number }
        guard let present else { return }
        // The last one is at the end.
        var sensor = sensors.remove(at: present)
        if sensor.lose(reason, .unplugged) {
            commands.log = SensorLog(sensor: sensor.number, isWarning: true, text: reason)
        }
        sensors.append(sensor)
        choose()
        retryIfUseful(at: time)
        let isUnused: (Sensor) -> Bool = { [activeNumber] in $0.condition == .unplugged && $0.number != activeNumber }
        guard sensors.count(where: isUnused) > Self.keptUnplugged else { return }
        commands.forget = sensors.firstIndex(where: isUnused).map { sensors.remove(at: $0).number }
    }

    /// How much a sensor is to be used, the lower the more; nil for one that does not count.
    private func preference(_ sensor: Sensor) -> Int? {
        guard let rank = sensor.rank else { return nil }
        let isActive = sensor.number == activeNumber
        return switch sensor.condition {
        // Of equally good ones, the one in use stays.
        case .working: isActive ? 2 * rank : 2 * rank + 1
        // A lost one stays until another one works, unless it was unplugged.
        case .stalled: isActive ? 10 : 11
        case .failed: isActive ? 10 : 12
        case .unplugged: isActive ? 13 : 14
        }
    }

    /// Chooses the sensor to use.
    private mutating func choose() {
        guard lifecycle != .ending else { return }
        commands.isChanged = true
        var best: (number: Int, preference: Int)?
        for sensor in sensors {
            guard let preference = preference(sensor), preference < best?.preference ?? .max else { continue }
            best = (sensor.number, preference)
        }
        if best?.number != activeNumber {
            if let activeNumber { rest(activeNumber) }
            activeNumber = best?.number
        }
        if isReading, let active, active.works { commands.start = active.number }
    }

    /// Whether another sensor that works is as suitable.
    private func hasEqual(to sensor: Sensor) -> Bool {
        sensors.contains { $0.number != sensor.number && $0.condition == .working && $0.rank == sensor.rank }
    }

    // MARK: - Readings

    package mutating func handle(_ report: DeviceReport, of number: Int, at time: Double) {
        commands.isChanged = true
        switch report {
        case .started:
            readings = 0
            update(number) { sensor in
                sensor.stuck.begin()
                // A lost sensor stays lost until a reading comes.
                if sensor.state != .lost { sensor.state = .sampling }
            }
        case .silent(let problem, let isLost):
            complain(problem, of: number)
            if isLost { update(number) { $0.state = .lost } }
        case .closed:
            update(number) { sensor in
                // A device that hung has answered.
                if sensor.condition == .stalled {
                    sensor.condition = .working
                    sensor.state = .idle
                    sensor.lastError = ""
                }
            }
            if lacksBetter { retryIfUseful(at: time) }
        case .stalled(let reason):
            replaceSubstitute(number)
            lose(number, reason, .stalled)
            retryIfUseful(at: time)
        case .failed(let reason):
            replaceSubstitute(number)
            lose(number, reason, .failed)
            if isReading, canRetry { scheduleRetry(at: time) }
        }
    }

    /// Has a better sensor tried at once when the one that was read in its place is lost.
    private mutating func replaceSubstitute(_ number: Int) {
        if number == activeNumber, lacksBetter { resetBackoff() }
    }

    private mutating func lose(_ number: Int, _ reason: String, _ condition: Sensor.Condition) {
        var isNews = false
        update(number) { isNews = $0.lose(reason, condition) }
        if isNews { commands.log = SensorLog(sensor: number, isWarning: true, text: reason) }
        choose()
    }

    /// Publishes what is wrong with a sensor that is opened anew.
    private mutating func complain(_ problem: String, of number: Int) {
        commands.log = SensorLog(sensor: number, isWarning: true, text: problem + "; starting it anew")
        update(number) { $0.lastError = problem }
    }

    /// A reading came; nil for other kinds than accelerometers.
    package mutating func add(_ sample: AccelerometerSample?, of number: Int) {
        guard number == activeNumber, let index = sensors.firstIndex(where: { $0.number == number }) else { return }
        readings += 1
        if readings == Self.soundReadings {
            // A better one that fails again and again after a while is tried ever more rarely, too.
            if !lacksBetter, !sensors.contains(where: { $0.number != number && $0.works && $0.rank != nil }) {
                delay = 0
            }
            sensors[index].lastFailure = ""
        }
        if sensors[index].state == .lost || !sensors[index].lastError.isEmpty && !sensors[index].stuck.isStuck {
            if sensors[index].condition == .stalled { sensors[index].condition = .working }
            sensors[index].state = .sampling
            sensors[index].lastError = ""
            commands.isChanged = true
        }
        guard let sample else { return }
        let wasStuck = sensors[index].stuck.isStuck
        switch sensors[index].stuck.add(sample) {
        case .stuck(let seconds):
            let problem = "stuck: the very same reading for \(seconds) s"
            // Starting it anew has not helped, and there is another one.
            if wasStuck, hasEqual(to: sensors[index]) { return lose(number, problem, .failed) }
            complain(problem, of: number)
            commands.stop = number
            commands.start = number
            commands.leavesBuffer = wasStuck
            commands.isChanged = true
        case .moving:
            commands.log = SensorLog(sensor: number, isWarning: false, text: "no longer stuck")
            sensors[index].lastError = ""
            commands.isChanged = true
        case nil: break
        }
    }
}
