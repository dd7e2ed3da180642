// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import SystemdBus
import Testing

@testable import OrientationDaemon

@Suite struct MachineDriverTests {
    private let loop: EventLoop
    private let driver: MachineDriver

    init() throws {
        loop = try EventLoop()
        driver = try MachineDriver(MachineConfiguration(), saved: nil, loop: loop, recorder: nil)
    }

    private func begin(_ applyEffects: @escaping (Effects) -> Void) {
        driver.begin(applyEffects: applyEffects)
    }

    private let sample = AccelerometerSample(time: 0, acceleration: Vector3(0, 9.81, 0))

    // It stayed in the queue until another event came.
    @Test func `an event that the effects of a sample cause is handled after them`() {
        var claims: [UInt32] = []
        begin { [driver] effects in
            if claims.isEmpty { driver.deliver(.claims(1)) }
            claims.append(effects.status?.claims ?? 0)
        }
        driver.deliver(.sample(.display, driver.timed(sample)))
        #expect(claims == [0, 1])
    }

    @Test func `each call is completed with its own effects, once they are applied`() {
        var steps: [String] = []
        begin { [driver] effects in
            steps.append("apply \(effects.transition?.to.name ?? "none")")
            guard steps.count == 1 else { return }
            driver.deliver(.rotate(.portrait)) { steps.append("complete \($0.transition?.to.name ?? "none")") }
        }
        driver.deliver(.rotate(.landscapeLeft)) { steps.append("complete \($0.transition?.to.name ?? "none")") }
        #expect(
            steps == ["apply landscape-left", "complete landscape-left", "apply portrait", "complete portrait"]
        )
    }

    @Test func `a refused call is completed with the refusal`() {
        begin { _ in }
        var refusal: RotationRefusal?
        let none = InterfaceOrientationMask(rawValue: 0)
        let request = RotationRequest(appID: "org.example.App", supported: none)
        driver.deliver(.present(request, client: ":1.1")) { refusal = $0.refusal }
        #expect(refusal != nil)
    }

    // A timer that fired a microsecond early was not armed again: the deadline was still the same.
    @Test func `the deadline is waited for again when its timer fires early`() throws {
        var isEarly = false
        begin { [loop] _ in if isEarly { loop.exit() } }
        let sampling = Sampling(rate: 10, mayFallSilent: true, faceUp: .positiveZ)
        driver.deliver(.sensorChanged(.display, SensorReport(state: .sampling, isPresent: true)))
        for event in [Event.sensorsFound, .switchesFound, .chassisFound(.tablet), .samplingBegan(.display, sampling)] {
            driver.deliver(event)
        }
        driver.deliver(.sample(.display, driver.timed(sample)))
        let silence = try #require(driver.machine.deadline)
        #expect(silence.purpose == .silence)
        driver.timer?.disarm()
        driver.deadlinePassed()
        let limit = try loop.timer { [loop] in loop.exit(1) }
        limit.arm(after: 60)
        isEarly = true
        #expect(try loop.run(keeping: limit) == 0)
    }

    @Test func `only what differs from the switches' last state is delivered`() {
        var events = 0
        begin { _ in events += 1 }
        driver.switchesChanged(.laptop, isLidClosed: false)
        driver.switchesChanged(.laptop, isLidClosed: false)
        #expect(events == 1)
        driver.switchesChanged(.laptop, isLidClosed: true)
        #expect(events == 2)
    }
}
