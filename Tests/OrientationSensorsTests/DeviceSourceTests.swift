// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import POSIX
import Synchronization
import SystemdBus
import Testing

@testable import OrientationSensors

@Suite struct DeviceSourceTests {
    private let loop: EventLoop
    private let log = CallLog()

    init() throws {
        loop = try EventLoop()
    }

    private func source(
        _ device: ScriptedDevice,
        rate: Double = 1000,
        helper: HelperThread? = nil,
        stallTime: Double = 5
    ) throws -> DeviceSource {
        let scaling = SensorScaling.acceleration(SensorFrame(convention: .kernel))
        return try DeviceSource(device, scaling: scaling, rate: rate, loop: loop, helper: helper, stallTime: stallTime)
    }

    /// Runs the source until `isOver` says so of the x of the samples, or it fails; returns those and the reason.
    private func run(_ source: DeviceSource, until isOver: @escaping ([Double]) -> Bool) throws -> Outcome {
        let outcome = Outcome()
        source.onEvent = { [loop] event in
            switch event {
            case .sample(let sample):
                outcome.samples.append(sample.acceleration.x)
                if isOver(outcome.samples) { loop.exit() }
            case .report(.failed(let reason)):
                outcome.failure = reason
                loop.exit()
            case .report, .ended: break
            }
        }
        source.start()
        _ = try loop.run()
        return outcome
    }

    private final class Outcome {
        var samples: [Double] = []
        var failure = ""
    }

    private static func failure(_ code: Errno = Errno(EIO), of number: Int = 0) -> SystemError {
        SystemError("read", "\(number)", errno: code)
    }

    // MARK: - Failed readings

    // One failed read of a thousand lost the sensor, and the back-off grew to 30 s.
    @Test func `a single failed reading is skipped, polled`() throws {
        let device = ScriptedDevice { number throws(SystemError) in
            if number % 3 == 0 { throw Self.failure() }
            return Vector3(Double(number), 0, 0)
        }
        let source = try source(device)
        let outcome = try run(source) { $0.count == 20 }
        #expect(outcome.samples == (1...29).filter { $0 % 3 != 0 }.map { Double($0) } && outcome.failure == "")
    }

    @Test func `a single failed scan is skipped, buffered`() throws {
        let buffer = try ScriptedBuffer { number throws(SystemError) in
            if number % 3 == 0 { throw Self.failure() }
            return Vector3(Double(number), 0, 0)
        }
        let source = try source(ScriptedDevice(buffer: buffer))
        let outcome = try run(source) { $0.count == 20 }
        #expect(outcome.samples == (1...29).filter { $0 % 3 != 0 }.map { Double($0) } && outcome.failure == "")
        #expect(source.mode == .buffer)
    }

    @Test(arguments: [false, true])
    func `ten failed readings in a row are a loss`(isBuffered: Bool) throws {
        let buffer = try ScriptedBuffer { number throws(SystemError) in
            if number > 1 { throw Self.failure(of: number) }
            return ScriptedDevice.still
        }
        let device = ScriptedDevice(buffer: isBuffered ? buffer : nil) { number throws(SystemError) in
            if number > 1 { throw Self.failure(of: number) }
            return ScriptedDevice.still
        }
        let source = try source(device)
        let outcome = try run(source) { _ in false }
        #expect(outcome.samples.count == 1 && outcome.failure == "\(Self.failure(of: 11))")
    }

    @Test(arguments: [false, true])
    func `an unplugged device is lost at once`(isBuffered: Bool) throws {
        let buffer = try ScriptedBuffer { number throws(SystemError) in throw Self.failure(.noDevice, of: number) }
        let device = ScriptedDevice(buffer: isBuffered ? buffer : nil) { number throws(SystemError) in
            throw Self.failure(.noDevice, of: number)
        }
        let source = try source(device)
        let outcome = try run(source) { _ in false }
        #expect(outcome.samples.isEmpty && outcome.failure == "\(Self.failure(.noDevice, of: 1))")
    }

