// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// The readings of a sensor: from its buffer when it has one that works, else polled.
///
/// All that can block is done by the helper; while it is at work, the wish to start or stop is only noted.
package final class DeviceSource: SensorSource {
    /// Seconds in which the buffer of a quick sensor must give its first scan; iio-sensor-proxy allows as much.
    private static let shortestProbe = 0.5

    /// Seconds of nothing but EAGAIN after which a polled sensor counts as failed.
    private static let longestSilence = 1.0

    /// The rate in Hz that every sensor is raised to: at its lowest, a chip can take seconds for one value.
    package static let leastFrequency = 10.0

    package var onEvent: ((SourceEvent) -> Void)?
    package private(set) var mode: SensorMode
    package private(set) var sampleRate = 0.0

    private let sensor: any SensorDevice
    private var freshScaling: SensorScaling
    private var scaling: SensorScaling
    private let targetRate: Double
    private let loop: EventLoop
    private let helper: HelperThread
    private let probeTime: Double
    private var probe: Timer?

    private enum State {
        case stopped
        /// The helper opens or closes the device.
        case changing
        case buffered(BufferReader)
        case polled(Poll)
    }

    private var state = State.stopped
    private var isWanted = false
    private var bufferWorks: Bool
    private var previousRate: Double?
    private var lastReading = 0.0
    private var onStopped: [() -> Void] = []

    /// Creates a source that samples at the first rate of the device that is at least `rate` Hz, or polls at `rate`.
    package init(
        _ sensor: any SensorDevice,
        scaling: SensorScaling,
        rate: Double,
        loop: EventLoop,
        helper: HelperThread
    ) throws(SystemError) {
        self.sensor = sensor
        freshScaling = scaling
        self.scaling = scaling
        self.loop = loop
        self.helper = helper
        targetRate = rate
        probeTime = max(Self.shortestProbe, 1.5 / rate)
        bufferWorks = sensor.description.canBuffer
        mode = bufferWorks ? .buffer : .poll
        probe = try loop.timer { [unowned(unsafe) self] in
            abandonBuffer("no scan came from \(sensor.description.devicePath) within \(probeTime) s")
        }
    }

    package var faceUp: SensorFrame.FaceUp {
        if case .acceleration(let frame) = scaling { frame.faceUp } else { .positiveZ }
    }

    package func start() {
        isWanted = true
        reconcile()
    }

    package func stop(completion: @escaping () -> Void) {
        isWanted = false
        onStopped.append(completion)
        reconcile()
    }

    package func rescale(to scaling: SensorScaling) {
        freshScaling = scaling
        self.scaling = scaling
        switch state {
        case .buffered, .polled: if isWanted { onEvent?(.started(warnings: [])) }
        case .stopped, .changing: break
        }
    }

    /// Takes the next step towards what is wanted; the end of a change under way comes back here.
    private func reconcile() {
        switch state {
        case .changing:
            break
        case .stopped where isWanted:
            open()
        case .stopped:
            let completions = onStopped
            onStopped = []
            for completion in completions { completion() }
        case .buffered, .polled:
            if !isWanted { close() }
        }
    }

    /// Reports the end of sampling, and closes what is open.
    private func fail(_ reason: String) {
        isWanted = false
        onEvent?(.failed(reason))
        reconcile()
    }

    // MARK: - Opening and closing

    /// What the helper brought about when it opened the device.
    private struct Opening: Sendable {
        var buffer: (any SensorBuffer)?
        var error: SystemError?
        var previousRate: Double?
        var rate: Double?
        var warnings: [String] = []
    }

    private func open() {
        state = .changing
        // What readings before a pause have led to counts no more.
        scaling = freshScaling
        helper.run { [sensor, targetRate, bufferWorks] in
            Self.open(sensor, rate: targetRate, buffered: bufferWorks)
        } completion: { [self] opening in
            opened(opening)
        }
    }

    private static func open(_ sensor: any SensorDevice, rate: Double, buffered: Bool) -> Opening {
        var opening = Opening()
        do throws(SystemError) {
            // Scans come at the chip's rate; to a poll a slow chip gives what was true long ago.
            let rate = buffered ? rate : max(rate, leastFrequency)
            opening.previousRate = try sensor.requestSamplingFrequency(rate)
            opening.rate = try sensor.samplingFrequency
        } catch {
            opening.warnings.append("\(error); sampling goes on at the rate the sensor has")
        }
        guard buffered else { return opening }
        do throws(SystemError) {
            let buffer = try sensor.openBuffer()
            opening.warnings += buffer.warnings
            opening.buffer = buffer
        } catch {
            // A node opens once: whoever has it would keep polled values from us as well.
            if error.errno == .busy || error.errno == .noDevice || !sensor.description.canPoll {
                opening.error = error
            } else {
                opening.warnings.append("\(error); polling instead")
            }
        }
        return opening
    }

    private func opened(_ opening: Opening) {
        previousRate = previousRate ?? opening.previousRate
        if let error = opening.error {
            isWanted = false
            onEvent?(.failed("\(error)"))
            restoreRate()
        } else if let buffer = opening.buffer {
            read(buffer, rate: opening.rate, warnings: opening.warnings)
        } else {
            poll(warnings: opening.warnings)
        }
    }

    private func close() {
        probe?.disarm()
        let ended = state
        state = .changing
        switch ended {
        case .buffered(let reader):
            let buffer = reader.end()
            helper.run {
                buffer.close()
            } completion: { [self] in
                restoreRate()
            }
        case .polled(let poll):
            helper.stop(poll) { [self] in restoreRate() }
        case .stopped, .changing:
            restoreRate()
        }
    }

    /// Puts the sampling frequency back, the last step of closing.
    private func restoreRate() {
        let rate = previousRate
        previousRate = nil
        helper.run { [sensor] in
            sensor.endReading()
            // The device may well have gone, which is why it is closed; its rate has gone with it.
            try? sensor.restoreSamplingFrequency(rate)
        } completion: { [self] _ in
            state = .stopped
            reconcile()
        }
    }

    // MARK: - Buffered

    private func read(_ buffer: any SensorBuffer, rate: Double?, warnings: [String]) {
        let reader = BufferReader(buffer)
        state = .buffered(reader)
        do throws(SystemError) {
            try reader.begin(in: loop) { [unowned(unsafe) self] in readScan(reader) }
        } catch {
            return abandonBuffer("\(error)")
        }
        mode = .buffer
        sampleRate = rate ?? targetRate
        probe?.arm(after: probeTime)
        // It may have been stopped while the helper was at work.
        if isWanted {
            onEvent?(.started(warnings: warnings))
            // What tells of changes only has its state to tell at first.
            readScan(reader)
        }
        reconcile()
    }

    /// Takes one scan; the loop comes back at once if there are more, which saves asking for one that is not there.
    private func readScan(_ reader: BufferReader) {
        do throws(SystemError) {
            guard let scan = try reader.buffer.next() else { return }
            probe?.disarm()
            onEvent?(.sample(scaling.measurement(raw: scan.raw, time: scan.time ?? loop.now)))
        } catch {
            fail("\(error)")
        }
    }

    /// Gives the buffer up for good and polls, if the device can be polled.
    private func abandonBuffer(_ reason: String) {
        guard case .buffered(let reader) = state else { return }
        guard sensor.description.canPoll else { return fail(reason) }
        bufferWorks = false
        state = .changing
        let buffer = reader.end()
        helper.run {
            buffer.close()
        } completion: { [self] in
            poll(warnings: [reason + "; polling instead"])
        }
    }

    // MARK: - Polled

    private func poll(warnings: [String]) {
        mode = .poll
        sampleRate = targetRate
        lastReading = loop.now
        let poll = helper.poll(every: 1 / targetRate) { [sensor] () throws(SystemError) in
            try sensor.read()
        } deliver: { [unowned(unsafe) self] result in
            take(result)
        }
        state = .polled(poll)
        // It may have been stopped while the helper was at work.
        if isWanted { onEvent?(.started(warnings: warnings)) }
        reconcile()
    }

    private func take(_ result: PollResult) {
        switch result {
        case .reading(let raw, let time):
            lastReading = time
            onEvent?(.sample(scaling.measurement(raw: raw, time: time)))
        case .failure(let error) where error.errno == .again && loop.now - lastReading < Self.longestSilence:
            break
        case .failure(let error):
            fail("\(error)")
        }
    }
}

/// A running buffer with the loop's watch on it.
private final class BufferReader {
    let buffer: any SensorBuffer
    private var watch: EventSource?

    init(_ buffer: any SensorBuffer) {
        self.buffer = buffer
    }

    /// Calls `handler` when scans have come; throws for a buffer that cannot be waited for, as those of networks.
    func begin(in loop: EventLoop, _ handler: @escaping () -> Void) throws(SystemError) {
        guard let descriptor = buffer.pollDescriptor else {
            throw SystemError("wait for scans of the buffer", errno: .notSupported)
        }
        watch = try loop.watch(descriptor, handler)
    }

    /// Stops reading and hands the buffer over, to be closed by the helper.
    func end() -> any SensorBuffer {
        watch = nil
        return buffer
    }
}
