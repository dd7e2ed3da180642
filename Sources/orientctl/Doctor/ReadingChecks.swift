// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import OrientationCore
import OrientationSensors
import SystemdBus

/// The checks of the sensor's readings: gravity, noise and rate.
enum ReadingChecks {
    // MARK: - Gravity and noise

    /// Mean and spread of samples, in g.
    struct Statistics: Hashable {
        let count: Int
        let mean: Vector3

        /// The root mean square of the distance from the mean.
        let spread: Double

        /// Nil without samples.
        init?(_ samples: [AccelerometerSample]) {
            guard !samples.isEmpty else { return nil }
            count = samples.count
            let mean = samples.map { $0.gravity }.reduce(.zero, +) / Double(samples.count)
            self.mean = mean
            let squares = samples.map { ($0.gravity - mean).dot($0.gravity - mean) }.reduce(0, +)
            spread = (squares / Double(samples.count)).squareRoot()
        }

        /// A spread above this many g means that the device moves.
        static let motion = 0.1

        /// A spread above this many g is unusual for a sensor at rest.
        static let noise = 0.03
    }

    static func gravity(_ system: SystemState) -> Finding {
        let readings = system.readings
        guard let statistics = Statistics(readings.samples) else { return unmeasured(system) }
        guard readings.isFiltered else {
            let source =
                readings.areOfBuffer ? ", from the buffer (the attributes differ, orientd does not use them)" : ""
            return gravity(statistics, source, hasScale: system.accelerometer?.description.hasScale ?? true)
        }
        return readings.isBusy
            ? .warn("cannot be measured while a program uses the sensor's buffer")
            : .warn("cannot be measured through orientd: \(readings.problem)", remedy: .readLog)
    }

    static func noise(_ system: SystemState) -> Finding {
        let readings = system.readings
        guard let statistics = Statistics(readings.samples) else { return unmeasured(system) }
        if readings.areOfBuffer { return .ok("not measured: orientd filters what it reads from the buffer") }
        return noise(statistics, isCoarse: system.accelerometer?.description.isCoarse ?? false)
    }

    private static func unmeasured(_ system: SystemState) -> Finding {
        let problem = system.readings.problem.isEmpty ? "too few readings" : system.readings.problem
        return .warn("cannot be measured: " + problem, remedy: system.snapshot == nil ? .none : .readLog)
    }

    private static let motion = "the device is moving: lay it down and repeat this"

    /// Judges readings, and says where they are from; without `hasScale`, their unit is unknown.
    static func gravity(_ statistics: Statistics, _ source: String = "", hasScale: Bool = true) -> Finding {
        let magnitude = statistics.mean.magnitude
        let text = "\(decimal(magnitude, places: 3)) g at rest\(source)"
        let unit = hasScale || magnitude == 0 ? 1 : magnitude
        guard statistics.spread <= Statistics.motion * unit else { return .warn(motion) }
        switch magnitude / unit {
        case 1 where !hasScale: return .ok("\(text), by a guess of the scale; orientd takes that for 1 g")
        case 0.9...1.1: return .ok(text)
        case 0.75...1.25: return .warn("\(text): the scale or an offset is inaccurate", remedy: .report)
        case 0: return .fail("all readings are 0", remedy: .report)
        default: return .fail("\(text): the scale or an offset is wrong", remedy: .report)
        }
    }

    /// Judges noise; that of a coarse sensor may be less than its steps.
    static func noise(_ statistics: Statistics, isCoarse: Bool = false) -> Finding {
        let text = "\(decimal(statistics.spread * 1000, places: 1)) mg over \(statistics.count) readings"
        if statistics.count < 5 { return .warn("too few readings: \(statistics.count)", remedy: .readLog) }
        switch statistics.spread {
        case ..<1e-9 where statistics.mean == .zero: return .warn("none: all readings are 0")
        case ..<1e-9 where isCoarse: return .ok("none over \(statistics.count) readings, as the sensor is coarse")
        case ..<1e-9:
            let text = "all \(statistics.count) readings are identical; if turning it changes none, it is stuck"
            return .warn(text, remedy: .restart)
        case ...Statistics.noise: return .ok(text)
        case ...Statistics.motion: return .warn(text + ": high for a sensor at rest", remedy: .report)
        default: return .warn("\(text): \(motion)")
        }
    }

