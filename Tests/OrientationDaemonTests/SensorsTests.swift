// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import PrivateBus
import SystemdBus
import Testing

@testable import OrientationDaemon

@Suite struct SensorsTests {
    private final class Seen {
        var samples = 0
        var calls: [String] = []
    }

    // A claimant that left while another stayed started the sensors again, and their rate was never restored.
    @Test func `sensors are read while they are needed, not while the machine sleeps, and never after the end`() throws
    {
        let privateBus = try PrivateBus()
        let loop = try EventLoop()
        let bus = try privateBus.connect(loop)
        var configuration = Configuration()
        configuration.source = .simulation
        let log = Log("orientd", isVerbose: false)
        let sensors = try Sensors(
            configuration: configuration,
            scanner: nil,
            loop: loop,
            bus: bus,
            log: log,
            record: nil
        )
        let seen = Seen()
        sensors.onEvent = { event in
            switch event {
            case .sample(let role, _):
                #expect(role == .display)
                seen.samples += 1
            case .found: seen.calls.append("found")
            case .samplingBegan, .reading, .changed: break
            }
        }
        let use = SensorUse(.accelerometer)
        try sensors.begin()
        #expect(seen.samples == 0 && sensors.report(use).isPresent)
        sensors.read(.accelerometer, true)
        #expect(seen.samples == 1)
        sensors.enter(.suspended) { seen.calls.append("suspended") }
        #expect(sensors.report(use).state == .suspended)
        sensors.read(.accelerometer, false)
        sensors.read(.accelerometer, true)
        #expect(seen.samples == 1)
        sensors.enter(.running)
        #expect(seen.samples == 2)
        sensors.enter(.ending) { seen.calls.append("ended") }
        sensors.read(.accelerometer, false)
        sensors.read(.accelerometer, true)
        sensors.enter(.running)
        #expect(seen.samples == 2 && seen.calls == ["found", "suspended", "ended"])
    }

    // Of samples that are due when reading starts, the last came first.
    @Test func `samples that come while reading starts keep their order`() throws {
        let privateBus = try PrivateBus()
        let loop = try EventLoop()
        let trace = "/tmp/orientd-sensors-\(getpid()).csv"
        let file = try #require(fopen(trace, "w"))
        fputs("t_seconds,x,y,z\n" + (1...20).map { "0,\($0),9.8,0\n" }.joined(), file)
        fclose(file)
        defer { unlink(trace) }
        var configuration = Configuration()
        configuration.source = .replay(path: trace)
        let sensors = try Sensors(
            configuration: configuration,
            scanner: nil,
            loop: loop,
            bus: try privateBus.connect(loop),
            log: Log("orientd", isVerbose: false),
            record: nil
        )
        var read: [Double] = []
        sensors.onEvent = { event in
            if case .sample(_, let sample) = event { read.append(sample.acceleration.x) }
        }
        try sensors.begin()
        sensors.read(.accelerometer, true)
        #expect(read == (1...20).map { Double($0) })
    }
}
