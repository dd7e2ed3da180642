// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import OrientationSensors
import Testing

@testable import OrientationDaemon

@Suite struct HingeTests {
    private static let upright = Vector3(0, 9.81, 0)
    private static let onUnderside = Vector3(0, 0, -9.81)
    private static let onKeys = Vector3(0, 0, 9.81)

    private let hinge: Hinge
    private let changes = Counter()

    private final class Counter {
        var count = 0
    }

    init() {
        hinge = Hinge { [changes] in changes.count += 1 }
    }

    private func readBase(_ acceleration: Vector3) {
        hinge.received(.acceleration(AccelerometerSample(time: 0, acceleration: acceleration)))
    }

    @Test func `both halves must have been read, and each reading counts with the other's last`() {
        hinge.displayRead(Self.upright)
        #expect(hinge.tabletMode == .unknown && changes.count == 0)
        readBase(Self.onUnderside)
        #expect(hinge.tabletMode == .laptop && changes.count == 1)
        hinge.displayRead(Self.upright)
        #expect(changes.count == 1, "nothing has changed")
        readBase(Self.onKeys)
        #expect(hinge.tabletMode == .tablet && changes.count == 2)
    }

    @Test func `what one half read before a rest does not count with what the other reads afterwards`() {
        hinge.displayRead(Self.upright)
        readBase(Self.onUnderside)
        hinge.displayBegan()
        readBase(Self.onKeys)
        #expect(hinge.tabletMode == .laptop)
        hinge.samplingBegan(rate: 15, mayFallSilent: false, faceUp: .positiveZ)
        hinge.displayRead(Self.upright)
        #expect(hinge.tabletMode == .laptop)
        readBase(Self.onKeys)
        #expect(hinge.tabletMode == .tablet)
    }

    @Test func `what a lost half has read does not count with what the other reads`() {
        hinge.displayRead(Self.upright)
        readBase(Self.onUnderside)
        hinge.sensorChanged(.accelerometer)
        hinge.displayRead(Self.onKeys)
        #expect(hinge.tabletMode == .laptop)
    }

    @Test func `what was forgotten is unknown until the next reading`() {
        hinge.displayRead(Self.upright)
        readBase(Self.onKeys)
        hinge.forget()
        #expect(hinge.tabletMode == .unknown)
        readBase(Self.onKeys)
        #expect(hinge.tabletMode == .tablet)
    }

    @Test func `another sensor in the base is a change`() {
        hinge.sensorChanged(.accelerometer)
        #expect(changes.count == 1)
    }
}
