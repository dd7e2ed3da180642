// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// Readings of an accelerometer for some seconds: its own, or else the daemon's gravity.
struct Readings {
    /// In the device frame; times in seconds from the first.
    fileprivate(set) var samples: [AccelerometerSample] = []

    /// The source of the samples, in words.
    fileprivate(set) var origin = ""

    /// Why there are none, or none of the sensor itself.
    fileprivate(set) var problem = ""

    /// Whether the sensor cannot be polled because its buffer is in use.
    fileprivate(set) var isBusy = false

    /// Whether the user has ended it.
    fileprivate(set) var isInterrupted = false

    /// Whether they are the daemon's, which filters them and scales them to 1 g.
    fileprivate(set) var isFiltered = false

    /// How the sensor was read; nil if it was polled while the daemon runs.
    fileprivate(set) var mode: SensorMode?
    fileprivate(set) var expectedRate = 0.0

    /// The warnings of the sensor's source.
    fileprivate(set) var warnings: [String] = []

    fileprivate init() {}

    /// Reads for so many seconds, and restores the sensor's settings.
    init(_ system: SystemState, seconds: Double) {
        if let sensor = system.accelerometer {
            do throws(SystemError) {
                self = try DirectReader().read(sensor, system, seconds: seconds)
            } catch {
                problem = "\(error)"
            }
        } else {
            problem = "there is no accelerometer"
        }
        guard samples.isEmpty, !isInterrupted, let bus = system.bus, system.snapshot != nil else { return }
        let daemon = DaemonReadings(OrientationClient(bus: bus), seconds: seconds)
        samples = daemon.samples
        isFiltered = true
        origin = "Gravity as orientd reports it"
    }
}

/// Reads a sensor without the daemon.
private final class DirectReader {
    private var readings = Readings()
    private let loop: EventLoop
    private let helper: HelperThread
    private var clock = TraceClock()
    private var stopReading: () -> Void = {}

    init() throws(SystemError) {
        loop = try EventLoop()
        helper = try HelperThread(loop: loop)
    }

    func read(_ sensor: any SensorDevice, _ system: SystemState, seconds: Double) throws(SystemError) -> Readings {
        readings.origin = "the sensor itself"
        let configuration = system.configuration
        let scaling = sensor.description.scaling(convention: configuration.convention, faceUp: configuration.faceUp)
        // A read that hangs blocks the helper: do not wait for it.
        let timeout = try loop.timer { [self] in loop.exit() }
        if system.snapshot == nil {
            try open(sensor, scaling, rate: configuration.rate)
        } else {
            // The daemon may need the buffer, which can be opened once, at any time.
            poll(sensor, scaling, every: 1 / configuration.rate)
        }
        let end = try loop.timer { [self] in stop() }
        let termination = try loop.onTermination { [self] in
            readings.isInterrupted = true
            stop()
        }
        end.arm(after: seconds)
        timeout.arm(after: seconds + 2)
        _ = try loop.run()
        withExtendedLifetime((timeout, end, termination)) {}
        if !readings.isInterrupted { termination.cancel() }
        if readings.samples.isEmpty, readings.problem.isEmpty {
            readings.problem = "no reading within \(decimal(seconds, places: 0)) s"
        }
        return readings
    }

    /// Ends once the sensor's settings are restored.
    private func stop() {
        stopReading()
        stopReading = {}
    }

    /// Reads as the daemon would.
    private func open(_ sensor: any SensorDevice, _ scaling: SensorScaling, rate: Double) throws(SystemError) {
        let source = try DeviceSource(sensor, scaling: scaling, rate: rate, loop: loop)
        source.onEvent = { [self] event in
            switch event {
            case .started(let warnings): readings.warnings += warnings
            case .sample(let measurement): add(measurement)
            case .stalled(let problem), .silent(let problem): readings.warnings.append(problem)
            case .ended: stop()
            case .failed(let reason):
                readings.problem = reason
                stop()
            }
        }
        stopReading = { [self] in
            readings.mode = source.mode
            readings.expectedRate = source.sampleRate
            source.onEvent = nil
            source.stop { [self] in loop.exit() }
        }
        source.start()
    }

    private func poll(_ sensor: any SensorDevice, _ scaling: SensorScaling, every period: Double) {
        var scaling = scaling
        let poll = helper.poll(sensor, every: period) { [self] result in
            switch result {
            case .success(let scan):
                add(scaling.measurement(raw: scan.raw, time: scan.time ?? loop.now))
            case .failure(let error) where error.errno == .again:
                break
            case .failure(let error):
                readings.problem = "\(error)"
                readings.isBusy = error.errno == .busy
                stop()
            }
        }
        stopReading = { [self] in
            helper.stopPolling(poll)
            helper.stop { [self] in loop.exit() }
        }
    }

    private func add(_ measurement: Measurement) {
        guard case .acceleration(var sample) = measurement else { return }
        sample.time = clock.time(at: sample.time)
        readings.samples.append(sample)
    }
}
