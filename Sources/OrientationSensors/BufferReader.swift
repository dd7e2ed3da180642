// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import SystemdBus

/// Reads the running buffer of a device, as closely as asked for.
///
/// At rest a sensor that honours its change sensitivity is asked for changes only, and now and then for one report, as
/// proof of life. Any other is read by a timer instead of at each scan.
final class BufferReader {
    /// What follows from reading.
    enum Event {
        case scan(RawScan)
        case failure(SystemError)
        /// No proof of life came.
        case silence
        /// A setting could not be made, and without it the readings are of no use.
        case broken(SystemError)
    }

    /// How the sensor is kept from waking the loop at rest.
    private enum Quieting {
        /// By its change sensitivity.
        case sensitivity
        /// By a timer.
        case timer
    }

    /// Seconds between two proofs of life: at first, and at most; doubled with each that fails.
    static let proofPeriod = (first: 60.0, last: 960.0)
    /// Seconds by which a reading by timer may be late, so that the kernel can combine wake-ups.
    private static let drainSlack = 0.02
    /// The sensitivity that a sensor keeps, relative to the one that was asked for, up to which it is fine enough.
    private static let greatestClamp = 4.0 / 3

    private let device: any SensorDevice
    let buffer: any SensorBuffer
    private let rate: Double
    private let thread: HelperThread
    private let loop: EventLoop
    private let showsMotion: (RawScan) -> Bool
    private let onEvent: (Event) -> Void

    private var sensing = Sensing.stream
    private var quieting: Quieting
    private var watch: EventSource?
    private var drain: Timer?
    private var proof: Timer?
    private(set) var proofPeriod: Double
    private var isProving = false
    private var isClosed = false

    /// The sensitivity that was set last.
    private var sensitivity = 0.0
    private var isSetting = false
    private var isExtended = false
    /// The scans that were read by timer the last time, and when that was.
    private var drained: [RawScan] = []
    private var lastDrain = 0.0
    /// The scans that a sensor makes although its sensitivity forbids them.
    private var restScans = IdleRow(longestGap: 1)

    /// Creates a reader for scans that come at `rate` Hz; `hasSensitivity`: the sensor has that setting, and it is 0.
    ///
    /// Throws where the buffer has nothing to wait for.
    init(
        _ buffer: any SensorBuffer,
        of device: any SensorDevice,
        rate: Double,
        hasSensitivity: Bool,
        proofPeriod: Double,
        thread: HelperThread,
        loop: EventLoop,
        showsMotion: @escaping (RawScan) -> Bool,
        onEvent: @escaping (Event) -> Void
    ) throws(SystemError) {
        (self.buffer, self.device, self.rate, self.thread, self.loop) = (buffer, device, rate, thread, loop)
        (self.proofPeriod, self.showsMotion, self.onEvent) = (proofPeriod, showsMotion, onEvent)
        quieting = hasSensitivity ? .sensitivity : .timer
        drain = try loop.timer { [unowned(unsafe) self] in withExtendedLifetime(self) { drainNow() } }
        proof = try loop.timer { [unowned(unsafe) self] in withExtendedLifetime(self) { proveNow() } }
        try startWatching()
    }

    /// Reads nothing any more; the buffer stays open, and the sensitivity as it is.
    func stop() {
        isClosed = true
        watch = nil
        drain?.disarm()
        proof?.disarm()
    }

    func sense(_ sensing: Sensing) {
        let wasStreaming = self.sensing.level == .stream
        self.sensing = sensing
        // While it rests, only the period changes, and the next drain takes it. The proof of life is due as it was.
        guard sensing.level == .stream || wasStreaming else { return }
        isProving = false
        restScans.reset()
        proof?.disarm()
        apply()
    }

    /// Reads one scan; if there are more, the loop comes back at once, which saves a read that finds none.
    func readScan() {
        guard !isClosed else { return }
        do throws(SystemError) {
            guard let scan = try buffer.next() else { return }
            note(scan)
            onEvent(.scan(scan))
        } catch {
            onEvent(.failure(error))
        }
    }

    // MARK: - Settings

    /// Takes the next step towards what is asked for; called again when the helper has answered.
    private func apply() {
        guard !isClosed, !isSetting else { return }
        let isResting = sensing.level != .stream
        let wanted = isResting && quieting == .sensitivity && !isProving ? sensing.sensitivity : 0
        if wanted != sensitivity { return set(wanted) }
        if isResting, quieting == .timer {
            guard isExtended else { return extend() }
            if watch != nil {
                watch = nil
                drainNow()
            }
        } else if watch == nil {
            drain?.disarm()
            do throws(SystemError) {
                try startWatching()
            } catch {
                onEvent(.broken(error))
            }
        } else if wanted > 0 {
            proof?.arm(after: proofPeriod, slack: proofPeriod / 12)
        }
    }

