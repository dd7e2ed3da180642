// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import Testing

@testable import orientctl

@Suite struct DoctorReadingTests {
    typealias Statistics = ReadingChecks.Statistics

    /// Readings of an upright device that reads `norm` g, every other one `tremor` g to either side.
    private func statistics(norm: Double, tremor: Double = 0.002, count: Int = 20) throws -> Statistics {
        let samples = (0..<count).map { index in
            AccelerometerSample(
                time: Double(index) / 15,
                acceleration: Vector3((index % 2 == 0 ? tremor : -tremor) * 9.80665, norm * 9.80665, 0)
            )
        }
        return try #require(Statistics(samples))
    }

    @Test func `statistics are in g`() throws {
        let statistics = try statistics(norm: 1, tremor: 0.05)
        #expect(abs(statistics.mean.magnitude - 1) < 1e-9)
        #expect(abs(statistics.spread - 0.05) < 1e-9)
        #expect(Statistics([]) == nil)
    }

    @Test(arguments: [
        (norm: 1.0, verdict: Finding.Verdict.ok), (0.95, .ok), (0.85, .warn), (1.2, .warn), (0.1, .fail),
        (9.8, .fail), (0, .fail),
    ])
    func `gravity at rest shows a wrong scale`(norm: Double, verdict: Finding.Verdict) throws {
        #expect(ReadingChecks.gravity(try statistics(norm: norm, tremor: 0)).verdict == verdict)
    }

    // Devices with another scale than the usual one failed.
    @Test(arguments: [(norm: 2.0, verdict: Finding.Verdict.ok), (0.25, .ok), (3.9, .ok), (1, .ok), (0, .fail)])
    func `a scale that the driver does not tell cannot be wrong`(norm: Double, verdict: Finding.Verdict) throws {
        #expect(ReadingChecks.gravity(try statistics(norm: norm, tremor: 0), hasScale: false).verdict == verdict)
        let moving = ReadingChecks.gravity(try statistics(norm: norm, tremor: 0.5 * norm), hasScale: false)
        #expect(moving.verdict == (norm == 0 ? .fail : .warn))
    }

    @Test func `equal readings of a coarse sensor are no noise, and zeros are no stuck sensor`() throws {
        #expect(ReadingChecks.noise(try statistics(norm: 1, tremor: 0), isCoarse: true).verdict == .ok)
        let zeros = ReadingChecks.noise(try statistics(norm: 0, tremor: 0))
        #expect(zeros == .warn("none: all readings are 0"))
    }

    @Test func `gravity is not judged while the device moves`() throws {
        let finding = ReadingChecks.gravity(try statistics(norm: 3, tremor: 0.5))
        #expect(finding.verdict == .warn)
        #expect(finding.text.contains("moving"))
    }

    @Test(arguments: [
        (tremor: 0.002, count: 20, verdict: Finding.Verdict.ok, word: "mg"), (0.05, 20, .warn, "high"),
        (0.5, 20, .warn, "moving"), (0, 20, .warn, "stuck"), (0.002, 4, .warn, "too few"),
    ])
    func `noise shows whether a sensor is at rest, moving or stuck`(
        tremor: Double,
        count: Int,
        verdict: Finding.Verdict,
        word: String
    ) throws {
        let finding = ReadingChecks.noise(try statistics(norm: 1, tremor: tremor, count: count))
        #expect(finding.verdict == verdict)
        #expect(finding.text.contains(word))
    }

    private func sampling(
        _ change: (inout SensorStatus) -> Void = { _ in },
        changes: Int = 30,
        canBuffer: Bool = false
    ) -> Finding {
        var sensor = SensorStatus()
        (sensor.name, sensor.location) = ("bma253", .display)
        (sensor.mode, sensor.sampleRate, sensor.state) = (.poll, 15, .sampling)
        change(&sensor)
        let sample = AccelerometerSample(time: 0, acceleration: .zero)
        let samples = [AccelerometerSample](repeating: sample, count: changes + 1)
        let daemon = DaemonReadings(samples: samples, sensor: sensor, duration: 2)
        return ReadingChecks.sampling(daemon, canBuffer: canBuffer, isHere: true)
    }

    @Test func `the measured rate is compared with the expected one`() {
        #expect(sampling() == .ok("15.0 of 15.0 readings per second (bma253, poll)"))
        #expect(sampling(changes: 12).verdict == .warn)
        #expect(sampling(changes: 0).verdict == .warn)
        #expect(sampling(changes: -1).verdict == .fail)
        #expect(sampling({ $0.sampleRate = 400 }, changes: 120).verdict == .ok)
    }

    @Test func `a buffer that is not used is a warning`() {
        #expect(sampling(canBuffer: true).verdict == .warn)
        #expect(sampling({ $0.mode = .buffer }, canBuffer: true).verdict == .ok)
    }

    @Test func `a lost sensor is a failure with its last error`() {
        let finding = sampling {
            $0.state = .lost
            $0.lastError = "cannot open"
        }
        #expect(finding.verdict == .fail)
        #expect(finding.text == "bma253 is lost: cannot open")
    }

    @Test func `the rate of a sensor that is read less closely at rest is not compared`() {
        let finding = sampling({ $0.sensingLevel = .watch }, changes: 8)
        #expect(finding == .ok("bma253 rests (watch): its rate is not measured"))
    }

    @Test(arguments: [(true, Finding.Verdict.fail), (false, .warn)])
    func `a daemon without a sensor is a failure if the machine has one`(isHere: Bool, verdict: Finding.Verdict) {
        let finding = ReadingChecks.sampling(DaemonReadings(duration: 2), canBuffer: false, isHere: isHere)
        #expect(finding.verdict == verdict)
    }
}
