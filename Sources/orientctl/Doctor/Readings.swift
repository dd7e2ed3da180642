// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// Readings of an accelerometer for some seconds: its own, or else the daemon's gravity; and how the daemon reads it.
final class Readings {
    /// In the device frame; times in seconds from the first.
    private(set) var samples: [AccelerometerSample] = []
    /// Why there are none, or none of the sensor itself.
    private(set) var problem = ""

    /// Whether the sensor cannot be polled because its buffer is in use.
    var isBusy: Bool { problem.includes("\(Errno.busy)") }

    /// Whether the user has ended it.
    private(set) var isInterrupted = false
    /// Whether they are the daemon's, which filters them and scales them to 1 g.
    private(set) var isFiltered = false
    /// Whether they are the daemon's, from the buffer, although the sensor was polled: that gave other values.
    private(set) var areOfBuffer = false
    /// What the daemon has delivered; nil if none runs.
    private(set) var daemon: Result<DaemonReadings, BusError>?
    /// How the sensor was read, and how often it should have been; nil if it was polled while the daemon runs.
    private(set) var source: (mode: SensorMode, rate: Double)?

    private(set) var warnings: [String] = []

    private var timeout: Timer?

    /// Reads the sensor for so many seconds, restores its settings, and then reads the daemon.
    func read(_ system: SystemState, seconds: Double) {
        if let sensor = system.accelerometer {
            do throws(SystemError) {
                try read(sensor, system, seconds: seconds)
            } catch {
                problem = "\(error)"
            }
        } else {
            problem = "there is no accelerometer"
        }
        guard !isInterrupted, let bus = system.bus, system.snapshot != nil else { return }
        isFiltered = samples.isEmpty
        do throws(BusError) {
            let readings = try DaemonReadings(bus, seconds: isFiltered ? seconds : 2)
            if isFiltered { samples = readings.samples }
            let isSame = readings.sensor?.name == system.accelerometer?.description.name
            if isSame, readings.sensor?.mode == .buffer, Self.differ(samples, readings.samples) {
                samples = readings.samples
                areOfBuffer = true
            }
            daemon = .success(readings)
        } catch {
            daemon = .failure(error)
        }
    }

    /// Whether gravity has another direction in some readings than in others; a wrong scale is no difference.
    private static func differ(_ ones: [AccelerometerSample], _ others: [AccelerometerSample]) -> Bool {
        guard let one = ReadingChecks.Statistics(ones)?.mean, let other = ReadingChecks.Statistics(others)?.mean else {
            return false
        }
        // 18°.
        return one.dot(other) < 0.95 * one.magnitude * other.magnitude || one == .zero
    }

    private func read(_ sensor: any SensorDevice, _ system: SystemState, seconds: Double) throws(SystemError) {
        let loop = try EventLoop()
        let configuration = system.configuration
        let scaling = configuration.scaling(of: sensor.description)
        let rate = configuration.rate
        let polled = try PolledSource(sensor, scaling.frame, rate: rate, loop)
        // As the daemon reads it, if the daemon does not.
        let device =
            system.snapshot == nil ? try DeviceSource(sensor, scaling: scaling, rate: rate, loop: loop) : nil
        let reader = SourceReader(device ?? polled, loop)
        var clock = TraceClock()
        reader.onWarning = { [self] in warnings.append($0) }
        reader.onSample = { [self] sample in
            var sample = sample
            sample.time = clock.time(at: sample.time)
            samples.append(sample)
            source = device.map { ($0.mode, $0.sampleRate) }
        }
        // A read that hangs blocks the helper, which cannot close the sensor then: do not wait for it.
        timeout = try loop.timer { loop.exit() }
        timeout?.arm(after: seconds + 2)
        do throws(CommandError) {
            try reader.run(seconds: seconds)
        } catch {
            problem = error.message
        }
        isInterrupted = reader.isInterrupted
        if samples.isEmpty, problem.isEmpty { problem = "no reading within \(decimal(seconds, places: 0)) s" }
    }
}

/// Polls a sensor beside the daemon, which may need the buffer, that can be opened once, at any time.
private final class PolledSource: SensorSource {
    var onEvent: ((SourceEvent) -> Void)?
    let mode = SensorMode.poll
    let sampleRate: Double

    private let sensor: any SensorDevice
    private let frame: SensorFrame
    private let loop: EventLoop
    private let helper: HelperThread
    private var poll: Int?

    var isClosed: Bool { poll == nil }

    init(_ sensor: any SensorDevice, _ frame: SensorFrame, rate: Double, _ loop: EventLoop) throws(SystemError) {
        self.sensor = sensor
        self.frame = frame
        sampleRate = rate
        self.loop = loop
        helper = try HelperThread(loop: loop)
    }

    func start() {
        poll = helper.poll(sensor, every: 1 / sampleRate) { [self] in
            receive($0)
        } onFailure: { [self] in
            receive(.failure($0))
        }
    }

    private func receive(_ result: Result<RawScan, SystemError>) {
        switch result {
        case .success(let scan):
            let acceleration = frame.acceleration(raw: scan.raw)
            onEvent?(.sample(AccelerometerSample(time: scan.time ?? loop.now, acceleration: acceleration)))
        case .failure(let error) where error.errno == .again: break
        case .failure(let error): onEvent?(.report(.failed("\(error)")))
        }
    }

    func stop() {
        if let poll { helper.stopPolling(poll) }
        poll = nil
    }
}

/// The daemon's gravity for some seconds, read while the sensor is claimed.
struct DaemonReadings {
    /// One sample for each change.
    var samples: [AccelerometerSample] = []
    /// The sensor in use; nil if the daemon has none.
    var sensor: SensorStatus?
    /// What the daemon said at the end, with the angle of the hinge if that can be measured.
    var status: ManagerStatus?
    /// Seconds from the first answer to the last.
    var duration = 0.0
}

extension DaemonReadings {
    init(_ bus: Bus, seconds: Double) throws(BusError) {
        self.init()
        try bus.callDaemon("Claim")
        try bus.callDaemon("ClaimTabletMode")
        let start = MonotonicClock.now
        var clock = TraceClock()
        var last = Vector3.zero
        repeat {
            let snapshot = try bus.readManager()
            let gravity = snapshot.gravity
            status = snapshot.status
            if gravity != last {
                last = gravity
                let acceleration = gravity * -AccelerometerSample.standardGravity
                let time = clock.time(at: MonotonicClock.now)
                samples.append(AccelerometerSample(time: time, acceleration: acceleration))
            }
            CLinux.poll(nil, 0, 4)
        } while MonotonicClock.now - start < seconds
        duration = MonotonicClock.now - start
        // Where the hinge is measured, the base's accelerometer is read, too.
        let sensors = try bus.readSensors().map { $0.status }.filter { $0.location != .base }
        sensor = sensors.first { $0.state == .sampling } ?? sensors.first
        try bus.callDaemon("ReleaseTabletMode")
        try bus.callDaemon("Release")
    }
}
