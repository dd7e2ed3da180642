// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationCore

@Suite struct HingeTests {
    private static let upright = Vector3(0, 9.81, 0)
    private static let onUnderside = Vector3(0, 0, -9.81)
    private static let onKeys = Vector3(0, 0, 9.81)

    @Test func `both halves must have been read, and each reading counts with the other's last`() {
        var hinge = HingeAngle()
        hinge.readings.display = Self.upright
        #expect(hinge.tabletMode == .unknown)
        hinge.readings.base = Self.onUnderside
        #expect(hinge.tabletMode == .laptop)
        hinge.readings.base = Self.onKeys
        #expect(hinge.tabletMode == .tablet)
    }

    @Test func `a reading of one half before a pause does not count with the other's after it`() {
        var hinge = HingeAngle()
        hinge.readings.display = Self.upright
        hinge.readings.base = Self.onUnderside
        hinge.readings.display = nil
        hinge.readings.base = Self.onKeys
        #expect(hinge.tabletMode == .laptop)
        hinge.readings.base = nil
        hinge.readings.display = Self.upright
        #expect(hinge.tabletMode == .laptop)
        hinge.readings.base = Self.onKeys
        #expect(hinge.tabletMode == .tablet)
    }

    @Test func `a forgotten mode is unknown until the next reading`() {
        var hinge = HingeAngle()
        hinge.readings.display = Self.upright
        hinge.readings.base = Self.onKeys
        hinge.forget()
        #expect(hinge.tabletMode == .unknown)
        hinge.readings.base = Self.onKeys
        #expect(hinge.tabletMode == .tablet)
    }
}
