// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import OrientationSensors
import SystemdBus

/// The checks of what the sensor reads: gravity, noise, and how often.
struct ReadingChecks {
    private let surroundings: Surroundings
    private let readings: Readings

    init(_ surroundings: Surroundings, _ readings: Readings) {
        self.surroundings = surroundings
        self.readings = readings
    }

    var findings: [Finding] {
        let statistics = Statistics(readings.samples)
        return [gravity(statistics), noise(statistics), sampling]
    }

    // MARK: - Gravity and noise

    /// What the samples have in common, in g.
    struct Statistics: Hashable {
        let count: Int
        let mean: Vector3

        /// How far a sample is from the mean, as a root mean square.
        let spread: Double

        /// Nil of no samples.
        init?(_ samples: [AccelerometerSample]) {
            guard !samples.isEmpty else { return nil }
            count = samples.count
            let share = 1 / Double(samples.count)
            var sum = Vector3.zero
            for gravity in samples.map(\.gravity) {
                sum = Vector3(sum.x + gravity.x, sum.y + gravity.y, sum.z + gravity.z)
            }
            let mean = Vector3(sum.x * share, sum.y * share, sum.z * share)
            self.mean = mean
            let squares = samples.map(\.gravity).reduce(0) { total, gravity in
                let distance = Vector3(gravity.x - mean.x, gravity.y - mean.y, gravity.z - mean.z)
                return total + distance.dot(distance)
            }
            spread = (squares * share).squareRoot()
        }

        /// The spread in g that no sensor at rest has.
        static let motion = 0.1

        /// The spread in g that is more than chips of this kind have.
        static let noise = 0.03
    }

    private func gravity(_ statistics: Statistics?) -> Finding {
        guard let statistics else { return untold("gravity") }
        if readings.isFiltered, readings.isBusy {
            return .warn("gravity", "its strength cannot be told while a program uses the sensor's buffer")
        }
        guard !readings.isFiltered else {
            return .warn("gravity", "orientd alone does not tell: \(readings.problem)", remedy: Remedy.log)
        }
        return Self.gravity(statistics)
    }

    private func untold(_ subject: String) -> Finding {
        let problem = readings.problem.isEmpty ? "too few readings" : readings.problem
        return .warn(subject, "cannot be told: " + problem, remedy: surroundings.snapshot == nil ? "" : Remedy.log)
    }

    static func gravity(_ statistics: Statistics) -> Finding {
        let magnitude = statistics.mean.magnitude
        let text = "\(decimal(magnitude, places: 3)) g"
        guard statistics.spread <= Statistics.motion else {
            return .warn("gravity", "the device moves; lay it down", remedy: "orientctl doctor")
        }
        switch magnitude {
        case 0.9...1.1: return .ok("gravity", "\(text) at rest")
        case 0.75...1.25:
            return .warn("gravity", "\(text) at rest: the scale or an offset is not exact", remedy: Remedy.report)
        case 0: return .fail("gravity", "the sensor reads nothing but 0", remedy: Remedy.report)
        default: return .fail("gravity", "\(text) at rest: the scale or an offset is wrong", remedy: Remedy.report)
        }
    }

    private func noise(_ statistics: Statistics?) -> Finding {
        guard let statistics else { return untold("noise") }
        return Self.noise(statistics)
    }

    static func noise(_ statistics: Statistics) -> Finding {
        let text = "\(decimal(statistics.spread * 1000, places: 1)) mg over \(statistics.count) readings"
        if statistics.count < 5 {
            return .warn("noise", "too few readings to tell: \(statistics.count)", remedy: Remedy.log)
        }
        switch statistics.spread {
        case ..<1e-9:
            return .warn(
                "noise",
                "\(statistics.count) readings are all the same: the sensor may be stuck",
                remedy: Remedy.restart
            )
        case ...Statistics.noise: return .ok("noise", text)
        case ...Statistics.motion: return .warn("noise", text + ": much for a sensor at rest", remedy: Remedy.report)
        default: return .warn("noise", text + ": the device moves; lay it down", remedy: "orientctl doctor")
        }
    }

    // MARK: - Sampling

    private var sampling: Finding {
        guard let bus = surroundings.bus, surroundings.snapshot != nil else { return samplingWithoutDaemon }
        let told = ToldReadings(OrientationClient(bus: bus), seconds: 2)
        if let refusal = told.refusal {
            return .warn(
                "sampling",
                "orientd does not sample for this user: \(refusal.message)",
                remedy: Remedy.asRoot
            )
        }
        let sensor = surroundings.accelerometer?.description
        return Self.sampling(
            told.sensor,
            changes: told.samples.count - 1,
            seconds: told.duration,
            canBuffer: sensor.map { $0.canBuffer && $0.name == told.sensor?.name } ?? false,
            isHere: sensor != nil
        )
    }

    /// Judges what a daemon with a claim does: its sensor, and how often its gravity changed, -1 for no gravity at all.
    ///
    /// `isHere` tells that this machine has an accelerometer.
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
            return .warn("sampling", "\(sensor.name) is polled, though it has a buffer", remedy: Remedy.log)
        }
        guard changes >= 0 else { return .fail("sampling", "no reading comes from \(sensor.name)", remedy: Remedy.log) }
        guard changes > 0, seconds > 0 else {
            return .warn("sampling", "\(sensor.name) reads the same all the time, so that its rate does not show")
        }
        return rate(Double(changes) / seconds, expected: sensor.sampleRate, "\(sensor.name), \(sensor.mode)")
    }

    private var samplingWithoutDaemon: Finding {
        guard let mode = readings.mode, let last = readings.samples.last, last.time > 0 else {
            return untold("sampling")
        }
        guard readings.warnings.isEmpty else {
            return .warn("sampling", readings.warnings.joined(separator: "; "), remedy: Remedy.asRoot)
        }
        let reached = Double(readings.samples.count - 1) / last.time
        return Self.rate(reached, expected: readings.expectedRate, "without orientd, \(mode.name)")
    }

    /// Judges a rate in Hz; one above 60 is enough for everything.
    static func rate(_ reached: Double, expected: Double, _ how: String) -> Finding {
        let text = "\(decimal(reached, places: 1)) of \(decimal(expected, places: 1)) readings a second (\(how))"
        guard reached >= 0.7 * min(expected, 60) else { return .warn("sampling", text, remedy: Remedy.log) }
        return .ok("sampling", text)
    }
}
