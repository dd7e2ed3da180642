// SPDX-License-Identifier: Apache-2.0

import CIIO
import POSIX
import SystemdBus

// Views of what a context owns. Each but a local attribute keeps its context alive.

/// A device or trigger of a context.
struct IIODevice {
    let pointer: OpaquePointer
    let context: IIOContext

    /// Nil for a device that was unplugged since the snapshot, or of another machine.
    let udev: Device?

    let folder: DeviceFolder

    /// The directory that the device's files are in, for messages.
    var path: String { folder.path }

    var id: String { text(orientd_iio_device_get_id(pointer)) ?? "" }
    var name: String { text(orientd_iio_device_get_name(pointer)) ?? "" }
    var label: String? { text(orientd_iio_device_get_label(pointer)) }
    var isTrigger: Bool { orientd_iio_device_is_trigger(pointer) }

    /// The trigger that the driver brought.
    var ownTrigger: IIODevice? {
        let number = String(Substring(id.utf8.drop { !(0x30...0x39).contains($0) }))
        let triggers = context.devices.filter { $0.isTrigger }
        return triggers.first { $0.name == name + "-dev" + number } ?? triggers.first { $0.name == name + "-trigger" }
    }

    /// Whether opening the buffer of a local device dereferences NULL in the kernel: a bmc150 without an interrupt.
    ///
    /// Kernels before 3aa385a9c75c do so, as on the One-Netbook Onemix 2S (Debian bug 1106411).
    var crashesWithoutTrigger: Bool {
        let driver = udev?.parent?.property("DRIVER")
        let isServed = ["bmc150_accel_i2c", "bmc150_accel_spi"].contains(driver) || Self.bmc150Names.contains(name)
        return isServed && ScanSource.hasTrigger(path) != true && ownTrigger == nil
    }

    /// The chips that bmc150-accel serves.
    private static let bmc150Names: Set<String> = [
        "bmc150_accel", "bmc156_accel", "bmi055_accel", "bma222", "bma222e", "bma250e", "bma253", "bma254", "bma255",
        "bma280",
    ]

    var channels: [IIOChannel] {
        (0..<orientd_iio_device_get_channels_count(pointer)).compactMap { index in
            orientd_iio_device_get_channel(pointer, index).map { IIOChannel(pointer: $0, device: self) }
        }
    }

    /// The device's own attribute of that name, or nil.
    func attribute(_ name: StaticString) -> IIOAttribute? {
        guard orientd_iio_device_find_attr(pointer, name.cString) != nil else { return nil }
        let remote = IIOAttribute.Remote(
            context: context,
            read: { [pointer] in orientd_iio_device_attr_read(pointer, name.cString, $0, $1) },
            write: { [pointer] in orientd_iio_device_attr_write_raw(pointer, name.cString, $0, $1) }
        )
        return IIOAttribute(folder: folder, remote: context.isLocal ? nil : remote, path: path + "/\(name)")
    }
}

/// A channel of a device.
struct IIOChannel {
    let pointer: OpaquePointer
    let device: IIODevice

    /// Whether the attributes meant are those of ``compensated``.
    private(set) var isCompensated = false

    var id: String { text(orientd_iio_channel_get_id(pointer)) ?? "" }

    /// What follows the type and the modifier in the names of its files.
    var name: String? { text(orientd_iio_channel_get_name(pointer)) }

    var isInput: Bool { !orientd_iio_channel_is_output(pointer) }
    var isScanElement: Bool { orientd_iio_channel_is_scan_element(pointer) }
    var type: iio_chan_type { orientd_iio_channel_get_type(pointer) }
    var modifier: iio_modifier { orientd_iio_channel_get_modifier(pointer) }

    /// Whether it can be read at all; to libiio mere settings are channels too.
    var hasValue: Bool {
        isScanElement || attribute("raw") != nil || attribute("input") != nil || compensated != nil
    }

    /// The same heading, compensated for tilt; nil where there is none, or in a channel of its own.
    ///
    /// To libiio `in_rot_from_north_magnetic_tilt_comp_raw` is another attribute of `in_rot_from_north_magnetic`,
    /// unless other files show that it is a channel.
    var compensated: IIOChannel? {
        guard orientd_iio_channel_find_attr(pointer, "tilt_comp_raw") != nil else { return nil }
        var channel = self
        channel.isCompensated = true
        return channel
    }

