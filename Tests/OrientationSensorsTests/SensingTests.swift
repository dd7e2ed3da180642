// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import Synchronization
import SystemdBus
import Testing

@testable import OrientationSensors

/// What a source does at each sensing level.
@Suite struct SensingTests {
    private let loop: EventLoop
    private let log = CallLog()

    init() throws {
        loop = try EventLoop()
    }

    private static func rest(_ level: SensingLevel = .watch, sensitivity: Double = 0.25) -> Sensing {
        var sensing = Sensing()
        (sensing.level, sensing.reference, sensing.threshold) = (level, Vector3(0, 10, 0), 0.25)
        sensing.sensitivity = sensitivity
        return sensing
    }

    private func source(_ device: any SensorDevice) throws -> DeviceSource {
        let scaling = SensorScaling.acceleration(SensorFrame(convention: .kernel))
        return try DeviceSource(device, scaling: scaling, rate: 1000, loop: loop)
    }

    /// Runs the source, calls `act` with the number of each sample, and stops it when that returns true.
    private func run(_ source: DeviceSource, _ act: @escaping (_ sample: Int, _ y: Double) -> Bool) throws {
        try run(source) { act($0, $1.acceleration.y) }
    }

    private func run(_ source: DeviceSource, _ act: @escaping (Int, AccelerometerSample) -> Bool) throws {
        var count = 0
        source.onEvent = { [loop] event in
            guard case .sample(let sample) = event else { return }
            count += 1
            guard act(count, sample) else { return }
            source.close { loop.exit() }
        }
        source.start()
        _ = try loop.run()
    }

    /// A scan at rest, or one that shows motion, while `hasMoved`.
    private final class Pose: Sendable {
        let hasMoved = Atomic<Bool>(false)

        var raw: Vector3 { hasMoved.load(ordering: .relaxed) ? Vector3(10, 0, 0) : Vector3(0, 10, 0) }
    }

    private final class Count: Sendable {
        let value = Atomic<Int>(0)
    }

    // MARK: - Polled

    @Test func `a polled device that rests is silent until it moves, and then streams when asked to`() throws {
        let pose = Pose()
        let device = ScriptedDevice { [pose] number throws(SystemError) in
            // The third reading at rest shows motion.
            if number == 6 { pose.hasMoved.store(true, ordering: .relaxed) }
            return pose.raw
        }
        let source = try source(device)
        var seen: [Double] = []
        try run(source) { count, y in
            seen.append(y)
            if count == 3 { source.sense(Self.rest()) }
            if y == 0 { source.sense(.stream) }
            return count == 8
        }
        #expect(seen.last == 0 && seen.filter { $0 == 10 }.count <= 5)
    }

    @Test func `a device that tells of changes is read at rest only when it does`() throws {
        let (pose, changes, reads) = (Pose(), try Readiness(), Count())
        let device = ScriptedDevice(changes: changes) { [pose, reads] _ throws(SystemError) in
            reads.value.add(1, ordering: .relaxed)
            return pose.raw
        }
        let source = try source(device)
        var before: Int?
        var wait: () -> Void = {}
        let timer = try loop.timer {
            let number = reads.value.load(ordering: .relaxed)
            guard let before else {
                before = number
                return wait()
            }
            #expect(number == before)
            pose.hasMoved.store(true, ordering: .relaxed)
            changes.begin()
        }
        // More than two periods at rest.
        wait = { timer.arm(after: 0.5) }
        try run(source) { count, y in
            if count == 3 {
                source.sense(Self.rest())
                wait()
            }
            return y == 0
        }
    }

    @Test func `a device that tells of changes all the time is read by timer at rest`() throws {
        let (pose, changes, reads) = (Pose(), try Readiness(), Count())
        let rest = Pose()
        let device = ScriptedDevice(changes: changes) { [pose, rest, changes, reads] _ throws(SystemError) in
            changes.begin()
            // 30 readings for changes, and more by timer.
            let number = rest.hasMoved.load(ordering: .relaxed) ? reads.value.add(1, ordering: .relaxed).newValue : 0
            if number > 33 { pose.hasMoved.store(true, ordering: .relaxed) }
            return pose.raw
        }
        let source = try source(device)
        let timer = try loop.timer { changes.begin() }
        try run(source) { count, y in
            if count == 3 {
                source.sense(Self.rest())
                rest.hasMoved.store(true, ordering: .relaxed)
                timer.arm(after: 0.2)
            }
            return y == 0
        }
    }

    // MARK: - Buffered, with a change sensitivity

    @Test func `the sensitivity is 0 while it streams, set at rest, and put back as it was found`() throws {
        let sensitivity = ScriptedDevice.Sensitivity(0.1)
        let (pose, log) = (Pose(), log)
        // The sensor honours it: at rest it makes no scan.
        let buffer = try ScriptedBuffer(log: log) { [pose] _ throws(SystemError) in
            if sensitivity.value == 0 { return pose.raw }
            return pose.hasMoved.load(ordering: .relaxed) ? pose.raw : nil
        }
        let source = try source(ScriptedDevice("a", log: log, sensitivity: sensitivity, buffer: buffer))
        let moves = try loop.timer { [pose] in pose.hasMoved.store(true, ordering: .relaxed) }
        try run(source) { count, y in
            if count == 3 {
                source.sense(Self.rest())
                moves.arm(after: 0.05)
            }
            if y == 0, sensitivity.value != 0 { source.sense(.stream) }
            return y == 0 && sensitivity.value == 0
        }
        let settings = log.calls.filter { $0.contains("sensitivity") }
        #expect(settings == ["a sensitivity 0.0", "a sensitivity 0.25", "a sensitivity 0.0", "a sensitivity 0.1"])
        #expect(!log.calls.contains { $0.hasPrefix("extend") })
    }

