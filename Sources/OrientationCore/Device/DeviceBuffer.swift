// SPDX-License-Identifier: Apache-2.0

/// The running buffer of a device: how it is read, and how the sensor is kept from waking the loop at rest.
struct DeviceBuffer: Hashable, Sendable {
    /// Seconds that a sensor at rest may be silent until it is asked for a scan, as one that broke is silent too: at first,
    /// and at most.
    private static let longestRest = (first: 60.0, last: 960.0)
    /// The first of these times while the keyboard of a folded tablet depends on the sensor; a probe takes two jobs.
    private static let longestKeyboardRest = 10.0
    /// Seconds between two comparisons of the last scan with the values: for as long after it as the second, and then.
    private static let comparisonGap = (first: 5.0, last: 60.0)
    /// Seconds in which a scan is the echo of a comparison: hid-sensor-hub puts what is read into the buffer as well.
    private static let longestEcho = 2.0
    /// A sensor may keep a sensitivity up to this many times the requested one.
    private static let greatestClamp = 4.0 / 3

    /// What the buffer does when no job is under way.
    private enum Target {
        /// Each scan wakes the loop.
        case stream
        /// At rest: the sensor reports only changes above its sensitivity.
        case changes
        /// At rest: the sensor is asked for one scan, as a sensor that broke is silent too.
        case probe
        /// At rest: the loop reads by timer.
        case timer
    }

    private let rate: Double
    /// Whether the sensor may be silent while nothing changes, as those with a change sensitivity are.
    let reportsChanges: Bool
    /// When it was opened.
    let opened: Double
    private var target = Target.stream
    /// Whether the loop reads by timer at rest, where no change sensitivity keeps the sensor from waking it.
    private var restsByTimer: Bool
    /// The job under way.
    private(set) var job: DeviceJob?
    /// In m/s², as it was asked for last.
    private var sensitivity = 0.0
    private var isExtended = false
    private var noise = NoiseRun()
    /// The target that was reached last, and when.
    private var reached = Target.stream
    private var since: Double
    /// Nil until the first scan has come.
    private(set) var lastScan: Double?
    private var lastComparison = -Double.infinity

    /// Describes a buffer that gives `rate` scans a second, opened at a time in seconds.
    init(rate: Double, hasSensitivity: Bool, at time: Double) {
        self.rate = rate
        reportsChanges = hasSensitivity
        opened = time
        since = time
        restsByTimer = !hasSensitivity
    }

    var reading: DeviceReading {
        switch (job, target) {
        case (.extend, _): .none
        case (nil, .timer): .timer
        default: .scans
        }
    }

    mutating func sense(_ sensing: Sensing) {
        if sensing.period == nil {
            target = .stream
        } else if restsByTimer || sensing.measuresOnlyAngle {
            target = .timer
        } else if target == .stream || target == .timer {
            target = .changes
            noise.reset()
        }
    }

    /// Counts a scan, unless it is the echo of a comparison, and says whether it did; `showsMotion`: it differs from the
    /// pose at rest.
    @discardableResult
    mutating func countScan(showsMotion: Bool, at time: Double) -> Bool {
        guard time - lastComparison > Self.longestEcho else { return false }
        lastScan = time
        switch target {
        case .probe:
            target = .changes
            since = time
        case .changes where job == nil && !showsMotion:
            noise.add(at: time)
            if noise.isNoise { readByTimer() }
        case .changes, .stream, .timer: break
        }
        return true
    }

    private mutating func readByTimer() {
        restsByTimer = true
        if target != .stream { target = .timer }
    }

    /// Returns the job that is needed for the target; nil while one is under way, or where none is.
    mutating func nextJob(_ sensing: Sensing, at time: Double) -> DeviceJob? {
        guard job == nil else { return nil }
        let wanted = target == .changes ? sensing.sensitivity : 0
        if wanted != sensitivity {
            job = .setSensitivity(wanted)
        } else if target == .timer, !isExtended {
            job = .extend
        } else if target != reached {
            reached = target
            since = time
        }
        return job
    }

    /// Ends the job under way; returns why the readings are of no use any more, nil where they are.
    mutating func finish(_ result: DeviceJobResult) -> String? {
        defer { job = nil }
        switch (job, result) {
        case (.setSensitivity(let change), _):
            sensitivity = change
            noise.reset()
            if case .failed(let reason) = result, change == 0 { return reason }
            guard case .sensitivity(let kept) = result, kept > 0, kept <= Self.greatestClamp * change else {
                if change > 0 { readByTimer() }
                return nil
            }
        case (_, .failed(let reason)): return reason
        default: isExtended = true
        }
        return nil
    }

    // MARK: - Liveness

    /// Seconds in which a buffer that runs at `rate` Hz must give its first scan.
    static func probeTime(rate: Double) -> Double { min(max(0.5, 1.5 / rate), 10) }

    /// When its silence means something, on the clock of the events.
    ///
    /// For a sensor that reports only changes, even while it streams, the time is multiplied by `patience`.
    func due(_ sensing: Sensing, stallTime: Double, patience: Double) -> Double {
        guard let lastScan else { return since + Self.probeTime(rate: rate) }
        // Half a period less, because readings by timer do not come at exact intervals.
        let stream = max(stallTime, 10 / rate) - (sensing.period ?? 0) / 2
        let last = max(lastScan, since)
        guard reportsChanges else { return last + stream }
        guard reached != .probe else { return since + Self.probeTime(rate: rate) }
        // The longer time after a probe without an answer: a sensor that never answers one would turn the keyboard on
        // and off. Each report counts as an answer.
        let isUrgent = sensing.purpose == .orientationAndKeyboard && patience == 1
        let rest = isUrgent ? Self.longestKeyboardRest : Self.longestRest.first
        let reportsAlways = reached == .stream || sensing.measuresOnlyAngle
        return last + min((reportsAlways ? stream : rest) * patience, Self.longestRest.last)
    }

    /// When to compare its last scan with the values; nil once a scan has come that was more than the first state.
    ///
    /// Some buffers give a scan or two after each opening, and no more.
    var comparisonDue: Double? {
        guard let lastScan, lastScan - opened < Self.comparisonGap.first else { return nil }
        let isRecent = lastComparison - lastScan < Self.comparisonGap.last
        return max(lastScan, lastComparison) + (isRecent ? Self.comparisonGap.first : Self.comparisonGap.last)
    }

    mutating func compare(at time: Double) { lastComparison = time }

    /// Asks the sensor for one scan; false where it has just not given one, or where it cannot be asked.
    mutating func requestScan() -> Bool {
        guard target == .changes else { return false }
        target = .probe
        return true
    }
}
