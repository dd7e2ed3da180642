// SPDX-License-Identifier: Apache-2.0

import POSIX
import PrivateBus
import SystemdBus
import Testing

@testable import OrientationDaemon

@Suite struct SleepWatchTests {
    private static let service = "org.freedesktop.login1"

    @Test func `each sleep and wake is reported once, and a logind that disappears ends a sleep`() throws {
        let privateBus = try PrivateBus()
        let loop = try EventLoop()
        var changes: [Bool] = []
        let log = Log("orientd", isVerbose: false)
        let watch = try SleepWatch(.address(privateBus.address), loop: loop, log: log) { changes.append($0) }
        let logind = try privateBus.connect(loop)
        try logind.own(Self.service, replacing: false)
        func announce(_ isAsleep: Bool) {
            logind.emit("PrepareForSleep", of: Self.service + ".Manager", at: "/org/freedesktop/login1") {
                $0.append(isAsleep)
            }
        }
        for isAsleep in [true, true, false, false, true] { announce(isAsleep) }
        try loop.run { changes == [true, false, true] }
        let next = try privateBus.connect(loop)
        try next.own(Self.service, replacing: true)
        try loop.run { changes == [true, false, true, false] }
        withExtendedLifetime(watch) {}
    }
}
