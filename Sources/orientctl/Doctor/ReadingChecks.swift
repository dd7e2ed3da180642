// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import OrientationCore
import OrientationSensors
import SystemdBus

/// The checks of the sensor's readings: gravity, noise and rate.
struct ReadingChecks {
    let system: SystemState
    let readings: Readings

    /// No findings without an accelerometer, which the kernel's check reports, nor for a recording or a simulation.
    var findings: [Finding] {
        let hasRemote = system.sensors.contains {
            $0.status.location != .base && $0.status.state != .lost && $0.status.mode != .replay
        }
        guard system.accelerometer != nil || hasRemote else { return [] }
        let statistics = Statistics(readings.samples)
        return [gravity(statistics), statistics.map(Self.noise) ?? unmeasured("noise"), sampling]
    }

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

    private func gravity(_ statistics: Statistics?) -> Finding {
        guard let statistics else { return unmeasured("gravity") }
        guard readings.isFiltered else { return Self.gravity(statistics) }
        return readings.isBusy
            ? .warn("gravity", "cannot be measured while a program uses the sensor's buffer")
            : .warn("gravity", "cannot be measured through orientd: \(readings.problem)", remedy: Remedy.log)
    }

    private func unmeasured(_ subject: String) -> Finding {
        let problem = readings.problem.isEmpty ? "too few readings" : readings.problem
        return .warn(subject, "cannot be measured: " + problem, remedy: system.snapshot == nil ? "" : Remedy.log)
    }

    private static let motion = "the device is moving: lay it down and repeat this"

    /// Only root may change a sensor's settings without orientd.
    private static var perhapsAsRoot: String { getuid() == 0 ? "" : "; repeat this as root" }

    static func gravity(_ statistics: Statistics) -> Finding {
        let magnitude = statistics.mean.magnitude
        let text = "\(decimal(magnitude, places: 3)) g"
        guard statistics.spread <= Statistics.motion else {
            return .warn("gravity", Self.motion)
        }
        switch magnitude {
        case 0.9...1.1: return .ok("gravity", "\(text) at rest")
        case 0.75...1.25:
            return .warn("gravity", "\(text) at rest: the scale or an offset is inaccurate", remedy: Remedy.report)
        case 0: return .fail("gravity", "all readings are 0", remedy: Remedy.report)
        default: return .fail("gravity", "\(text) at rest: the scale or an offset is wrong", remedy: Remedy.report)
        }
    }

    static func noise(_ statistics: Statistics) -> Finding {
        let text = "\(decimal(statistics.spread * 1000, places: 1)) mg over \(statistics.count) readings"
        if statistics.count < 5 { return .warn("noise", "too few readings: \(statistics.count)", remedy: Remedy.log) }
        switch statistics.spread {
        case ..<1e-9:
            let text = "all \(statistics.count) readings are identical: the sensor may be stuck"
            return .warn("noise", text, remedy: Remedy.restart)
        case ...Statistics.noise: return .ok("noise", text)
        case ...Statistics.motion: return .warn("noise", text + ": high for a sensor at rest", remedy: Remedy.report)
        default: return .warn("noise", "\(text): \(Self.motion)")
        }
    }

    // MARK: - Sampling

    private var sampling: Finding {
        guard let bus = system.bus, system.snapshot != nil else { return samplingWithoutDaemon }
        let daemon = DaemonReadings(OrientationClient(bus: bus), seconds: 2)
        if let refusal = daemon.refusal {
            let text = "orientd does not sample for this user: \(refusal.message)"
            return .warn("sampling", text, remedy: Remedy.session)
        }
        let sensor = system.accelerometer?.description
        return Self.sampling(
            daemon.sensor,
            changes: daemon.samples.count - 1,
            seconds: daemon.duration,
            canBuffer: sensor.map { $0.canBuffer && $0.name == daemon.sensor?.name } ?? false,
            isHere: sensor != nil
        )
    }

    /// Checks a claimed daemon: its sensor, and how often its gravity changed, -1 without any gravity.
    ///
    /// `isHere` says that this machine has an accelerometer.
    static func sampling(
        _ sensor: SensorStatus?,
        changes: Int,
        seconds: Double,
        canBuffer: Bool,
        isHere: Bool
    ) -> Finding {
        guard let sensor else {
            return isHere
                ? .fail("sampling", "orientd has not found the accelerometer", remedy: Remedy.restart)
                : .warn("sampling", "orientd has no accelerometer")
        }
        guard sensor.state == .sampling else {
            let reason = sensor.lastError.isEmpty ? "" : ": \(sensor.lastError)"
            return .fail("sampling", "\(sensor.name) is \(sensor.state.name)\(reason)", remedy: Remedy.log)
        }
        if canBuffer, sensor.mode == .poll {
            return .warn("sampling", "\(sensor.name) is polled although it has a buffer", remedy: Remedy.log)
        }
        guard changes >= 0 else { return .fail("sampling", "\(sensor.name) delivers no readings", remedy: Remedy.log) }
        guard sensor.sensingLevel == .stream else {
            return .ok("sampling", "\(sensor.name) rests (\(sensor.sensingLevel)): its rate is not measured")
        }
        guard changes > 0, seconds > 0 else {
            return .warn("sampling", "all readings of \(sensor.name) are identical: the rate cannot be measured")
        }
        return rate(Double(changes) / seconds, expected: sensor.sampleRate, "\(sensor.name), \(sensor.mode)")
    }

    private var samplingWithoutDaemon: Finding {
        guard let mode = readings.mode, let last = readings.samples.last, last.time > 0 else {
            return unmeasured("sampling")
        }
        guard readings.warnings.isEmpty else {
            return .warn("sampling", readings.warnings.joined(separator: "; ") + Self.perhapsAsRoot)
        }
        let reached = Double(readings.samples.count - 1) / last.time
        return Self.rate(reached, expected: readings.expectedRate, "without orientd, \(mode.name)")
    }

    /// Checks a rate in Hz; 60 are always enough.
    static func rate(_ reached: Double, expected: Double, _ how: String) -> Finding {
        let text = "\(decimal(reached, places: 1)) of \(decimal(expected, places: 1)) readings per second (\(how))"
        return reached >= 0.7 * min(expected, 60)
            ? .ok("sampling", text) : .warn("sampling", text, remedy: Remedy.log)
    }
}
