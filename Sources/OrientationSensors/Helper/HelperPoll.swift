// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import SystemdBus

/// Reads a device again and again on a helper's thread, and sends what its filter passes to the loop.
final class HelperPoll {
    let id: Int
    private let device: any SensorDevice
    private let usualPeriod: Double
    private let results: Mailbox<HelperResult>
    private let loop: EventLoop
    private var filter: MotionFilter?
    /// Nil where each reading is urgent.
    private var batch: ReadingBatch?
    private var timer: Timer?
    private var due: Double
    /// Nil unless changes are awaited instead of the timer.
    private var watch: EventSource?
    private var changes = NoiseRun()
    private var zeros: FirstZeros

    /// `beforeZeros`: what is delivered while zeros at the beginning are doubted; nil where zeros are right.
    init(
        _ id: Int,
        _ device: any SensorDevice,
        every period: Double,
        beforeZeros: Vector3?,
        on loop: EventLoop,
        _ results: Mailbox<HelperResult>
    ) throws(SystemError) {
        self.id = id
        usualPeriod = period
        self.device = device
        self.results = results
        self.loop = loop
        zeros = beforeZeros.map { .possible(count: 0, before: $0) } ?? .credible
        due = loop.now
        timer = try loop.timer(owned(by: self) { $0.readNow() })
        timer?.arm(after: 0)
    }

    func setFilter(_ filter: MotionFilter?, _ batch: ReadingBatch?) {
        self.batch = batch
        guard filter != nil || self.filter != nil else { return }
        // A device that only became quieter keeps waiting as before.
        let isNew = self.filter == nil
        self.filter = filter
        if filter == nil { watch = nil } else if isNew { watchChanges() }
        // After a movement at rest, the next reading comes after half a period.
        due = loop.now - (filter == nil ? usualPeriod / 2 : 0)
        // The device may have moved before its changes were awaited.
        if isNew, watch != nil { readNow() } else { wait() }
    }

    private var period: Double { filter?.period ?? usualPeriod }

    /// Reads when the device reports a change, if it does so, instead of by timer.
    private func watchChanges() {
        changes.reset()
        guard let descriptor = device.changeDescriptor else { return }
        device.forgetChanges()
        // If that fails, the timer remains.
        watch = try? loop.watch(descriptor, owned(by: self) { $0.changed() })
    }

    private func changed() {
        device.forgetChanges()
        let now = MonotonicClock.now
        changes.add(at: now)
        if changes.isNoise {
            watch = nil
            due = now
        }
        readNow()
    }

    private func readNow() {
        do throws(SystemError) {
            let reading = RawScan(raw: try zeros.read(device), time: MonotonicClock.now)
            if filter == nil {
                results.send(.polled(id, .success(reading)), wakes: batch?.isUrgent(reading.raw) ?? true)
            } else if let reading = filter?.pass(reading) {
                results.send(.polled(id, .success(reading)))
            }
        } catch {
            filter?.fail()
            // A device that is gone stays readable.
            watch = nil
            results.send(.polled(id, .failure(error)))
        }
        wait()
    }

    private func wait() {
        let now = MonotonicClock.now
        if watch != nil, let filter {
            due = max(filter.deadline, now)
        } else {
            let measuresOnlyAngle = filter?.sensing.measuresOnlyAngle ?? false
            let next = now + Self.delay(period: period, now: now)
            due = measuresOnlyAngle ? next : Self.nextDue(after: due, period: period, now: now)
        }
        timer?.arm(after: due - loop.now)
    }

    /// Returns the seconds until the clock shows a multiple of `period`.
    static func delay(period: Double, now: Double) -> Double { period - now.truncatingRemainder(dividingBy: period) }

    /// Returns when to call again; a chip that takes longer than the period is left alone for a whole one.
    static func nextDue(after due: Double, period: Double, now: Double) -> Double {
        due + period > now ? due + period : now + period
    }
}

/// The zeros that a sensor reads first.
///
/// After sleep, the light sensors of Framework's and some ASUS laptops read 0 as long as they are read more often than
/// about every five seconds: FrameworkComputer/SoftwareFirmwareIssueTracker#179, dmy3k/gnome-adaptive-brightness#9.
private enum FirstZeros {
    /// So many zeros have been read, and nothing else; `before` was read the last time.
    case possible(count: Int, before: Vector3)
    /// The sensor is left alone until then.
    case doubted(before: Vector3, until: Double)
    case credible

    /// Seconds in which such a sensor recovers.
    private static let recovery = 6.0
    /// Zeros in a row from which on it is left alone: the first one may be that of a chip that was just switched on.
    private static let doubtful = 2

    /// Reads the device, or repeats the reading before while zeros are doubted.
    mutating func read(_ device: any SensorDevice) throws(SystemError) -> Vector3 {
        if case .doubted(let before, let end) = self, MonotonicClock.now < end { return before }
        let raw = try device.read()
        guard case .possible(let count, let before) = self, raw == .zero else {
            self = .credible
            return raw
        }
        let isDoubtful = count + 1 >= Self.doubtful
        self =
            isDoubtful
            ? .doubted(before: before, until: MonotonicClock.now + Self.recovery)
            : .possible(count: count + 1, before: before)
        return before
    }
}