    /// The channel's word in a scan; nil for one in no scan, or of an invalid format.
    var scanElement: ScanElement? {
        guard isScanElement, let format = orientd_iio_channel_get_data_format(pointer) else { return nil }
        return ScanElement(format.pointee, index: orientd_iio_channel_get_index(pointer))
    }

    /// The channel's attribute of that name, one that it shares with other channels included, or nil.
    func attribute(_ name: StaticString) -> IIOAttribute? {
        guard isCompensated else { return ownAttribute(name) }
        return switch name.description {
        case "raw": ownAttribute("tilt_comp_raw")
        case "scale": ownAttribute("tilt_comp_scale") ?? ownAttribute("scale")
        case "offset": ownAttribute("tilt_comp_offset") ?? ownAttribute("offset")
        default: ownAttribute(name)
        }
    }

    private func ownAttribute(_ name: StaticString) -> IIOAttribute? {
        guard orientd_iio_channel_find_attr(pointer, name.cString) != nil else { return nil }
        let path = device.path + "/" + (text(orientd_iio_channel_attr_get_filename(pointer, name.cString)) ?? "\(name)")
        let remote = IIOAttribute.Remote(
            context: device.context,
            read: { [pointer] in orientd_iio_channel_attr_read(pointer, name.cString, $0, $1) },
            write: { [pointer] in orientd_iio_channel_attr_write_raw(pointer, name.cString, $0, $1) }
        )
        return IIOAttribute(folder: device.folder, remote: device.context.isLocal ? nil : remote, path: path)
    }
}

/// One attribute file, local or behind the network.
struct IIOAttribute {
    /// How libiio reads and writes the file of another machine.
    struct Remote {
        let context: IIOContext
        let read: (UnsafeMutablePointer<CChar>?, Int) -> Int
        let write: (UnsafeRawPointer?, Int) -> Int
    }

    /// Of the device.
    let folder: DeviceFolder
    /// Nil for a file of this machine.
    let remote: Remote?
    /// The file, for messages and to tell shared attributes.
    let path: String

    /// The text without the white space around it.
    func read() throws(SystemError) -> String {
        // A page is the most that sysfs gives.
        let text = try withUnsafeText(of: try open(), capacity: 4096) { String(cString: $0) }
        return String(Substring(trimmed(text.utf8)))
    }

    /// The number in the file.
    func readNumber() throws(SystemError) -> Double { try readNumber(from: try open()) }

    /// The number in the file that ``open()`` has returned.
    ///
    /// Allocates nothing of ours. Throws EINVAL for any other text.
    func readNumber(from file: FileDescriptor?) throws(SystemError) -> Double {
        let number = try withUnsafeText(of: file, capacity: 128) { AttributeText.number($0) }
        guard let number else { throw SystemError("make a number of", path, errno: .invalid) }
        return number
    }

    /// Opens the file; nil for an attribute that libiio reads.
    func open() throws(SystemError) -> FileDescriptor? {
        remote == nil ? try AttributeFile.open(path) : nil
    }

    /// Writes a text and a newline; `iio_*_attr_write` would write a NUL too.
    func write(_ text: String) throws(SystemError) {
        guard let remote else { return try folder.write(text, to: path) }
        let operation = "write \(text) to"
        var line = text + "\n"
        try remote.context.checkConnection(operation, path)
        let written = line.withUTF8 { remote.write($0.baseAddress, $0.count) }
        try remote.context.checkAnswer(operation, path, written)
    }

    /// Reads into a buffer on the stack; what `body` gets ends in a NUL.
    private func withUnsafeText<Result>(
        of file: FileDescriptor?,
        capacity: Int,
        _ body: (UnsafePointer<CChar>) -> Result
    ) throws(SystemError) -> Result {
        try remote?.context.checkConnection("read", path)
        var count = 0
        let result = withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity + 1) { buffer -> Result? in
            buffer.initialize(repeating: 0)
            count =
                remote?.read(buffer.baseAddress, capacity)
                ?? file.map { AttributeFile.read($0, into: buffer.baseAddress, capacity) } ?? -Int(EBADF)
            return count < 0 ? nil : buffer.baseAddress.map { body($0) }
        }
        if let remote { try remote.context.checkAnswer("read", path, count) } else { try check("read", path, count) }
        guard let result else { throw SystemError("read", path, errno: .invalid) }
        return result
    }
}

/// A string of libiio, or nil for NULL.
func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }

extension StaticString {
    /// The literal for a C function; it ends in a NUL and lives for ever.
    fileprivate var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
