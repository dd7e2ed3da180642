// SPDX-License-Identifier: Apache-2.0

/// The life of one device: it is prepared, opened, read, closed, removed and found again.
///
/// A value that makes no call: events go in, commands come out. At most one job is under way. A deadline watches over
/// it, and over the readings of an open device. The job that closes a device restores its settings.
package struct DeviceMachine: Sendable {
    /// The failed readings in a row that end sampling: so many, or for so many seconds.
    private static let longestFailure = (count: 10, seconds: 1.0)
    /// Seconds without an answer after which a device counts as stalled, unless another time is given.
    package static let stallTime = 5.0

    /// How readings come, or would come if the device were open.
    package private(set) var mode = SensorMode.poll
    /// Readings a second that are to be expected, in Hz; 0 while unknown.
    package private(set) var sampleRate = 0.0

    /// Seconds without an answer after which the device counts as stalled.
    private let stallTime: Double

    private enum Phase: Hashable {
        /// Unplugged, or not found yet.
        case absent
        case preparing
        case closed
        case opening
        case polled
        case buffered(DeviceBuffer)
        /// The buffer is being closed; `reason` says why the device is polled afterwards.
        case leavingBuffer(reason: String)
        case closing
    }

    private enum Goal {
        case closed
        case open
    }

    /// Whether an opening uses the buffer.
    private enum BufferUse {
        /// There is none, or it has failed.
        case never
        case untried
        /// It has given scans for a while.
        case proven
    }

    private var phase = Phase.absent
    private var goal = Goal.closed
    private var traits = DeviceTraits(canBuffer: false, canPoll: false, mayBeSilent: false, rate: 0)
    /// What a scan found while the device was in use; it applies once the device is closed.
    private var replacement: DeviceTraits?
    private var bufferUse = BufferUse.never

    private(set) var sensing = Sensing.stream
    private var failures = (count: 0, since: 0.0)
    /// When the device last answered, or was asked.
    private var lastAnswer = 0.0
    /// When it is next reported as stalled.
    private var stallReport = 0.0
    /// The factor of the times that an open buffer may be silent; doubled each time that it was opened anew for that.
    private var patience = 1.0
    /// When to deliver ``DeviceEvent/deadlinePassed``; nil for never.
    package private(set) var deadline: Double?

    /// Creates the machine of a device that is stalled after `stallTime` seconds.
    package init(stallTime: Double = DeviceMachine.stallTime) {
        self.stallTime = stallTime
    }

    /// Whether the device is closed, its settings are restored and no job is under way.
    package var isClosed: Bool { phase == .closed || phase == .absent }

    /// For people: what the device does.
    package var activity: String {
        switch phase {
        case .absent: "unplugged"
        case .preparing: "preparing"
        case .closed: "closed"
        case .opening: "opening"
        case .polled: "polled"
        case .buffered(let buffer): buffer.job == nil ? "buffered" : "adjusting"
        case .leavingBuffer, .closing: "closing"
        }
    }

    /// Takes an event that happened at a time in seconds, on any clock that does not go back.
    package mutating func handle(_ event: DeviceEvent, at time: Double) -> DeviceCommands {
        var commands = DeviceCommands()
        switch event {
        case .found(let traits):
            replacement = traits
        case .undescribed(let reason): commands.report = .failed(reason)
        case .removed:
            commands.abandons = phase != .absent
            phase = .absent
            goal = .closed
            replacement = nil
            patience = 1
        case .start:
            // It was stopped while a job of its buffer was under way, and not closed yet.
            if isReading, goal == .closed { beginAnew(at: time, &commands) }
            goal = .open
        case .stop: goal = .closed
        case .sense(let sensing): if isReading, goal == .open { sense(sensing, at: time, &commands) }
        case .rescaled:
            // The pose at rest was measured with the scaling before.
            if isReading, goal == .open { beginAnew(at: time, &commands) }
        case .finished(let result): finish(result, at: time, &commands)
        case .reading(let showsMotion): countReading(showsMotion: showsMotion, at: time, &commands)
        case .readFailed(let failure, let reason): countFailure(failure, reason, at: time, &commands)
        case .unreadable(let reason): if isReading { leaveBuffer(reason, at: time, &commands) }
        case .deadlinePassed:
            deadline = nil
            if let due, due <= time { expire(at: time, &commands) }
        }
        proceed(at: time, &commands)
        return complete(commands, at: time)
    }

    /// Adds the commands that follow from the state alone.
    private mutating func complete(_ commands: DeviceCommands, at time: Double) -> DeviceCommands {
        var commands = commands
        switch phase {
        case .polled where goal == .open: commands.reading = .poll
        case .buffered(let buffer) where goal == .open: commands.reading = buffer.reading
        default: break
        }
        if commands.reading == .timer {
            // Each reading that finds nothing delivers ``DeviceEvent/deadlinePassed``.
            deadline = nil
        } else if let due, let deadline, deadline <= due, due - deadline <= (due - time) / 2 {
            // Arming a timer is a system call: not every reading pushes the deadline.
        } else {
            deadline = due
        }
        commands.sensing = sensing
        commands.sampleRate = sampleRate
        return commands
    }

    /// Polls from the next opening on, where that is possible.
    mutating func avoidBuffer() {
        if traits.canPoll { bufferUse = .never }
    }

    private var isReading: Bool {
        switch phase {
        case .polled, .buffered: true
        default: false
        }
    }

    // MARK: - Opening and closing

    /// Takes the next step towards the goal, unless a job is under way.
    private mutating func proceed(at time: Double, _ commands: inout DeviceCommands) {
        switch phase {
        case .preparing, .opening, .leavingBuffer, .closing: return
        case .polled: if goal == .closed || replacement != nil { start(.close, .closing, at: time, &commands) }
        case .buffered(let buffer):
            guard buffer.job == nil, goal == .closed || replacement != nil else { return }
            start(.close, .closing, at: time, &commands)
        case .closed, .absent:
            if let replacement {
                traits = replacement
                bufferUse = replacement.canBuffer ? .untried : .never
                self.replacement = nil
                mode = traits.canBuffer ? .buffer : .poll
                start(.prepare, .preparing, at: time, &commands)
            } else if phase == .closed, goal == .open {
                sensing = .stream
                failures.count = 0
                start(.open(buffered: bufferUse != .never), .opening, at: time, &commands)
            }
        }
    }

    private mutating func start(_ job: DeviceJob, _ phase: Phase, at time: Double, _ commands: inout DeviceCommands) {
        self.phase = phase
        commands.job = job
        noteAnswer(at: time)
    }

    private mutating func finish(_ result: DeviceJobResult, at time: Double, _ commands: inout DeviceCommands) {
        noteAnswer(at: time)
        switch (phase, result) {
        case (.preparing, .done(let warnings)), (.closing, .done(let warnings)):
            phase = .closed
            commands.report = .closed(warnings: warnings)
        case (.opening, .opened(let opening)): opened(opening, at: time, &commands)
        case (.opening, .failed(let reason)):
            fail(reason, &commands)
            start(.close, .closing, at: time, &commands)
        case (.leavingBuffer(let reason), _): poll(warnings: [reason + "; polling instead"], at: time, &commands)
        case (.closing, .failed(let reason)):
            phase = .closed
            commands.report = .closed(warnings: [reason])
        case (.buffered(var buffer), _):
            let failure = buffer.finish(result)
            phase = .buffered(buffer)
            if let failure { fail(failure, &commands) } else { advance(buffer, at: time, &commands) }
        case (.preparing, .failed(let reason)):
            phase = .closed
            if goal == .open { fail(reason, &commands) } else { commands.report = .closed(warnings: [reason]) }
        default: break
        }
    }

    private mutating func opened(_ opening: DeviceOpening, at time: Double, _ commands: inout DeviceCommands) {
        guard opening.isBuffered else { return poll(warnings: opening.warnings, at: time, &commands) }
        mode = .buffer
        sampleRate = opening.rate ?? traits.rate
        let rate = sampleRate > 0 ? sampleRate : traits.rate
        phase = .buffered(DeviceBuffer(rate: rate, hasSensitivity: opening.hasSensitivity, at: time))
        if goal == .open { commands.report = .started(warnings: opening.warnings) }
    }

    private mutating func poll(warnings: [String], at time: Double, _ commands: inout DeviceCommands) {
        phase = .polled
        mode = .poll
        sampleRate = traits.rate
        noteAnswer(at: time)
        if goal == .open { commands.report = .started(warnings: warnings) }
    }

    /// Polls instead of reading the buffer, which gives no scans; without that choice, sampling ends.
    private mutating func leaveBuffer(_ reason: String, at time: Double, _ commands: inout DeviceCommands) {
        guard case .buffered(let buffer) = phase, traits.canPoll, buffer.job == nil else {
            return fail(reason, &commands)
        }
        // Some hubs are slow to begin after sleep: one that is proven is tried again at the next opening.
        if bufferUse != .proven || buffer.lastScan != nil { bufferUse = .never }
        start(.closeBuffer, .leavingBuffer(reason: reason), at: time, &commands)
    }

    /// Ends sampling; nobody asks why if it was stopped, or the device replaced, meanwhile.
    private mutating func fail(_ reason: String, _ commands: inout DeviceCommands) {
        guard goal == .open, replacement == nil else { return }
        goal = .closed
        commands.report = .failed(reason)
    }

    // MARK: - Readings

    /// Reads on as if it had just been opened.
    private mutating func beginAnew(at time: Double, _ commands: inout DeviceCommands) {
        sense(.stream, at: time, &commands)
        commands.report = .started(warnings: [])
    }

    private mutating func sense(_ sensing: Sensing, at time: Double, _ commands: inout DeviceCommands) {
        guard sensing != self.sensing else { return }
        self.sensing = sensing
        switch phase {
        case .buffered(var buffer):
            buffer.sense(sensing)
            advance(buffer, at: time, &commands)
        default: noteAnswer(at: time)
        }
    }

    private mutating func countReading(showsMotion: Bool, at time: Double, _ commands: inout DeviceCommands) {
        failures.count = 0
        noteAnswer(at: time)
        guard case .buffered(var buffer) = phase else { return }
        let isCounted = buffer.countScan(showsMotion: showsMotion, at: time)
        // Some buffers give a few scans after each opening, and no more.
        if isCounted, time - buffer.opened >= stallTime {
            patience = 1
            if bufferUse != .never { bufferUse = .proven }
        }
        advance(buffer, at: time, &commands)
    }

    /// Skips a failed reading; a run of them, or an unplugged device, ends sampling.
    ///
    /// A buffer whose scans have no value is left for the values.
    private mutating func countFailure(
        _ failure: DeviceReadFailure,
        _ reason: String,
        at time: Double,
        _ commands: inout DeviceCommands
    ) {
        guard isReading else { return }
        switch phase {
        case .buffered(var buffer) where failure == .noValue:
            buffer.countScan(showsMotion: true, at: time)
            phase = .buffered(buffer)
        case .polled: noteAnswer(at: time)
        default: break
        }
        if failures.count == 0 { failures.since = time }
        failures.count += 1
        let isMany = failures.count >= Self.longestFailure.count && failure != .noValue
        let longest = min(stallTime, Self.longestFailure.seconds * max(1, (sensing.period ?? 0) * traits.rate))
        let isLong = time - failures.since >= longest
        if isLong, failure == .noValue {
            leaveBuffer(reason, at: time, &commands)
        } else if failure == .noDevice || isMany || isLong {
            fail(reason, &commands)
        }
    }

    /// Starts the job that the buffer's target needs.
    private mutating func advance(_ buffer: DeviceBuffer, at time: Double, _ commands: inout DeviceCommands) {
        var buffer = buffer
        let isOver = goal == .closed || replacement != nil
        let job = isOver ? nil : buffer.nextJob(sensing, at: time)
        phase = .buffered(buffer)
        if let job { start(job, phase, at: time, &commands) }
    }

    // MARK: - Deadlines

    private mutating func noteAnswer(at time: Double) {
        lastAnswer = time
        let isQuiet = phase == .polled && sensing.level != .stream && sensing.purpose == .orientation
        let silence = isQuiet ? sensing.longestSilence : 0
        stallReport = time + silence + stallTime
    }

    /// When something is overdue, on the clock of the events.
    private var due: Double? {
        switch phase {
        case .absent, .closed: nil
        case .preparing, .opening, .polled, .leavingBuffer, .closing: stallReport
        case .buffered(let buffer) where buffer.job != nil: stallReport
        case .buffered(let buffer) where buffer.lastScan != nil && traits.mayBeSilent: comparisonDue(buffer)
        case .buffered(let buffer):
            min(buffer.due(sensing, stallTime: stallTime, patience: patience), comparisonDue(buffer) ?? .infinity)
        }
    }

    /// When to compare the last scan with the values: that of an accelerometer once it has been silent for too long.
    private func comparisonDue(_ buffer: DeviceBuffer) -> Double? {
        let wasSilent = patience > 1 && buffer.reportsChanges && buffer.reading == .scans
        return traits.canPoll && (traits.mayBeSilent || wasSilent) ? buffer.comparisonDue : nil
    }

    private mutating func expire(at time: Double, _ commands: inout DeviceCommands) {
        guard case .buffered(var buffer) = phase, buffer.job == nil else {
            let seconds = time - lastAnswer
            // With exponential back-off.
            stallReport = time + max(seconds, stallTime)
            // A recording can have times of any size.
            if goal == .open { commands.report = .stalled("no answer for \(Int(min(seconds, 1e9))) s") }
            return
        }
        guard buffer.lastScan != nil else { return leaveBuffer("no scan came in time", at: time, &commands) }
        if comparisonDue(buffer) ?? .infinity <= time {
            buffer.compare(at: time)
            phase = .buffered(buffer)
            commands.compares = true
            return
        }
        if buffer.requestScan() { return advance(buffer, at: time, &commands) }
        let silence = "no scan came for too long"
        if !buffer.reportsChanges, patience > 1 { return leaveBuffer(silence, at: time, &commands) }
        patience *= 2
        // Lost makes the angle of the hinge unknown, so that a folded tablet's keyboard works again.
        commands.report = .silent(silence, isLost: sensing.purpose != .orientation)
        start(.close, .closing, at: time, &commands)
    }
}
