// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationCore

@Suite struct HingeTests {
    private static let upright = Vector3(0, 9.81, 0)
    private static let onUnderside = Vector3(0, 0, -9.81)
    private static let onKeys = Vector3(0, 0, 9.81)

    @Test func `both halves must have been read, and each reading counts with the other's last`() {
        var hinge = HingeAngle()
        hinge.read(Self.upright, .display)
        #expect(hinge.tabletMode == .unknown)
        hinge.read(Self.onUnderside, .base)
        #expect(hinge.tabletMode == .laptop)
        hinge.read(Self.onKeys, .base)
        #expect(hinge.tabletMode == .tablet)
    }

    @Test func `a reading of one half before a pause does not count with the other's after it`() {
        var hinge = HingeAngle()
        hinge.read(Self.upright, .display)
        hinge.read(Self.onUnderside, .base)
        hinge.dropReading(of: .display)
        hinge.read(Self.onKeys, .base)
        #expect(hinge.tabletMode == .laptop)
        hinge.dropReading(of: .base)
        hinge.read(Self.upright, .display)
        #expect(hinge.tabletMode == .laptop)
        hinge.read(Self.onKeys, .base)
        #expect(hinge.tabletMode == .tablet)
    }

    @Test func `a forgotten mode is unknown until the next reading`() {
        var hinge = HingeAngle()
        hinge.read(Self.upright, .display)
        hinge.read(Self.onKeys, .base)
        hinge.forgetMode()
        #expect(hinge.tabletMode == .unknown)
        hinge.read(Self.onKeys, .base)
        #expect(hinge.tabletMode == .tablet)
    }
}

extension HingeAngle {
    /// Reads an accelerometer often enough for its reading to count.
    fileprivate mutating func read(_ acceleration: Vector3, _ role: AccelerometerRole) {
        for _ in 0..<4 { add(acceleration, of: role, at: 0) }
    }
}
