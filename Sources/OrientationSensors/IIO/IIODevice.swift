// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import SystemdBus

/// A device of IIO, known by the names of its files: those tell its channels and settings, without reading any.
final class IIODevice {
    /// The kernel's name: `iio:device0`.
    let id: String
    let name: String
    let label: String?

    /// Of this machine; nil for a device of another one.
    let udev: Device?
    let folder: DeviceFolder
    let progress: DescriptionProgress

    /// The channels that have a value or are in scans, sorted by name; mere settings are none.
    let channelNames: [String]

    /// The names of its files.
    private let names: Set<String>
    /// How the files of another machine are read and written.
    private let remote: [String: IIOAttribute.Remote]

    /// The directory that the device's files are in, for messages.
    var path: String { folder.path }

    var isLocal: Bool { udev != nil }

    /// A device of this machine by its kernel name; reads its names, so it can block.
    init(_ id: String, _ progress: DescriptionProgress) throws(SystemError) {
        let udev = try progress.device(subsystem: "iio", name: id)
        let folder = DeviceFolder(udev.syspath)
        self.folder = folder
        let path = folder.path
        self.id = id
        self.udev = udev
        self.progress = progress
        remote = [:]
        let names = Set(try FileDescriptor.names(in: path))
        self.names = names
        let scanElements = try names.contains("scan_elements") ? FileDescriptor.names(in: path + "/scan_elements") : []
        let channelNames = Self.channelNames(names, scanElements: scanElements)
        self.channelNames = channelNames
        progress.update { $0.kinds = SensorKind.allCases.filter { $0.channelNames(among: channelNames) != nil } }
        func text(_ file: String) -> String? {
            names.contains(file) ? progress.text(at: path + "/" + file, of: folder) : nil
        }
        let name = AttributeText.name(text("name") ?? "")
        self.name = name
        if !name.isEmpty { progress.update { $0.name = name } }
        label = text("label")
    }

    /// A device of another machine, by its files.
    init(
        id: String,
        name: String,
        label: String?,
        path: String,
        files: [String: IIOAttribute.Remote],
        _ progress: DescriptionProgress
    ) {
        self.id = id
        self.name = AttributeText.name(name)
        self.label = label
        self.progress = progress
        udev = nil
        folder = DeviceFolder(path)
        remote = files
        names = Set(files.keys)
        channelNames = Self.channelNames(names, scanElements: [])
    }

    private static func channelNames(_ names: Set<String>, scanElements: [String]) -> [String] {
        let values = names.compactMap { name(of: $0, ending: "_raw") ?? name(of: $0, ending: "_input") }
        return Set(values + scanElements.compactMap { name(of: $0, ending: "_en") }).sorted()
    }

    private static func name(of file: String, ending: String) -> String? {
        guard file.begins(with: "in_"), file.ends(with: ending) else { return nil }
        return String(Substring(file.utf8.dropLast(ending.utf8.count)))
    }

    func channel(_ name: String) -> IIOChannel { IIOChannel(name: name, device: self) }

    /// The file of that name, or nil.
    func attribute(_ name: String) -> IIOAttribute? {
        guard names.contains(name) else { return nil }
        return IIOAttribute(folder: folder, remote: remote[name], path: path + "/" + name)
    }

    // MARK: - Sensors

    /// Adds the sensors of those kinds, with warnings; reads their attributes, so it can block.
    func addSensors(of kinds: [SensorKind], to found: inout FoundSensors) {
        let offered = SensorKind.allCases.compactMap { kind in kind.channels(of: self).map { (kind, $0) } }
        if name == "hinge", kinds.contains(.hinge), !offered.contains(where: { $0.0 == .hinge }) {
            found.warnings.append(path + ": none of its angles has the label hinge, not used")
        }
        for (kind, channels) in offered where kinds.contains(kind) {
            if kind == .accelerometer, let udev, AccelerometerMounting.exclusion(of: udev) != nil { continue }
            // A device has one buffer, and while that runs its values cannot be polled.
            let mayBuffer = offered.count == 1
            let sensor = IIOSensor(kind, of: self, channels: channels, mayBuffer: mayBuffer, warnings: &found.warnings)
            if let sensor { found.sensors.append(sensor) }
        }
    }

    // MARK: - Triggers

    /// The name of the trigger that the driver brought to a device of this machine.
    var ownTrigger: String? {
        let number = String(Substring(id.utf8.drop { !(0x30...0x39).contains($0) }))
        let entries = (try? Device.entries(ofSubsystem: "iio")) ?? []
        let names = entries.filter { $0.name.begins(with: "trigger") }.compactMap { folder, name -> String? in
            let path = folder + name
            return progress.text(at: path + "/name", of: DeviceFolder(path))
        }
        return names.first { $0 == name + "-dev" + number } ?? names.first { $0 == name + "-trigger" }
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
}

/// A channel of a device: `in_accel_x`, `in_illuminance0`, `in_rot_from_north_magnetic_tilt_comp`.
struct IIOChannel {
    let name: String
    let device: IIODevice

    /// The type of a channel and what follows it, without an index: `accel` and `x`.
    static func parts(of name: String) -> (type: String, modifier: String) {
        let body = name.utf8.dropFirst("in_".utf8.count)
        let type = body.prefix { $0 != UInt8(ascii: "_") && !(0x30...0x39).contains($0) }
        let rest = body.dropFirst(type.count).drop { (0x30...0x39).contains($0) }
        let modifier = rest.first == UInt8(ascii: "_") ? rest.dropFirst() : rest
        return (String(Substring(type)), String(Substring(modifier)))
    }

    /// The channel's word in a scan, by two attributes; nil for one in no scan, or of an invalid format.
    var scanElement: ScanElement? {
        func text(_ ending: String) -> String? {
            let path = device.path + "/scan_elements/" + name + ending
            return device.progress.text(at: path, of: device.folder)
        }
        guard device.isLocal, let index = text("_index").flatMap({ Int($0) }), let format = text("_type") else {
            return nil
        }
        return ScanElement(format, index: index)
    }

    /// The channel's attribute of that name, its own only.
    func ownAttribute(_ attribute: String) -> IIOAttribute? { device.attribute(name + "_" + attribute) }

    /// The channel's attribute of that name: its own, or that of all channels of its type, of all inputs or the device.
    func attribute(_ attribute: String) -> IIOAttribute? {
        ownAttribute(attribute) ?? device.attribute("in_" + Self.parts(of: name).type + "_" + attribute)
            ?? device.attribute("in_" + attribute) ?? device.attribute(attribute)
    }
}