    private func startWatching() throws(SystemError) {
        guard let descriptor = buffer.pollDescriptor else {
            throw SystemError("wait for scans of the buffer", errno: .notSupported)
        }
        watch = try loop.watch(descriptor) { [unowned(unsafe) self] in withExtendedLifetime(self) { readScan() } }
    }

    private func set(_ change: Double) {
        run { [device] () throws(SystemError) in
            do throws(SystemError) {
                return try device.setChangeSensitivity(change)
            } catch {
                // A sensor that refuses any sensitivity streams on.
                guard change == 0, try device.changeSensitivity == 0 else { throw error }
                return 0
            }
        } completion: { [self] result in
            sensitivity = change
            restScans.reset()
            switch result {
            case .success(let kept):
                if change > 0, !(kept > 0 && kept <= Self.greatestClamp * change) { quieting = .timer }
                if isProving { proof?.arm(after: DeviceSource.probeTime(rate: rate)) }
            case .failure(let error):
                guard change > 0 else { return onEvent(.broken(error)) }
                quieting = .timer
            }
            apply()
        }
    }

    /// Makes room for the scans between two readings by timer: a full buffer drops new ones.
    private func extend() {
        watch = nil
        run { [buffer, capacity] () throws(SystemError) in
            try buffer.extend(to: capacity)
            return 0
        } completion: { [self] result in
            isExtended = true
            if case .failure(let error) = result { return onEvent(.broken(error)) }
            // No scan is read yet, so the timer must be started here.
            if sensing.level != .stream { drainNow() }
            apply()
        }
    }

    /// The scans of the longest ``Sensing/period``, and as many again for a late timer.
    private var capacity: Int { Int(min(max(8, 2 * Sensing.longestPeriod * rate), 4096)) }

    private func run(
        _ work: @escaping @Sendable () throws(SystemError) -> Double,
        completion: @escaping (Result<Double, SystemError>) -> Void
    ) {
        isSetting = true
        thread.run { () -> Result<Double, SystemError> in
            do throws(SystemError) {
                return .success(try work())
            } catch {
                return .failure(error)
            }
        } completion: { [self] result in
            isSetting = false
            if !isClosed { completion(result) }
        }
    }

    // MARK: - By timer

    /// Reads all scans since the last time, and passes on those since the device moved, else the last one.
    private func drainNow() {
        guard !isClosed, sensing.level != .stream, let period = sensing.period else { return }
        drain?.arm(after: period, slack: Self.drainSlack)
        var problem: SystemError?
        drained.removeAll(keepingCapacity: true)
        do throws(SystemError) {
            while drained.count < capacity, let scan = try buffer.next() { drained.append(scan) }
        } catch {
            problem = error
        }
        let (scans, now) = (drained, loop.now)
        // Scans without a stamp came at regular intervals; the last one is half an interval old on average.
        let interval = min(1 / rate, (now - lastDrain) / Double(max(1, scans.count)))
        lastDrain = now
        for index in (scans.firstIndex(where: showsMotion) ?? max(0, scans.count - 1))..<scans.count where !isClosed {
            let time = scans[index].time ?? now - interval * (Double(scans.count - index) - 0.5)
            onEvent(.scan(RawScan(raw: scans[index].raw, time: time)))
        }
        if let problem, !isClosed { onEvent(.failure(problem)) }
    }

    // MARK: - Proof of life

    private func note(_ scan: RawScan) {
        guard sensing.level != .stream, quieting == .sensitivity else { return }
        if isProving {
            isProving = false
            proofPeriod = Self.proofPeriod.first
            return apply()
        }
        guard sensitivity > 0, !showsMotion(scan) else { return }
        restScans.add(at: loop.now)
        guard restScans.count >= IdleRow.noise else { return }
        quieting = .timer
        proof?.disarm()
        apply()
    }

    /// Asks for a report, or complains that none has come.
    private func proveNow() {
        guard !isClosed, sensing.level != .stream, quieting == .sensitivity else { return }
        guard isProving else {
            isProving = true
            return apply()
        }
        isProving = false
        proofPeriod = min(2 * proofPeriod, Self.proofPeriod.last)
        onEvent(.silence)
    }
}
