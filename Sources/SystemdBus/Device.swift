// SPDX-License-Identifier: Apache-2.0

import CSystemd
package import POSIX

/// A device as udev knows it: its place in /sys, its properties and its attributes.
///
/// A snapshot: properties and attributes are read once and remembered. Not for use by two threads at once.
package final class Device {
    // Internal for the device monitor, which is handed devices by libsystemd.
    let handle: OpaquePointer

    /// Finds a device by its path under /sys, which may be a symbolic link.
    ///
    /// Throws when there is no such device.
    package init(syspath: String) throws(SystemError) {
        var device: OpaquePointer?
        try check("find the device", syspath, sd_device_new_from_syspath(&device, syspath))
        guard let device else { throw SystemError("find the device", syspath, errno: .noDevice) }
        handle = device
    }

    /// Finds a device by its subsystem and kernel name: `iio` and `iio:device0`.
    ///
    /// Throws when there is no such device.
    package init(subsystem: String, name: String) throws(SystemError) {
        var device: OpaquePointer?
        try check("find the device", name, sd_device_new_from_subsystem_sysname(&device, subsystem, name))
        guard let device else { throw SystemError("find the device", name, errno: .noDevice) }
        handle = device
    }

    /// Shares a device that libsystemd owns, by a reference of its own.
    init(sharing device: OpaquePointer) {
        handle = sd_device_ref(device)
    }

    deinit {
        sd_device_unref(handle)
    }

    /// The device's own directory, `/sys/devices/…`; no link.
    package var syspath: String { text(sd_device_get_syspath) ?? "" }

    /// The kernel's name of the device, the last part of `syspath`.
    package var name: String { text(sd_device_get_sysname) ?? "" }

    /// The kernel's subsystem of the device: `iio`, `i2c`; nil where it has none.
    package var subsystem: String? { text(sd_device_get_subsystem) }

    /// The device's node, `/dev/…`; nil where it has none.
    package var devnode: String? { text(sd_device_get_devname) }

    /// The device that this one belongs to, as the input device to an event node; nil where there is none.
    package var parent: Device? {
        var parent: OpaquePointer?
        guard sd_device_get_parent(handle, &parent) >= 0 else { return nil }
        return parent.map { Device(sharing: $0) }
    }

    /// A property of udev's database or of the kernel's uevent; nil when it is not set.
    package func property(_ key: String) -> String? {
        text { sd_device_get_property_value($0, key, $1) }
    }

    /// The text of an attribute file without its newline; nil when it cannot be read.
    ///
    /// Reads the file the first time only.
    package func attribute(_ name: String) -> String? {
        text { sd_device_get_sysattr_value($0, name, $1) }
    }

    /// The names of the device's attribute files that can be read, those in its folders such as `buffer/` included.
    package var attributeNames: [String] {
        var names: [String] = []
        var next = sd_device_get_sysattr_first(handle)
        while let name = next {
            names.append(String(cString: name))
            next = sd_device_get_sysattr_next(handle)
        }
        return names.sorted()
    }

    /// All present devices of a subsystem, in the order of their paths; only those that a pattern such as `event*`
    /// names, or that have an attribute, where one is given.
    ///
    /// `allowUninitialized` adds those that udev has not handled yet, which is all of them where no udev runs.
    package static func all(
        inSubsystem subsystem: String,
        named pattern: String? = nil,
        withAttribute attribute: String? = nil,
        allowUninitialized: Bool = true
    ) throws(SystemError) -> [Device] {
        var created: OpaquePointer?
        try check("list the devices of", subsystem, sd_device_enumerator_new(&created))
        guard let enumerator = created else { return [] }
        defer { sd_device_enumerator_unref(enumerator) }

        if allowUninitialized {
            try check("list the devices of", subsystem, sd_device_enumerator_allow_uninitialized(enumerator))
        }
        try check(
            "list the devices of",
            subsystem,
            sd_device_enumerator_add_match_subsystem(enumerator, subsystem, 1)
        )

        if let pattern {
            try check("list the devices of", subsystem, sd_device_enumerator_add_match_sysname(enumerator, pattern))
        }
        if let attribute {
            let result = sd_device_enumerator_add_match_sysattr(enumerator, attribute, nil, 1)
            try check("list the devices of", subsystem, result)
        }

        var devices: [Device] = []
        var next = sd_device_enumerator_get_device_first(enumerator)
        while let device = next {
            devices.append(Device(sharing: device))
            next = sd_device_enumerator_get_device_next(enumerator)
        }
        return devices
    }

    private func text(
        _ getter: (OpaquePointer, UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Int32
    ) -> String? {
        var value: UnsafePointer<CChar>?
        guard getter(handle, &value) >= 0, let value else { return nil }
        return String(cString: value)
    }
}
