// SPDX-License-Identifier: Apache-2.0

import CSystemd
package import POSIX

/// Reports devices of one subsystem that udev has added, changed or removed.
package final class DeviceMonitor {
    package enum Change {
        /// The device was added and udev's rules have been applied.
        case added
        case changed
        case removed
    }

    private let monitor: OpaquePointer
    private let handler: (Change, Device) -> Void

    /// Calls `handler` in the loop with each change; with a type, only for devices of that type.
    package init(
        subsystem: String,
        type: String? = nil,
        loop: EventLoop,
        _ handler: @escaping (Change, Device) -> Void
    ) throws(SystemError) {
        monitor = try create("listen to udev") { sd_device_monitor_new(&$0) }
        self.handler = handler
        let filtered = sd_device_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, type)
        try check("listen to udev for", subsystem, filtered)
        try check("listen to udev", loop.withPointer { sd_device_monitor_attach_event(monitor, $0) })
        // This object owns the monitor, so the monitor need not retain it.
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
