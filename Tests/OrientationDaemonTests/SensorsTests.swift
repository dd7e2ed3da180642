// SPDX-License-Identifier: Apache-2.0

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
}