    @Test func `a polled chip without a new value is no failing one`() throws {
        let device = ScriptedDevice { number throws(SystemError) in
            if number % 20 != 0 { throw Self.failure(.again) }
            return ScriptedDevice.still
        }
        let outcome = try run(try source(device)) { $0.count == 3 }
        #expect(outcome.failure == "")
    }

    // MARK: - Readings that are none

    // The values of a hub's sensor were right, and all its scans 0: hadess/iio-sensor-proxy#276.
    @Test func `a buffer that gives zeros is left for the values`() throws {
        let buffer = try ScriptedBuffer { _ throws(SystemError) in .zero }
        let device = ScriptedDevice(buffer: buffer) { _ throws(SystemError) in Vector3(1, 0, 0) }
        let outcome = try run(try source(device)) { $0.count == 3 }
        #expect(outcome.samples == [1, 1, 1] && outcome.failure == "")
    }

    // A dead accelerometer kept another one from being used.
    @Test func `a chip that reads zeros only is lost`() throws {
        let device = ScriptedDevice("chip") { _ throws(SystemError) in .zero }
        let outcome = try run(try source(device)) { _ in false }
        #expect(outcome.samples.isEmpty && outcome.failure == "chip reads 0 on all axes")
    }

    @Test func `zeros in between are skipped`() throws {
        let device = ScriptedDevice { number throws(SystemError) in number < 20 ? .zero : Vector3(1, 0, 0) }
        let outcome = try run(try source(device)) { $0.count == 3 }
        #expect(outcome.samples == [1, 1, 1] && outcome.failure == "")
    }

    // The display stood still while another program used the gyroscope: ShadowBlip/InputPlumber#211.
    @Test(arguments: [false, true])
    func `a sensor whose buffer another program has is polled, if its values can be read`(areValuesBusy: Bool) throws {
        let buffer = try ScriptedBuffer { _ throws(SystemError) in ScriptedDevice.still }
        let device = ScriptedDevice("chip", buffer: buffer, isBufferBusy: true) { _ throws(SystemError) in
            if areValuesBusy { throw Self.failure(.busy) }
            return Vector3(1, 0, 0)
        }
        let outcome = try run(try source(device)) { $0.count == 3 }
        let error = SystemError("open the buffer of", "chip", errno: .busy)
        #expect(outcome.samples == (areValuesBusy ? [] : [1, 1, 1]))
        #expect(outcome.failure == (areValuesBusy ? "\(error)" : ""))
    }

    // MARK: - Replacement

    // A second source opened the device before the first had closed it: the rate of 15 Hz was taken for the one found,
    // and the first set the device back to 10 Hz under the second.
    @Test(arguments: [false, true])
    func `a device that is announced again is closed and restored before it is opened`(isBuffered: Bool) throws {
        let rate = ScriptedDevice.Rate()
        func device(_ name: String) throws -> ScriptedDevice {
            let scans = try ScriptedBuffer(log: log) { _ throws(SystemError) in ScriptedDevice.still }
            let buffer = isBuffered ? scans : nil
            return ScriptedDevice(name, log: log, rate: rate, buffer: buffer)
        }
        let helper = try HelperThread(loop: loop)
        let source = try source(try device("a"), rate: 15, helper: helper)
        let next = try device("b")
        var isReplaced = false
        source.onEvent = { [loop] event in
            guard case .sample = event else { return }
            if isReplaced {
                source.close { loop.exit() }
            } else {
                isReplaced = true
                source.find(next, scaling: .acceleration(SensorFrame()), rate: 15, helper: helper)
            }
        }
        source.start()
        _ = try loop.run()
        let (open, close) = (isBuffered ? ["open"] : [], isBuffered ? ["close"] : [])
        func session(_ name: String) -> [String] {
            ["\(name) 10 to 15 Hz"] + open.map { "\(name) \($0)" } + close + ["\(name) end", "\(name) restore 10 Hz"]
        }
        #expect(log.calls == session("a") + session("b"))
        #expect(rate.hertz.withLock { $0 } == 10)
    }

