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
        samples = DaemonReadings(bus, seconds: seconds).samples
        isFiltered = true
        origin = "Gravity as orientd reports it"
    }

    // MARK: - Without the daemon

    private func read(_ sensor: any SensorDevice, _ system: SystemState, seconds: Double) throws(SystemError) {
        let loop = try EventLoop()
        let configuration = system.configuration
        let scaling = sensor.description.scaling(convention: configuration.convention, faceUp: configuration.faceUp)
        let stop =
            // The daemon may need the buffer, which can be opened once, at any time.
            system.snapshot == nil
            ? try open(sensor, scaling, configuration.rate, loop) : try poll(sensor, scaling, configuration.rate, loop)
        let end = try loop.timer(stop)
        // A read that hangs blocks the helper: do not wait for it.
        let timeout = try loop.timer { loop.exit() }
        let termination = try loop.onTermination { [self] in
            isInterrupted = true
            stop()
        }
        end.arm(after: seconds)
        timeout.arm(after: seconds + 2)
        _ = try loop.run()
        withExtendedLifetime((timeout, end, termination)) {}
        if !isInterrupted { termination.cancel() }
        if samples.isEmpty, problem.isEmpty { problem = "no reading within \(decimal(seconds, places: 0)) s" }
    }

    /// Reads as the daemon would; returns what ends it and restores the sensor's settings.
    private func open(
        _ sensor: any SensorDevice,
        _ scaling: SensorScaling,
        _ rate: Double,
        _ loop: EventLoop
    ) throws(SystemError) -> () -> Void {
        let source = try DeviceSource(sensor, scaling: scaling, rate: rate, loop: loop)
        let stop = { [self] in
            guard self.source == nil else { return }
            self.source = (source.mode, source.sampleRate)
            source.close { loop.exit() }
        }
        source.onEvent = { [self] event in
            switch event {
            case .report(.started(let warnings)), .report(.closed(let warnings)): self.warnings += warnings
            case .sample(let measurement): add(measurement)
            case .report(.stalled(let problem)), .report(.silent(let problem)): warnings.append(problem)
            case .ended: stop()
            case .report(.failed(let reason)):
                problem = reason
                stop()
            }
        }
        source.start()
        return stop
    }

    /// Polls beside the daemon; returns what ends it.
    private func poll(
        _ sensor: any SensorDevice,
        _ scaling: SensorScaling,
        _ rate: Double,
        _ loop: EventLoop
    ) throws(SystemError) -> () -> Void {
        let helper = try HelperThread(loop: loop)
        var scaling = scaling
        var stop: () -> Void = {}
        let poll = try helper.poll(sensor, every: 1 / rate) { [self] result in
            switch result {
            case .success(let scan): add(scaling.measurement(raw: scan.raw, time: scan.time ?? loop.now))
            case .failure(let error) where error.errno == .again: break
            case .failure(let error):
                problem = "\(error)"
                isBusy = error.errno == .busy
                stop()
            }
        }
        stop = {
            stop = {}
            helper.stopPolling(poll)
            // After a read that is under way; without a thread there is none.
            do throws(SystemError) {
                try helper.run({}, completion: { loop.exit() })
            } catch {
                loop.exit()
            }
        }
        return { stop() }
    }

    private func add(_ measurement: Measurement) {
        guard case .acceleration(var sample) = measurement else { return }
        sample.time = clock.time(at: sample.time)
        samples.append(sample)
    }
}
