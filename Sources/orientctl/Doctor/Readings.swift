// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import OrientationCore
import OrientationDaemon
import OrientationIIO
import SystemdBus

/// What an accelerometer reads for some seconds: read beside the daemon, or told by it where that cannot be.
struct Readings {
    /// In the device frame; times in seconds from the first.
    private(set) var samples: [AccelerometerSample] = []

    /// Where the samples are from, for people.
    private(set) var origin = ""

    /// Why there are none, or none straight from the sensor.
    private(set) var problem = ""

    /// Whether the kernel gives none beside the sensor's buffer, which is in use.
    private(set) var isBusy = false

    /// Whether the person has ended it.
    private(set) var isInterrupted = false

    /// Whether they have been through the daemon, which filters them and makes 1 g of whatever the sensor calls so.
    private(set) var isFiltered = false

    /// How the sensor was read; nil where it was polled beside a daemon that may need it otherwise.
    private(set) var mode: SourceMode?
    private(set) var expectedRate = 0.0

    /// What was not as wished.
    private(set) var warnings: [String] = []

    /// Reads for so many seconds; the sensor is as it was afterwards.
    init(_ surroundings: Surroundings, seconds: Double) {
        if let sensor = surroundings.accelerometer {
            do throws(SystemError) {
                let reading = try Reading()
                try reading.run(sensor, surroundings, seconds: seconds)
                take(reading)
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

    private mutating func take(_ reading: Reading) {
        samples = reading.samples
        warnings = reading.warnings
        problem = reading.problem
        isBusy = reading.isBusy
        isInterrupted = reading.isInterrupted
        mode = reading.mode
        expectedRate = reading.expectedRate
        origin = "the sensor itself"
    }
}

/// Reads a sensor beside the daemon, or in its stead.
private final class Reading {
    private(set) var samples: [AccelerometerSample] = []
    private(set) var warnings: [String] = []
    private(set) var problem = ""
    private(set) var isBusy = false
    private(set) var isInterrupted = false
    private(set) var mode: SourceMode?
    private(set) var expectedRate = 0.0
    private let loop: EventLoop
    private let helper: HelperThread
    private var start: Double?
    private var stopReading: () -> Void = {}

    init() throws(SystemError) {
        loop = try EventLoop()
        helper = try HelperThread(loop: loop)
    }

    func run(_ sensor: any SensorDevice, _ surroundings: Surroundings, seconds: Double) throws(SystemError) {
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
            isInterrupted = true
            stop()
        }
        end.arm(after: seconds)
        patience.arm(after: seconds + 2)
        _ = try loop.run()
        withExtendedLifetime((patience, end, termination)) {}
        if !isInterrupted { termination.cancel() }
        if samples.isEmpty, problem.isEmpty { problem = "no reading came within \(decimal(seconds, places: 0)) s" }
    }

    /// Ends when the sensor is back as it was found.
    private func stop() {
        stopReading()
        stopReading = {}
    }

    /// Reads as the daemon would.
    private func open(_ sensor: any SensorDevice, _ scaling: SensorScaling, rate: Double) throws(SystemError) {
        let source = try DeviceSource(sensor, scaling: scaling, rate: rate, loop: loop, helper: helper)
        source.onEvent = { [self] event in
            switch event {
            case .started(let warnings): self.warnings += warnings
            case .sample(let measurement): add(measurement)
            case .ended: stop()
            case .failed(let reason):
                problem = reason
                stop()
            }
        }
        stopReading = { [self] in
            mode = source.mode
            expectedRate = source.sampleRate
            source.onEvent = nil
            source.stop { [self] in loop.exit() }
        }
        source.start()
    }

    private func poll(_ sensor: any SensorDevice, _ scaling: SensorScaling, every period: Double) {
        var scaling = scaling
        let poll = helper.poll(every: period) { () throws(IIOError) in
            try sensor.read()
        } deliver: { [self] result in
            switch result {
            case .reading(let raw, let time):
                add(scaling.measurement(raw: raw, time: time))
            case .failure(let error) where error.errno == .again:
                break
            case .failure(let error):
                problem = "\(error)"
                isBusy = error.errno == .busy
                stop()
            }
        }
        stopReading = { [self] in
            helper.stop(poll) { [self] in loop.exit() }
        }
    }

    private func add(_ measurement: Measurement) {
        guard case .acceleration(var sample) = measurement else { return }
        let start = start ?? sample.time
        self.start = start
        sample.time = ((sample.time - start) * 1e6).rounded() / 1e6
        samples.append(sample)
    }
}

/// The daemon's gravity, asked for again and again while it samples.
struct ToldReadings {
    /// One for each change.
    private(set) var samples: [AccelerometerSample] = []

    /// The sensor meanwhile; nil where the daemon has none.
    private(set) var sensor: SensorStatus?

    /// Why the daemon does not sample for this user.
    private(set) var refusal: BusError?

    /// Seconds from the first answer to the last.
    private(set) var duration = 0.0

    init(_ client: OrientationClient, seconds: Double) {
        do throws(BusError) {
            try client.claim()
            let start = Self.now
            var last = Vector3.zero
            repeat {
                let gravity = try client.snapshot().gravity
                if gravity != last {
                    last = gravity
                    let standard = -9.80665
                    let acceleration = Vector3(gravity.x * standard, gravity.y * standard, gravity.z * standard)
                    let time = ((Self.now - start) * 1e6).rounded() / 1e6
                    samples.append(AccelerometerSample(time: time, acceleration: acceleration))
                }
                CLinux.poll(nil, 0, 4)
            } while Self.now - start < seconds
            duration = Self.now - start
            let sensors = try client.sensors().map(\.status)
            sensor = sensors.first { $0.state == .sampling } ?? sensors.first { $0.location != "base" }
            try client.release()
        } catch {
            refusal = error
        }
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
