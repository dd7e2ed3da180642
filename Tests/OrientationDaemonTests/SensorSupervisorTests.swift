// SPDX-License-Identifier: Apache-2.0

import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import PrivateBus
import SystemdBus
import Testing

@testable import OrientationDaemon

@Suite struct SensorSupervisorTests {
    private final class Delegate: SensorSupervisorDelegate {
        var samples = 0

        func samplingBegan(_ role: AccelerometerRole, _ sampling: Sampling) {}

        func received(_ sample: AccelerometerSample, _ role: AccelerometerRole) {
            #expect(role == .display)
            samples += 1
        }

        func received(_ measurement: Measurement) {}
        func sensorChanged(_ kind: SensorKind, _ role: AccelerometerRole) {}
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
        let supervisor = SensorSupervisor(configuration: configuration, scanner: nil, loop: loop, bus: bus, log: log)
        let delegate = Delegate()
        var calls: [String] = []
        try supervisor.begin(delegate: delegate) { calls.append("found") }
        #expect(delegate.samples == 0 && supervisor.report(.accelerometer).isPresent)
        supervisor.read(.accelerometer, true)
        #expect(delegate.samples == 1)
        supervisor.enter(.suspended) { calls.append("suspended") }
        #expect(supervisor.report(.accelerometer, .display).state == .suspended)
        supervisor.read(.accelerometer, false)
        supervisor.read(.accelerometer, true)
        #expect(delegate.samples == 1)
        supervisor.enter(.running)
        #expect(delegate.samples == 2)
        supervisor.enter(.ending) { calls.append("ended") }
        supervisor.read(.accelerometer, false)
        supervisor.read(.accelerometer, true)
        supervisor.enter(.running)
        #expect(delegate.samples == 2 && calls == ["found", "suspended", "ended"])
    }
}
