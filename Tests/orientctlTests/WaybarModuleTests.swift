// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@testable import OrientationBus
@testable import orientctl

@Suite struct WaybarModuleTests {
    private func line(deciding: ListedRequest? = nil, _ change: (inout ManagerStatus) -> Void) -> String {
        var snapshot = ManagerSnapshot()
        snapshot.status.sensorState = .sampling
        change(&snapshot.status)
        return Monitor.waybarModule(snapshot, deciding: deciding)
    }

    @Test func `the interface's orientation is the text and selects the icon`() {
        let line = line {
            $0.deviceOrientation = .landscapeLeft
            $0.interfaceOrientation = .landscapeRight
            $0.interfaceRule = .device
            $0.tabletMode = .tablet
        }
        let interface = #"Interface: landscape-right, following the device"#
        let tooltip = #"Device: landscape-left (right edge up)\n\#(interface)\nLock: off"#
        let classes = #"["unlocked","landscape-right","tablet"]"#
        let start = #"{"text":"landscape-right","alt":"landscape-right","class":"#
        #expect(line == start + classes + #","tooltip":"\#(tooltip)"}"#)
    }

    @Test func `a lock selects an icon of its own, whatever it holds`() {
        for lock in RotationLock.allCases where lock != .off {
            let line = line { $0.rotationLock = lock }
            #expect(line.contains(#""text":"portrait (locked)","alt":"locked","class":["locked","portrait"]"#))
            #expect(line.contains(#"\nLock: on\#(lock == .current ? "" : " (\(lock.name))")"}"#))
        }
    }

    @Test func `a sensor that does not sample is shown`() {
        let line = line { $0.sensorState = .lost }
        #expect(line.contains(#""class":["unlocked","portrait","no-sensor"]"#))
        #expect(line.hasSuffix(#"\nSensor: lost"}"#))
        let idle = self.line { $0.sensorState = .idle }
        #expect(idle.contains(#""class":["unlocked","portrait"]"#))
        #expect(idle.hasSuffix(#"\nSensor: idle"}"#))
    }

    @Test func `the id of an application cannot change the markup or the line`() {
        let view = ListedRequest(id: 1, appID: "<b>&\n\"", presentation: .modal, supported: .landscape)
        let line = line(deciding: view) { $0.interfaceRule = .fixed }
        #expect(line.contains(#"Interface: portrait, &lt;b&gt;&amp;\#u{FFFD}\" does not autorotate"#))
    }

    @Test func `without orientd the module is empty`() {
        let tooltip = "orientd is not running"
        let line = Monitor.waybarModule(nil, deciding: nil)
        #expect(line == #"{"text":"","alt":"stopped","class":["stopped"],"tooltip":"\#(tooltip)"}"#)
    }
}
