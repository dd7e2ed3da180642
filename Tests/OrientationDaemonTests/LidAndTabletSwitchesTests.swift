// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import POSIX
import Synchronization
import SystemdBus
import Testing

@testable import OrientationDaemon

@Suite struct LidAndTabletSwitchesTests {
    // ENOMEM or EMFILE meant a machine without switches, without a word.
    @Test func `a failed enumeration is repeated`() throws {
        let loop = try EventLoop()
        let attempts = try Attempts()
        let log = Log("orientd", isVerbose: false)
        let switches = try LidAndTabletSwitches(loop: loop, log: log) { () throws(SystemError) in
            guard attempts.next() > 1 else { throw SystemError("list the devices of", "input", errno: Errno(12)) }
            return []
        } onChange: { _, _ in
        }
        // Until then there may be a switch of the kernel, and no virtual one is made.
        try switches.begin { loop.exit() }
        _ = try loop.run()
        #expect(attempts.count == 2)
        #expect(switches.tabletMode == .unknown && !switches.isLidClosed)
    }
}

/// Counts attempts; readable once there was one.
private final class Attempts: Sendable {
    let descriptor: Int32
    private let value = Atomic<Int>(0)

    init() throws(SystemError) {
        descriptor = try checkSystem("create", "an event", orientd_event_counter())
    }

    deinit {
        close(descriptor)
    }

    var count: Int {
        var events: eventfd_t = 0
        eventfd_read(descriptor, &events)
        return value.load(ordering: .relaxed)
    }

    func next() -> Int {
        defer { eventfd_write(descriptor, 1) }
        return value.add(1, ordering: .relaxed).newValue
    }
}
