// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SystemdBus
import Testing

@testable import OrientationDaemon

@Suite struct MachineDriverTests {
    private let driver: MachineDriver

    init() throws {
        driver = MachineDriver(MachineConfiguration(), saved: nil, loop: try EventLoop(), recorder: nil)
    }

    private let sample = AccelerometerSample(time: 0, acceleration: Vector3(0, 9.81, 0))

    // It stayed in the queue until another event came.
    @Test func `an event that the effects of a sample cause is handled after them`() {
        var claims: [UInt32] = []
        driver.carryOut = { [driver] _ in
            if claims.isEmpty { driver.deliver(.claims(1)) }
            claims.append(driver.machine.status.claims)
        }
        driver.deliver(sample, .display)
        #expect(claims == [0, 1])
    }

    @Test func `a call returns its own effects, after the events that they caused`() throws {
        var steps = 0
        driver.carryOut = { [driver] _ in
            steps += 1
            if steps == 1 { driver.deliver(.lid(isClosed: true)) }
        }
        let effects = try driver.call(.rotate(.landscapeLeft))
        #expect(effects.transition?.to == .landscapeLeft && steps == 2)
        #expect(driver.machine.status.interfaceRule == .manual)
    }

    @Test func `a refused call throws, and its effects are carried out all the same`() {
        var steps = 0
        driver.carryOut = { _ in steps += 1 }
        let none = InterfaceOrientationMask(rawValue: 0)
        let request = RotationRequest(appID: "org.example.App", supported: none)
        #expect(throws: RotationRefusal.self) { try driver.call(.present(request, client: ":1.1")) }
        #expect(steps == 1)
    }

    @Test func `only what differs from the switches' last state is delivered`() {
        var events = 0
        driver.carryOut = { _ in events += 1 }
        driver.switchesChanged(.laptop, isLidClosed: false)
        driver.switchesChanged(.laptop, isLidClosed: false)
        #expect(events == 1)
        driver.switchesChanged(.laptop, isLidClosed: true)
        #expect(events == 2)
    }
}
