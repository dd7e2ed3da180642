// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import PrivateBus
import SystemdBus
import Testing

@testable import OrientationSensors

@Suite struct DeviceJobsTests {
    private let loop: EventLoop
    private let jobs: DeviceJobs<String>

    init() throws {
        loop = try EventLoop()
        jobs = try DeviceJobs(loop: loop)
    }

    /// A call that hangs until it is let go.
    private final class Call: Sendable {
        private let ends: (reading: Int32, writing: Int32)

        init() throws { ends = try FileDescriptor.pipe() }

        func wait() {
            var byte: UInt8 = 0
            _ = read(ends.reading, &byte, 1)
        }

        func letGo() {
            var byte: UInt8 = 0
            _ = write(ends.writing, &byte, 1)
        }
    }

    @Test func `jobs end in their order, on one helper`() throws {
        var ended: [String] = []
        let threads = Locked<Set<UInt>>([])
        for name in ["a", "b", "c"] {
            jobs.run(name) {
                threads.withValue { _ = $0.insert(UInt(pthread_self())) }
                return name
            } completion: {
                ended.append($0)
            }
        }
        #expect(ended.isEmpty && jobs.waitingCount == 3)
        try loop.run { jobs.waitingCount == 0 }
        #expect(ended == ["a", "b", "c"] && jobs.hangingCount == 0 && threads.withValue { $0.count } == 1)
    }

    // One that hung meant that no device was ever found.
    @Test func `jobs that hang hold up no other, and end when their calls return`() throws {
        var ended: [String] = []
        var counts: [Int] = []
        let calls = [try Call(), try Call()]
        for (name, call) in [("a", nil), ("b", calls[0]), ("c", nil), ("d", calls[1]), ("e", nil)] {
            jobs.run(name) {
                call?.wait()
                return name
            } completion: {
                ended.append($0)
            }
        }
        jobs.onHang = owned(by: jobs) { counts.append($0.hangingCount) }
        try loop.run { jobs.waitingCount == 0 }
        #expect(ended.sorted() == ["a", "c", "e"] && counts.last == 2 && jobs.contains("b") && jobs.contains("d"))
        for call in calls.reversed() { call.letGo() }
        try loop.run { jobs.hangingCount == 0 }
        #expect(ended.sorted() == ["a", "b", "c", "d", "e"])
    }

    @Test func `nobody waits for a job of a device that was unplugged`() throws {
        var ended: [String] = []
        let call = try Call()
        jobs.run("a") {
            call.wait()
            return "old"
        } completion: {
            ended.append($0)
        }
        // Before it is known to hang, and then for the next device of that name.
        jobs.forget("a")
        try loop.run { jobs.waitingCount == 0 }
        #expect(jobs.hangingCount == 0 && !jobs.contains("a"))
        jobs.run("a", { "new" }, completion: { ended.append($0) })
        call.letGo()
        try loop.run { jobs.waitingCount == 0 }
        #expect(ended == ["new"])
    }
}
