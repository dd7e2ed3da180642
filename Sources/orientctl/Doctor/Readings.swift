// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// Readings of an accelerometer for some seconds: its own, or else the daemon's gravity.
final class Readings {
    /// In the device frame; times in seconds from the first.
    private(set) var samples: [AccelerometerSample] = []

    /// The source of the samples, in words.
    private(set) var origin = "the sensor itself"

    /// Why there are none, or none of the sensor itself.
    private(set) var problem = ""

    /// Whether the sensor cannot be polled because its buffer is in use.
    private(set) var isBusy = false

    /// Whether the user has ended it.
    private(set) var isInterrupted = false

    /// Whether they are the daemon's, which filters them and scales them to 1 g.
    private(set) var isFiltered = false

    /// How the sensor was read, and how often it should have been; nil if it was polled while the daemon runs.
    private(set) var source: (mode: SensorMode, rate: Double)?

    /// The warnings of the sensor's source.
    private(set) var warnings: [String] = []

    private var clock = TraceClock()

    /// Reads for so many seconds, and restores the sensor's settings.
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
        guard samples.isEmpty, !isInterrupted, let bus = system.bus, system.snapshot != nil else { return }
        samples = (try? DaemonReadings(bus, seconds: seconds))?.samples ?? []
        isFiltered = true
        origin = "Gravity as orientd reports it"
    }

    private func read(_ sensor: any SensorDevice, _ system: SystemState, seconds: Double) throws(SystemError) {
        let loop = try EventLoop()
        let configuration = system.configuration
        let scaling = sensor.description.scaling(convention: configuration.convention, faceUp: configuration.faceUp)
        let rate = configuration.rate
        let polled = try PolledSource(sensor, scaling, rate: rate, loop)
        // As the daemon reads it, if the daemon does not.
        let device =
            system.snapshot == nil ? try DeviceSource(sensor, scaling: scaling, rate: rate, loop: loop) : nil
        let reader = SourceReader(device ?? polled, loop)
        reader.onWarning = { [self] in warnings.append($0) }
        reader.onSample = { [self] sample in
            var sample = sample
            sample.time = clock.time(at: sample.time)
            samples.append(sample)
            source = device.map { ($0.mode, $0.sampleRate) }
        }
        // A read that hangs blocks the helper: do not wait for it.
        let timeout = try loop.timer { loop.exit() }
        timeout.arm(after: seconds + 2)
        do throws(CommandError) {
            try reader.run(seconds: seconds)
        } catch {
            problem = error.message
        }
        withExtendedLifetime(timeout) {}
        isBusy = polled.isBusy
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
    private var scaling: SensorScaling
    private let loop: EventLoop
    private let helper: HelperThread
    private var poll: Int?

    /// Whether the sensor cannot be polled because its buffer is in use.
    private(set) var isBusy = false

    var isClosed: Bool { poll == nil }

    init(_ sensor: any SensorDevice, _ scaling: SensorScaling, rate: Double, _ loop: EventLoop) throws(SystemError) {
        self.sensor = sensor
        self.scaling = scaling
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
        case .success(let scan): onEvent?(.sample(scaling.measurement(raw: scan.raw, time: scan.time ?? loop.now)))
        case .failure(let error) where error.errno == .again: break
        case .failure(let error):
            isBusy = error.errno == .busy
            onEvent?(.report(.failed("\(error)")))
        }
    }

    func stop() {
        guard let poll else { return }
        helper.stopPolling(poll)
        // After a read that is under way; without a thread there is none.
        helper.run({}) { [self] _ in
            self.poll = nil
            onEvent?(.report(.closed(warnings: [])))
        }
    }
}
