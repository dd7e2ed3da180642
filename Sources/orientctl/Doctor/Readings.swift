// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// What an accelerometer reads for some seconds: read beside the daemon, or told by it where that cannot be.
struct Readings {
    /// In the device frame; times in seconds from the first.
    fileprivate(set) var samples: [AccelerometerSample] = []

    /// Where the samples are from, for people.
    fileprivate(set) var origin = ""

    /// Why there are none, or none straight from the sensor.
    fileprivate(set) var problem = ""

    /// Whether the kernel gives none beside the sensor's buffer, which is in use.
    fileprivate(set) var isBusy = false

    /// Whether the person has ended it.
    fileprivate(set) var isInterrupted = false

    /// Whether they have been through the daemon, which filters them and makes 1 g of whatever the sensor calls so.
    fileprivate(set) var isFiltered = false

    /// How the sensor was read; nil where it was polled beside a daemon that may need it otherwise.
    fileprivate(set) var mode: SensorMode?
    fileprivate(set) var expectedRate = 0.0

    /// What was not as wished.
    fileprivate(set) var warnings: [String] = []

    fileprivate init() {}

    /// Reads for so many seconds; the sensor is as it was afterwards.
    init(_ surroundings: Surroundings, seconds: Double) {
        if let sensor = surroundings.accelerometer {
            do throws(SystemError) {
                self = try DirectReader().read(sensor, surroundings, seconds: seconds)
            } catch {
                problem = "\(error)"
            }
        } else {
            problem = "there is no accelerometer to read"
        }
        guard samples.isEmpty, !isInterrupted, let bus = surroundings.bus, surroundings.snapshot != nil else { return }
        let told = ToldReadings(OrientationClient(bus: bus), seconds: seconds)
        samples = told.samples
        isFiltered = true
        origin = "Gravity as orientd tells it"
    }
}

/// Reads a sensor beside the daemon, or in its stead.
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

    func read(
        _ sensor: any SensorDevice,
        _ surroundings: Surroundings,
        seconds: Double
    ) throws(SystemError) -> Readings {
        readings.origin = "the sensor itself"
        let configuration = surroundings.configuration
        let scaling = sensor.description.scaling(
            convention: configuration.convention,
            faceUp: configuration.faceUp
        )
        // A chip that hangs keeps the helper, and nobody waits for it.
        let patience = try loop.timer { [self] in loop.exit() }
        if surroundings.snapshot == nil {
            try open(sensor, scaling, rate: configuration.rate)
        } else {
            // The daemon may want the buffer at any time, and a buffer opens once.
            poll(sensor, scaling, every: 1 / configuration.rate)
        }
        let end = try loop.timer { [self] in stop() }
        let termination = try loop.onTermination { [self] in
            readings.isInterrupted = true
            stop()
        }
        end.arm(after: seconds)
        patience.arm(after: seconds + 2)
        _ = try loop.run()
        withExtendedLifetime((patience, end, termination)) {}
        if !readings.isInterrupted { termination.cancel() }
        if readings.samples.isEmpty, readings.problem.isEmpty {
            readings.problem = "no reading came within \(decimal(seconds, places: 0)) s"
        }
        return readings
    }

    /// Ends when the sensor is back as it was found.
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
            case .stalled(let problem): readings.warnings.append(problem)
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
        let poll = helper.poll(every: period) { () throws(SystemError) in
            try sensor.read()
        } deliver: { [self] result in
            switch result {
            case .reading(let raw, let time):
                add(scaling.measurement(raw: raw, time: time))
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
