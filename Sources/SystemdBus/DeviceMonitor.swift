// SPDX-License-Identifier: Apache-2.0

import CSystemd
package import POSIX

/// Tells of devices of one subsystem that udev has added, changed or removed.
package final class DeviceMonitor {
    package enum Change {
        /// The device is there and udev's rules have been applied.
        case added
        case changed
        case removed
    }

    private let monitor: OpaquePointer
    private let handler: (Change, Device) -> Void

    /// Starts watching; `handler` is called in the loop with what happened and to which device.
    ///
    /// With a type, devices of the subsystem that are of another, such as the triggers of IIO, are left out.
    package init(
        subsystem: String,
        type: String? = nil,
        loop: EventLoop,
        _ handler: @escaping (Change, Device) -> Void
    ) throws(SystemError) {
        var monitor: OpaquePointer?
        try check("listen to udev", sd_device_monitor_new(&monitor))
        guard let monitor else { throw SystemError("listen to udev", errno: .invalid) }
        self.monitor = monitor
        self.handler = handler
        try check(
            "listen to udev for",
            subsystem,
            sd_device_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, type)
        )
        try check(
            "listen to udev",
            loop.withPointer { sd_device_monitor_attach_event(monitor, $0) }
        )
        // The monitor is ours alone and goes with us, so it may point at us without holding us.
        let result = sd_device_monitor_start(
            monitor,
            { _, device, userdata in
                guard let device, let userdata else { return 0 }
                Unmanaged<DeviceMonitor>.fromOpaque(userdata).takeUnretainedValue().handle(device)
                return 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
        try check("listen to udev", result)
    }

    deinit {
        sd_device_monitor_stop(monitor)
        sd_device_monitor_unref(monitor)
    }

    private func handle(_ device: OpaquePointer) {
        var action = SD_DEVICE_CHANGE
        guard sd_device_get_action(device, &action) >= 0 else { return }
        let change: Change =
            switch action {
            case SD_DEVICE_ADD: .added
            case SD_DEVICE_REMOVE: .removed
            default: .changed
            }
        handler(change, Device(sharing: device))
    }
}
