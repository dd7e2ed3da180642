// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import PrivateBus
import SystemdBus
import Testing

@testable import OrientationDaemon

@Suite(.serialized) struct SensorsTests {
    private let privateBus: PrivateBus
    private let loop: EventLoop
    private let machine: MachineDriver
    private let recording = "/tmp/orientd-sensors-\(getpid()).recording"
    private let recorder: Recorder

    init() throws {
        privateBus = try PrivateBus()
        loop = try EventLoop()
        unlink(recording)
        recorder = try Recorder(path: recording, log: Log("orientd", isVerbose: false))
        machine = try MachineDriver(MachineConfiguration(), saved: nil, loop: loop, recorder: recorder)
    }

    /// Sensors that carry out what the machine decides.
    private func sensors(_ source: SourceChoice) throws -> Sensors {
        var configuration = Configuration()
        configuration.source = source
        let sensors = Sensors(
            configuration: configuration,
            scanner: nil,
            machineDriver: machine,
            loop: loop,
            bus: try privateBus.connect(loop),
            log: Log("orientd", isVerbose: false)
        ) { _ in }
        return sensors
    }

    private var report: SensorReport { machine.machine.report(SensorUse(.accelerometer)) }

    // A claimant that left while another stayed started the sensors again, and their rate was never restored.
    @Test func `sensors are read while they are needed, not while the machine sleeps, and never after the end`() throws
    {
        defer { unlink(recording) }
        let sensors = try sensors(.simulation)
        var began = 0
        machine.begin { effects in
            for action in effects.actions {
                sensors.perform(action)
                if case .drive(0, let commands) = action, commands.reading != .none { began += 1 }
            }
        }
        try sensors.begin()
        #expect(began == 0 && report.isPresent)
        machine.deliver(.claims(1))
        #expect(began == 1 && report.state == .sampling)
        machine.deliver(.sleep)
        #expect(report.state == .suspended)
        machine.deliver(.claims(0))
        machine.deliver(.claims(1))
        #expect(began == 1)
        machine.deliver(.wake)
        #expect(began == 2 && report.state == .sampling)
        machine.deliver(.shutdown)
        machine.deliver(.claims(0))
        machine.deliver(.claims(1))
        machine.deliver(.wake)
        #expect(began == 2)
        var isClosed = false
        sensors.onClosed = { isClosed = true }
        #expect(isClosed)
    }

    // Of samples that are due when reading starts, the last came first.
    @Test func `samples that come while reading starts keep their order`() throws {
        let trace = "/tmp/orientd-sensors-\(getpid()).csv"
        let file = try #require(fopen(trace, "w"))
        fputs("t_seconds,x,y,z\n" + (1...20).map { "0,\($0),9.8,0\n" }.joined(), file)
        fclose(file)
        defer { unlink(trace) }
        let sensors = try sensors(.replay(path: trace))
        defer { unlink(recording) }
        machine.begin { effects in for action in effects.actions { sensors.perform(action) } }
        try sensors.begin()
        machine.deliver(.claims(1))
        recorder.flush()
        var reader = TraceReader(try FileDescriptor.open(reading: recording), name: recording)
        var read: [Double] = []
        while let record = try reader.next() {
            if case .sample(let sample) = record { read.append(sample.acceleration.x) }
        }
        #expect(read == (1...20).map { Double($0) })
    }
}