    // MARK: - Sampling

    static func sampling(_ system: SystemState) -> Finding {
        switch system.readings.daemon {
        case .success(let daemon):
            let sensor = system.accelerometer?.description
            let canBuffer = sensor.map { $0.canBuffer && $0.name == daemon.sensor?.name } ?? false
            return sampling(daemon, canBuffer: canBuffer, isHere: sensor != nil)
        case .failure(let error):
            let text = "orientd does not sample for this user: \(error.message)"
            return .warn(text, remedy: ServiceChecks.claimRemedy(system.bus))
        case nil: return samplingWithoutDaemon(system)
        }
    }

    /// Checks a claimed daemon: its sensor, and how often its gravity changed.
    ///
    /// `isHere` is whether this machine has an accelerometer, and `canBuffer` whether it is the same and has a buffer.
    static func sampling(_ daemon: DaemonReadings, canBuffer: Bool, isHere: Bool) -> Finding {
        guard let sensor = daemon.sensor else {
            return isHere
                ? .fail("orientd has not found the accelerometer", remedy: .restart)
                : .warn("orientd has no accelerometer")
        }
        guard sensor.state == .sampling else {
            let reason = sensor.lastError.isEmpty ? "" : ": \(sensor.lastError)"
            return .fail("\(sensor.name) is \(sensor.state.name)\(reason)", remedy: .readLog)
        }
        if canBuffer, sensor.mode == .poll {
            return .warn("\(sensor.name) is polled although it has a buffer", remedy: .readLog)
        }
        guard !daemon.samples.isEmpty else { return .fail("\(sensor.name) delivers no readings", remedy: .readLog) }
        guard sensor.sensingLevel == .stream else {
            return .ok("\(sensor.name) rests (\(sensor.sensingLevel)): its rate is not measured")
        }
        let changes = daemon.samples.count - 1
        guard changes > 0, daemon.duration > 0 else {
            return .warn("all readings of \(sensor.name) are identical: the rate cannot be measured")
        }
        return rate(Double(changes) / daemon.duration, expected: sensor.sampleRate, "\(sensor.name), \(sensor.mode)")
    }

    private static func samplingWithoutDaemon(_ system: SystemState) -> Finding {
        let readings = system.readings
        guard let source = readings.source, let last = readings.samples.last, last.time > 0 else {
            return unmeasured(system)
        }
        if !readings.warnings.isEmpty {
            if getuid() == 0 { return .warn(readings.warnings.joined(separator: "; ")) }
            return .ok("not measured: without orientd, only root may set the sensor's rate", remedy: .asRoot)
        }
        let reached = Double(readings.samples.count - 1) / last.time
        return rate(reached, expected: source.rate, "without orientd, \(source.mode.name)")
    }

    /// Checks a rate in Hz; 60 are always enough.
    static func rate(_ reached: Double, expected: Double, _ how: String) -> Finding {
        let text = "\(decimal(reached, places: 1)) of \(decimal(expected, places: 1)) readings per second (\(how))"
        return reached >= 0.7 * min(expected, 60)
            ? .ok(text) : .warn(text, remedy: .readLog)
    }
}

extension SensorDescription {
    /// Whether readings at rest may all be equal: by steps of more than 3 mg, or since the kernel filters them.
    fileprivate var isCoarse: Bool {
        isSubstitute || max(scale.x, scale.y, scale.z) > 0.003 * AccelerometerSample.standardGravity
    }
}
