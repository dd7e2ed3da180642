// SPDX-License-Identifier: Apache-2.0

import CLinux
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

    /// The text of an attribute file without its newline, read once; nil if it cannot be read.
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

    /// All devices of a subsystem, sorted by path; those whose name matches a pattern, or that have an attribute.
    ///
    /// Reads the subsystem's folder itself: sd_device_enumerator_get_device_first(3) returns NULL both for an empty list
    /// and for a failed scan.
    package static func all(
        inSubsystem subsystem: String,
        named pattern: String = "*",
        withAttribute attribute: String? = nil
    ) throws(SystemError) -> [Device] {
        var devices: [Device] = []
        // There is only one of these folders.
        for folder in ["/sys/bus/\(subsystem)/devices", "/sys/class/\(subsystem)"] {
            try ignoringAbsence { () throws(SystemError) in
                for name in try FileDescriptor.names(in: folder) where fnmatch(pattern, name, 0) == 0 {
                    // It may be unplugged meanwhile.
                    try ignoringAbsence { () throws(SystemError) in
                        let device = try Device(syspath: "\(folder)/\(name)")
                        if let attribute, device.attribute(attribute) == nil { return }
                        devices.append(device)
                    }
                }
            }
        }
        return devices.sorted { $0.syspath < $1.syspath }
    }

    private static func ignoringAbsence(_ body: () throws(SystemError) -> Void) throws(SystemError) {
        do throws(SystemError) {
            try body()
        } catch {
            guard error.errno == .notFound || error.errno == .noDevice else { throw error }
        }
    }

    private func text(
        _ getter: (OpaquePointer, UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Int32
    ) -> String? {
        var value: UnsafePointer<CChar>?
        guard getter(handle, &value) >= 0, let value else { return nil }
        return String(cString: value)
    }
}
