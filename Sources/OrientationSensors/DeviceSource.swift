// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// The readings of a device: from its buffer when it has one that works, else polled.
///
/// One source serves a sysfs path from its discovery to its removal. Calls that can block run on the device's helper
/// thread; while one is under way, what was asked for meanwhile is only noted, and follows when it has returned.
package final class DeviceSource: SensorSource {
    /// Seconds in which a buffer that runs at `rate` Hz must give its first scan.
    static func probeTime(rate: Double) -> Double { min(max(0.5, 1.5 / rate), 10) }

    /// The failed readings in a row that are a loss: so many, or for so many seconds.
    private static let longestFailure = (count: 10, seconds: 1.0)

    /// The rate in Hz that every sensor is raised to: at its lowest, a chip can take seconds for one value.
    package static let leastFrequency = 10.0

    package var onEvent: ((SourceEvent) -> Void)?
    package private(set) var mode: SensorMode
    package private(set) var sampleRate = 0.0
    package private(set) var skippedReadings = 0

    private enum State {
        case closed, opening, closing
        case buffered(BufferReader)
        /// With what ``HelperThread/stopPolling(_:)`` takes.
        case polled(Int)
    }

    private var state = State.closed
    private var device: any SensorDevice

    /// The device as a later scan found it, to be used once this one is closed.
    private var replacement: (device: any SensorDevice, helper: DeviceHelper)?
    private var freshScaling: SensorScaling

    /// With what the readings since the device was opened have led to.
    private var scaling: SensorScaling
    private let targetRate: Double
    private let stallTime: Double
    private let loop: EventLoop
    private var helper: DeviceHelper?
    private var thread: HelperThread?
    private var probe: Timer?
    private var stall: Timer?

    private var isWanted = false
    private var bufferWorks: Bool
    private var previous = FoundSettings()
    private var sensing = Sensing.stream
    private var lastScan = RawScan(raw: .zero, time: nil)
    private var proofPeriod = BufferReader.proofPeriod.first
    private var onClosed: [() -> Void] = []
    private var failures = (count: 0, since: 0.0)

    /// When the helper last answered or was asked, and when `stall` was armed.
    private var lastAnswer = 0.0
    private var stallArmed = 0.0

    /// The constants of the classifier that gets the readings; nil where each of them is awaited.
    private let classifier: OrientationClassifier.Constants?

    /// Creates a source that samples at the first rate of the device that is at least `rate` Hz, or polls at `rate`.
    ///
    /// Sources of one device share its helper. After `stallTime` seconds without an answer of that, the device counts as
    /// stalled.
    package init(
        _ device: any SensorDevice,
        scaling: SensorScaling,
        rate: Double,
        loop: EventLoop,
        helper: DeviceHelper? = nil,
        classifier: OrientationClassifier.Constants? = nil,
        stallTime: Double = 5
    ) throws(SystemError) {
        self.device = device
        freshScaling = scaling
        self.scaling = scaling
        self.loop = loop
        self.helper = helper
        self.classifier = classifier
        targetRate = rate
        self.stallTime = stallTime
        bufferWorks = device.description.canBuffer
        mode = bufferWorks ? .buffer : .poll
        probe = try loop.timer { [unowned(unsafe) self] in abandonBuffer("no scan came") }
        stall = try loop.timer { [unowned(unsafe) self] in reportStall() }
    }

    package var faceUp: SensorFrame.FaceUp {
        if case .acceleration(let frame) = scaling { frame.faceUp } else { .positiveZ }
    }

    package func start() {
        isWanted = true
        // The device is not closed any more, so nothing may wait for that.
        if case .opening = state { callCompletions() }
        proceed()
    }

    package func stop(completion: @escaping () -> Void) {
        isWanted = false
        onClosed.append(completion)
        proceed()
    }

    package func sense(_ sensing: Sensing) {
        guard isWanted, sensing != self.sensing else { return }
        switch state {
        case .closed, .opening, .closing: return
        case .buffered(let reader):
            self.sensing = sensing
            reader.sense(sensing)
        case .polled(let poll):
            self.sensing = sensing
            let filter = MotionFilter(sensing, scaling, last: lastScan)
            thread?.setFilter(filter, of: poll, mayWait: sensing.mayWait)
            stallArmed = 0
            expectAnswer()
        }
    }

    package func rescale(to scaling: SensorScaling) {
        freshScaling = scaling
        self.scaling = scaling
        switch state {
        case .buffered, .polled:
            guard isWanted else { return }
            // The pose at rest was measured with the scaling before.
            sense(.stream)
            if case .polled(let poll) = state { thread?.setBatch(batch, of: poll) }
            onEvent?(.started(warnings: []))
        case .closed, .opening, .closing: break
        }
    }

    package func deliverWaiting() {
        if case .polled = state { thread?.deliverWaiting() }
    }

    package func replaceDevice(by device: any SensorDevice, scaling: SensorScaling, helper: DeviceHelper) {
        replacement = (device, helper)
        freshScaling = scaling
        proceed()
    }

    package func removeDevice() { stop { [self] in (helper, thread) = (nil, nil) } }

    /// Takes the next step towards what is wanted; called again when the helper has answered.
    private func proceed() {
        switch state {
        case .opening, .closing: break
        case .buffered, .polled: if !isWanted || replacement != nil { close() }
        case .closed:
            callCompletions()
            // A completion may have asked for more.
            guard case .closed = state else { return }
            if let replacement {
                self.replacement = nil
                (device, helper, thread) = (replacement.device, replacement.helper, nil)
                bufferWorks = device.description.canBuffer
            }
            if isWanted { open() }
        }
    }

    private func callCompletions() {
        let completions = onClosed
        onClosed = []
        for completion in completions { completion() }
    }

    /// Reports the end of sampling, and closes what is open, with a buffer that was opened just now.
    private func fail(_ reason: String, unread buffer: (any SensorBuffer)? = nil) {
        isWanted = false
        if case .opening = state { close(buffer) } else { proceed() }
        onEvent?(.failed(reason))
    }

    // MARK: - Opening and closing

    private func open() {
        scaling = freshScaling
        failures.count = 0
        sensing = .stream
        let helper = self.helper ?? DeviceHelper(loop: loop)
        self.helper = helper
        do throws(SystemError) {
            thread = try helper.thread()
        } catch {
            return fail("\(error)")
        }
        state = .opening
        expectAnswer()
        thread?.run { [device, targetRate, bufferWorks] in
            DeviceOpening(of: device, rate: targetRate, buffered: bufferWorks)
        } completion: { [self] in
            opened($0)
        }
    }

    private func opened(_ opening: DeviceOpening) {
        previous = opening.previous
        if let error = opening.error {
            // Unplugged or released meanwhile: nobody asks why it could not be opened.
            if isWanted { fail("\(error)") } else { close() }
        } else if let buffer = opening.buffer {
            read(buffer, opening)
        } else {
            poll(warnings: opening.warnings)
        }
    }

    /// Closes the device, with a buffer that was opened just now, and restores its rate.
    private func close(_ unread: (any SensorBuffer)? = nil) {
        var buffer = unread
        switch state {
        case .buffered(let reader):
            reader.stop()
            proofPeriod = reader.proofPeriod
            buffer = reader.buffer
        case .polled(let poll): thread?.stopPolling(poll)
        case .closed, .opening, .closing: break
        }
        probe?.disarm()
        state = .closing
        expectAnswer()
        thread?.run { [device, previous, buffer] in
            buffer?.close()
            device.endReading()
            previous.restore(device)
            SettingsFile(of: device.description)?.remove()
        } completion: { [self] _ in
            expectNothing()
            state = .closed
            proceed()
        }
    }

    // MARK: - Buffered

    private func read(_ buffer: any SensorBuffer, _ opening: DeviceOpening) {
        expectNothing()
        sampleRate = opening.rate ?? targetRate
        guard let thread else { return }
        let reader: BufferReader
        do throws(SystemError) {
            reader = try BufferReader(
                buffer,
                of: device,
                rate: sampleRate > 0 ? sampleRate : targetRate,
                hasSensitivity: opening.hasSensitivity,
                proofPeriod: proofPeriod,
                thread: thread,
                loop: loop,
                showsMotion: { [unowned(unsafe) self] in MotionFilter.showsMotion($0.raw, sensing, scaling) },
                onEvent: { [unowned(unsafe) self] in handle($0) }
            )
        } catch {
            return abandon(buffer, "\(error)")
        }
        state = .buffered(reader)
        mode = .buffer
        probe?.arm(after: Self.probeTime(rate: sampleRate > 0 ? sampleRate : targetRate))
        // It may have been stopped while it was opened.
        if isWanted {
            onEvent?(.started(warnings: opening.warnings))
            // A device that reports changes only has its initial state pending.
            reader.readScan()
        }
        proceed()
    }

    private func handle(_ event: BufferReader.Event) {
        guard isWanted else { return }
        switch event {
        case .scan(let scan):
            probe?.disarm()
            take(scan)
        case .failure(let error): skip(error)
        case .silence: onEvent?(.silent("no report although one was asked for"))
        case .broken(let error): fail("\(error)")
        }
    }

    /// Polls instead of reading the buffer, which gives no scans.
    private func abandonBuffer(_ reason: String) {
        guard case .buffered(let reader) = state else { return }
        reader.stop()
        abandon(reader.buffer, "\(reason) from \(device.description.devicePath) in time")
    }

    private func abandon(_ buffer: any SensorBuffer, _ reason: String) {
        guard device.description.canPoll else { return fail(reason, unread: buffer) }
        bufferWorks = false
        state = .opening
        expectAnswer()
        thread?.run({ buffer.close() }, completion: { [self] in poll(warnings: [reason + "; polling instead"]) })
    }

    // MARK: - Polled

    private var batch: ReadingBatch? { classifier.map { ReadingBatch($0, scaling, rate: targetRate) } }

    private func poll(warnings: [String]) {
        mode = .poll
        sampleRate = targetRate
        guard let thread else { return }
        let poll = thread.poll(device, every: 1 / targetRate, batch: batch) { [unowned(unsafe) self] result in
            expectAnswer()
            switch result {
            case .success(let scan): take(scan)
            case .failure(let error): skip(error)
            }
        }
        state = .polled(poll)
        if isWanted { onEvent?(.started(warnings: warnings)) }
        proceed()
    }

    // MARK: - Readings

    private func take(_ scan: RawScan) {
        failures.count = 0
        lastScan = scan
        onEvent?(.sample(scaling.measurement(raw: scan.raw, time: scan.time ?? loop.now)))
    }

    /// Skips a failed reading; a run of them, or an unplugged device, ends sampling.
    private func skip(_ error: SystemError) {
        if failures.count == 0 { failures.since = loop.now }
        failures.count += 1
        skippedReadings += 1
        // EAGAIN only says that the chip has no new value yet.
        let isMany = failures.count >= Self.longestFailure.count && error.errno != .again
        let longest = Self.longestFailure.seconds * max(1, (sensing.period ?? 0) * targetRate)
        let isLong = loop.now - failures.since >= longest
        if error.errno == .noDevice || isMany || isLong { fail("\(error)") }
    }

    /// Expects the helper to answer within `stallTime` from now on.
    private func expectAnswer() {
        lastAnswer = loop.now
        // Arming is a system call, so not every reading pushes the timer.
        guard lastAnswer - stallArmed > stallTime / 5 else { return }
        stallArmed = lastAnswer
        let silence = sensing.level == .stream ? 0 : MotionFilter.longestSilence
        stall?.arm(after: silence + 1.2 * stallTime, slack: stallTime / 5)
    }

    private func expectNothing() {
        stall?.disarm()
        stallArmed = 0
    }

    /// Reports that the helper does not answer, again with exponential back-off.
    private func reportStall() {
        let seconds = loop.now - lastAnswer
        stallArmed = 0
        stall?.arm(after: seconds)
        if isWanted { onEvent?(.stalled("no answer for \(Int(seconds)) s")) }
    }
}