    /// Whether a sensor that makes scans at rest is read by timer, and what it was asked for.
    private func isDrained(
        _ sensitivity: ScriptedDevice.Sensitivity?,
        refuses: (@Sendable (Double) -> Bool)? = nil
    ) throws -> [String] {
        let (pose, log) = (Pose(), log)
        // One scan at a time, as from a device.
        let buffer = try ScriptedBuffer(log: log) { [pose] number throws(SystemError) in
            number % 2 == 0 ? nil : pose.raw
        }
        let device = ScriptedDevice("a", log: log, sensitivity: sensitivity, buffer: buffer)
        let source = try source(refuses.map { FailingDevice(device, refuses: $0) } ?? device)
        let moves = try loop.timer { [pose] in pose.hasMoved.store(true, ordering: .relaxed) }
        var isMoving = false
        try run(source) { count, y in
            if count == 3 { source.sense(Self.rest()) }
            if !isMoving, log.calls.contains(where: { $0.hasPrefix("extend") }) {
                isMoving = true
                moves.arm(after: 0.01)
            }
            if y == 0 { source.sense(.stream) }
            return y == 0
        }
        return log.calls.filter { $0.contains("sensitivity") || $0.hasPrefix("extend") }
    }

    @Test func `a sensor without the setting is read by timer`() throws {
        #expect(try isDrained(nil) == ["extend to 4096"])
    }

    @Test func `a sensor that ignores its sensitivity is found out, and read by timer`() throws {
        let calls = try isDrained(ScriptedDevice.Sensitivity())
        #expect(calls == ["a sensitivity 0.25", "a sensitivity 0.0", "extend to 4096"])
    }

    @Test(arguments: [1.0, 0])
    func `so is one that keeps another sensitivity, or none`(kept: Double) throws {
        let calls = try isDrained(ScriptedDevice.Sensitivity(kept: { $0 > 0 ? kept : 0 }))
        #expect(calls == ["a sensitivity 0.25", "a sensitivity 0.0", "extend to 4096"])
    }

    @Test func `so is one whose sensitivity cannot be written at all`() throws {
        #expect(try isDrained(ScriptedDevice.Sensitivity()) { _ in true } == ["extend to 4096"])
    }

    @Test func `scans without a stamp that are read together keep their distance in time`() throws {
        let (pose, log) = (Pose(), log)
        // Five scans each time it is read by timer.
        let buffer = try ScriptedBuffer(log: log) { [pose] number throws(SystemError) in
            number % 6 == 0 ? nil : pose.raw
        }
        let source = try source(ScriptedDevice("a", log: log, rate: .init(), buffer: buffer))
        let moves = try loop.timer { [pose] in pose.hasMoved.store(true, ordering: .relaxed) }
        var times: [Double] = []
        try run(source) { (count: Int, sample: AccelerometerSample) in
            if count == 3 {
                source.sense(Self.rest())
                moves.arm(after: 0.1)
            }
            if sample.acceleration.y == 0 { times.append(sample.time) }
            return times.count == 5
        }
        // The device makes 1000 scans a second.
        #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.001) < 1e-6 })
    }

    @Test func `a sensor that fails to stream again is lost`() throws {
        let pose = Pose()
        let sensitivity = ScriptedDevice.Sensitivity()
        let buffer = try ScriptedBuffer(log: log) { [pose] _ throws(SystemError) in
            sensitivity.value == 0 || pose.hasMoved.load(ordering: .relaxed) ? pose.raw : nil
        }
        let device = FailingDevice(ScriptedDevice("a", log: log, sensitivity: sensitivity, buffer: buffer)) { $0 == 0 }
        let scaling = SensorScaling.acceleration(SensorFrame(convention: .kernel))
        let source = try DeviceSource(device, scaling: scaling, rate: 1000, loop: loop)
        let moves = try loop.timer { [pose] in pose.hasMoved.store(true, ordering: .relaxed) }
        var reason = ""
        var count = 0
        source.onEvent = { [loop] event in
            switch event {
            case .sample(let sample):
                count += 1
                if count == 3 {
                    source.sense(Self.rest())
                    moves.arm(after: 0.05)
                }
                if sample.acceleration.y == 0 { source.sense(.stream) }
            case .report(.failed(let problem)):
                reason = problem
                loop.exit()
            default: break
            }
        }
        source.start()
        _ = try loop.run()
        source.onEvent = nil
        #expect(reason == "cannot stream x: Input/output error")
    }
}

/// A device that refuses some sensitivities, or all.
private final class FailingDevice: SensorDevice {
    let device: ScriptedDevice
    private let refuses: @Sendable (Double) -> Bool

    init(_ device: ScriptedDevice, refuses: @escaping @Sendable (Double) -> Bool) {
        (self.device, self.refuses) = (device, refuses)
    }

    var description: SensorDescription { device.description }
    var warnings: [String] { [] }
    func read() throws(SystemError) -> Vector3 { try device.read() }
    func openBuffer() throws(SystemError) -> any SensorBuffer { try device.openBuffer() }

    func restore(_ setting: FoundSetting) throws(SystemError) {
        _ = try setChangeSensitivity(AttributeText.number(setting.text) ?? -1)
    }

    func settings(_ setting: SensorSetting) throws(SystemError) -> [FoundSetting] {
        setting == .sensitivity ? try device.settings(setting) : []
    }

    func setChangeSensitivity(_ change: Double) throws(SystemError) -> Double {
        guard !refuses(change) else { throw SystemError("stream", "x", errno: Errno(5)) }
        return try device.setChangeSensitivity(change)
    }
}
