// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import POSIX
import Testing

@Suite struct ProcessTests {
    // The table is in the closure, as Swift 6.2.3 of Debian allows it no captures.
    @Test func `a passed descriptor is found by its name`() async {
        await #expect(processExitsWith: .success) {
            // Far from those of the test's own process, as each is closed.
            let others = String(repeating: "other:", count: 500)
            for (names, name, descriptor): (String, String, Int32?) in [
                ("a", "a", 503), ("a:b", "b", 504), (":b", "b", 504), ("b::b", "b", 503), ("ab:b", "b", 504),
                ("a", "b", nil),
            ] {
                setenv("LISTEN_FDNAMES", others + names, 1)
                setenv("LISTEN_PID", "\(getpid())", 1)
                #expect(passedDescriptor(named: name)?.rawValue == descriptor, "\(name) in \(names)")
                // Passed to another process, such as a shell that was started first.
                for other in ["1", "x", ""] {
                    setenv("LISTEN_PID", other, 1)
                    #expect(passedDescriptor(named: name) == nil)
                }
            }
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDNAMES", "", 1)
            #expect(passedDescriptor(named: "") == nil)
        }
    }

    @Test func `both ends of a socket pair are this user's and process's`() {
        var ends: (Int32, Int32) = (-1, -1)
        withUnsafeMutablePointer(to: &ends) {
            $0.withMemoryRebound(to: Int32.self, capacity: 2) {
                _ = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, $0)
            }
        }
        let (first, second) = (FileDescriptor(owning: ends.0), FileDescriptor(owning: ends.1))
        #expect(peerUser(of: first.rawValue) == getuid())
        #expect(peerProcess(of: second.rawValue) == getpid())
        #expect(peerUser(of: STDIN_FILENO) == nil)
    }

    @Test func `ioctl fails once it was given up, and nothing else does`() async {
        await #expect(processExitsWith: .success) {
            var events: UInt64 = 0
            let null = orientd_open_null()
            #expect(ioctl(null, 0x5501, &events) == -1 && errno == ENOTTY)
            #expect(orientd_deny_ioctl() == 0)
            #expect(ioctl(null, 0x5501, &events) == -1 && errno == EPERM)
            #expect(write(null, &events, 8) == 8)
        }
    }
}
