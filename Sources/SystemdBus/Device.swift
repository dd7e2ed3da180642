// SPDX-License-Identifier: Apache-2.0

import CLinux
import CSystemd
package import POSIX

/// A device of udev; its properties and attributes are read once and cached.
///
/// Not for use by two threads at once.
package final class Device {
    private let handle: OpaquePointer

    /// Finds a device by its path under /sys, which may be a symbolic link; throws if there is no such device.
    package init(syspath: String) throws(SystemError) {
        handle = try create("find the device", syspath) { sd_device_new_from_syspath(&$0, syspath) }
    }

    /// Finds a device by its subsystem and kernel name: `iio` and `iio:device0`; throws if there is no such device.
    package init(subsystem: String, name: String) throws(SystemError) {
        handle = try create("find the device", name) { sd_device_new_from_subsystem_sysname(&$0, subsystem, name) }
    }

    /// Adds a reference to a device that libsystemd owns.
    init(sharing device: OpaquePointer) { handle = sd_device_ref(device) }

    deinit { sd_device_unref(handle) }

    /// The device's directory `/sys/devices/…`, with links resolved.
    package var syspath: String { text(sd_device_get_syspath) ?? "" }

    /// The kernel's name of the device, the last part of `syspath`.
    package var name: String { text(sd_device_get_sysname) ?? "" }

    /// The kernel's subsystem, such as `iio`; nil if it has none.
    package var subsystem: String? { text(sd_device_get_subsystem) }

    /// The device node, `/dev/…`; nil if it has none.
    package var devnode: String? { text(sd_device_get_devname) }

    package var parent: Device? {
        var parent: OpaquePointer?
        guard sd_device_get_parent(handle, &parent) >= 0 else { return nil }
        return parent.map { Device(sharing: $0) }
    }

    /// This device, or the nearest ancestor, for which that holds; nil if there is none.
    package func nearest(where isWanted: (Device) -> Bool) -> Device? {
        isWanted(self) ? self : parent?.nearest(where: isWanted)
    }

    /// A property of udev's database or of the kernel's uevent; nil when it is not set.
    package func property(_ key: String) -> String? {
        text { sd_device_get_property_value($0, key, $1) }
    }

    /// Says whether a word is among those of a property, which are separated by spaces.
    package func property(_ key: String, contains word: String) -> Bool {
        property(key)?.utf8.split(separator: UInt8(ascii: " ")).contains { $0.elementsEqual(word.utf8) } ?? false
    }

    /// The text of an attribute file without its newline, read once; nil if it cannot be read.
    package func attribute(_ name: String) -> String? {
        text { sd_device_get_sysattr_value($0, name, $1) }
    }

    /// The names of the readable attribute files, including those in folders such as `buffer/`.
    package var attributeNames: [String] {
        var names: [String] = []
        var next = sd_device_get_sysattr_first(handle)
        while let name = next {
            names.append(String(cString: name))
            next = sd_device_get_sysattr_next(handle)
        }
        return names.sorted()
    }

    /// The devices of a subsystem whose name matches the pattern, sorted by path.
    package static func all(
        inSubsystem subsystem: String,
        named pattern: String = "*"
    ) throws(SystemError) -> [Device] {
        var devices: [Device] = []
        for (folder, name) in try entries(ofSubsystem: subsystem) where fnmatch(pattern, name, 0) == 0 {
            // It may have been unplugged meanwhile.
            try ignoringAbsence { () throws(SystemError) in devices.append(try Device(syspath: folder + name)) }
        }
        return devices.sorted { $0.syspath < $1.syspath }
    }

    /// The kernel's names of a subsystem's devices, in no particular order, each with the folder that it is in.
    ///
    /// Reads no file of a device, so that no driver can delay it. Does not use an enumerator:
    /// sd_device_enumerator_get_device_first(3) returns NULL both for an empty list and for a failed scan.
    package static func entries(ofSubsystem subsystem: String) throws(SystemError) -> [(folder: String, name: String)] {
        var entries: [(folder: String, name: String)] = []
        // A subsystem has one of these folders.
        for folder in ["/sys/bus/\(subsystem)/devices/", "/sys/class/\(subsystem)/"] {
            try ignoringAbsence { () throws(SystemError) in
                for name in try FileDescriptor.names(in: folder) { entries.append((folder, name)) }
            }
        }
        return entries
    }

    private static func ignoringAbsence(_ body: () throws(SystemError) -> Void) throws(SystemError) {
        do throws(SystemError) {
            try body()
        } catch {
            guard error.errno == .notFound || error.errno == .noDevice else { throw error }
        }
    }

    private func text(_ getter: (OpaquePointer, UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Int32) -> String? {
        var value: UnsafePointer<CChar>?
        guard getter(handle, &value) >= 0, let value else { return nil }
        return String(cString: value)
    }
}
