// SPDX-License-Identifier: Apache-2.0

import POSIX
package import SystemdBus

/// The helper thread of one device: started when it is first used, stopped with the last source of the device.
package final class DeviceHelper {
    private let loop: EventLoop
    private var started: HelperThread?

    package init(loop: EventLoop) { self.loop = loop }

    deinit { started?.stop() }

    func thread() throws(SystemError) -> HelperThread {
        if let started { return started }
        let thread = try HelperThread(loop: loop)
        started = thread
        return thread
    }
}
