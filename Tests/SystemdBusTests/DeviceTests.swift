// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import POSIX
import SystemdBus
import Testing

@Suite struct DeviceTests {
    @Test func `devices of a bus and of a class are listed by path, and filtered by name and attribute`() throws {
        let all = try Device.all(inSubsystem: "mem")
        #expect(all.map(\.syspath) == all.map(\.syspath).sorted())
        #expect(all.allSatisfy { $0.subsystem == "mem" })
        #expect(try Device.all(inSubsystem: "mem", named: "nul?").map(\.name) == ["null"])
        #expect(try Device.all(inSubsystem: "cpu", named: "cpu0").map(\.name) == ["cpu0"])
    }

    @Test func `there are no devices of a subsystem that does not exist`() throws {
        #expect(try Device.all(inSubsystem: "nonsense").isEmpty)
    }

    // sd_device_enumerator_get_device_first returns NULL then, which counted as an empty list.
    @Test func `a scan that fails is an error`() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 0
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let error = #expect(throws: SystemError.self) { try Device.all(inSubsystem: "mem") }
            #expect(error?.errno == Errno(EMFILE))
        }
    }
}