    @Test func `a failed device that is scanned again at once is opened once it is closed`() throws {
        let rate = ScriptedDevice.Rate()
        let buffer = try ScriptedBuffer(log: log) { _ throws(SystemError) in throw Self.failure(.noDevice) }
        let helper = try HelperThread(loop: loop)
        let source = try source(ScriptedDevice("a", log: log, rate: rate, buffer: buffer), rate: 15, helper: helper)
        source.onEvent = { [loop, log] event in
            switch event {
            case .report(.failed):
                let next = ScriptedDevice("b", log: log, rate: rate)
                source.find(next, scaling: .acceleration(SensorFrame()), rate: 15, helper: helper)
                source.start()
            case .sample: loop.exit()
            case .report, .ended: break
            }
        }
        source.start()
        _ = try loop.run()
        source.onEvent = nil
        let first = ["a 10 to 15 Hz", "a open", "close", "a end", "a restore 10 Hz"]
        #expect(log.calls == first + ["b 10 to 15 Hz"])
    }

    @Test func `a device that is needed again while it closes is opened once it is closed`() throws {
        let source = try source(ScriptedDevice("a", log: log))
        var samples = 0
        source.onEvent = { [loop] event in
            guard case .sample = event else { return }
            samples += 1
            guard samples == 1 else { return source.close { loop.exit() } }
            source.stop()
            source.start()
        }
        source.start()
        _ = try loop.run()
        let session = ["a 10 to 1000 Hz", "a end", "a restore 10 Hz"]
        #expect(log.calls == session + session)
    }

    // MARK: - The rest

    // The buffer was read although the event's receiver had stopped the source, and so beside the helper that closed
    // it.
    @Test func `a buffer is not read once its source is stopped`() throws {
        let buffer = try ScriptedBuffer { _ throws(SystemError) in ScriptedDevice.still }
        let source = try source(ScriptedDevice(buffer: buffer))
        source.onEvent = { [loop] event in
            if case .report(.started) = event { source.close { loop.exit() } }
        }
        source.start()
        _ = try loop.run()
        #expect(buffer.reads == 0)
    }

    // One thread read both: nothing of the display came while the base's read hung.
    @Test func `a read that hangs delays no other device, and is reported`() throws {
        let gate = try #require(Gate())
        let hung = try source(ScriptedDevice("a") { _ throws(SystemError) in gate.wait() }, stallTime: 0.01)
        let other = try source(ScriptedDevice("b"))
        var (readings, stalls): (Int, [String]) = (0, [])
        let opensGate = { if readings >= 3, !stalls.isEmpty { gate.open() } }
        var hasAnswered = false
        hung.onEvent = { [loop] event in
            switch event {
            case .report(.stalled(let problem)):
                stalls.append(problem)
                opensGate()
            case .sample:
                hasAnswered = true
                loop.exit()
            case .report, .ended: break
            }
        }
        other.onEvent = { event in
            guard case .sample = event else { return }
            readings += 1
            opensGate()
        }
        let limit = try loop.timer { [loop] in loop.exit() }
        limit.arm(after: 10)
        hung.start()
        other.start()
        _ = try loop.run()
        gate.open()
        #expect(hasAnswered)
        #expect(stalls.first == "no answer for 0 s")
    }
}

/// A pipe that blocks who waits until it is opened.
private final class Gate: Sendable {
    private let reading: Int32
    private let writing: Int32

    init?() {
        guard let ends = try? FileDescriptor.pipe() else { return nil }
        (reading, writing) = ends
    }

    deinit {
        close(reading)
        close(writing)
    }

    func wait() -> Vector3 {
        var descriptor = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        poll(&descriptor, 1, -1)
        return ScriptedDevice.still
    }

    func open() {
        write(writing, "x", 1)
    }
}
