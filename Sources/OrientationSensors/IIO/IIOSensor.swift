// SPDX-License-Identifier: Apache-2.0

import CLinux
package import OrientationCore
package import POSIX

/// A sensor of a context; one of another machine keeps the context alive.
// Sendable unchecked: its context is, only the thread that reads uses the files it keeps, and the rest never changes.
package final class IIOSensor: SensorDevice, @unchecked Sendable {
    package let description: SensorDescription
    package let warnings: [String]
    package let folder: DeviceFolder
    private let scans: ScanSource?

    /// The files that include the channels in scans.
    private let scanSwitches: [String]
    private let values: [KeptAttribute]?
    private let frequency: [IIOAttribute]
    private let frequencyAvailable: IIOAttribute?
    private let hysteresis: [IIOAttribute]

    /// Takes the `channels` of a device that measure `kind`; nil if they cannot be read.
    ///
    /// Without `mayBuffer`, scans are used only where there is no other way. Adds to `warnings` why a sensor is unused.
    init?(
        _ kind: SensorKind,
        of device: IIODevice,
        channels: [IIOChannel],
        mayBuffer: Bool,
        warnings: inout [String]
    ) {
        // A hinge sensor is read so rarely that its buffer would only cost more.
        let mayScan = kind != .hinge && device.isLocal && !device.crashesWithoutTrigger
        let elements = mayScan ? channels.mapAll { $0.scanElement } : nil
        let hasScans = elements != nil
        let raw = channels.mapAll { $0.ownAttribute("raw") }
        // A driver's processed value is better than offset and scale; but scans and near levels are raw.
        let prefersRaw = raw != nil && (hasScans || kind == .proximity)
        let processed = prefersRaw ? nil : channels.mapAll { $0.ownAttribute("input") }
        let numbers = processed ?? raw
        guard numbers != nil || hasScans else { return nil }

        folder = device.folder
        scanSwitches = channels.map { "scan_elements/\($0.name)_en" }

        // The kernel has the rate per channel, for all channels of one kind, for the device, or for all inputs.
        frequency = Self.attributes("sampling_frequency", of: channels)
        frequencyAvailable = channels[0].attribute("sampling_frequency_available")
        hysteresis = Self.attributes("hysteresis", of: channels)

        var discovery = SensorDiscovery(kind: kind, device: device, measuring: channels)
        let description = discovery.describe(
            isProcessed: processed != nil,
            canPoll: numbers != nil,
            canBuffer: hasScans && processed == nil && (mayBuffer || numbers == nil)
        )
        guard let description else {
            warnings += discovery.warnings
            return nil
        }
        self.description = description
        self.warnings = discovery.warnings
        // Only acceleration has a sign.
        let mayLackSign = kind == .accelerometer && processed == nil && device.isLocal
        values = numbers.map { numbers in
            zip(numbers, channels).map { number, channel in
                let bits = mayLackSign ? Self.signedBits(of: channel, scale: description.scale.x) : nil
                return KeptAttribute(number, signedBits: bits)
            }
        }
        scans =
            description.canBuffer
            ? ScanSource(
                folder: device.folder,
                node: description.devicePath,
                elements: elements ?? [],
                timestamp: device.channelNames.contains("in_timestamp")
                    ? device.channel("in_timestamp").scanElement : nil,
                ownTrigger: device.ownTrigger
            ) : nil
    }

    /// The bits of an accelerometer's values, by their type in scans; nil for values that need no sign.
    private static func signedBits(of channel: IIOChannel, scale: Double) -> Int? {
        if let element = channel.scanElement { return element.signedBits }
        // Without scans, 16 bits if the upper half of them would be more than 32 g.
        return 0x8000 * scale > 32 * AccelerometerSample.standardGravity ? 16 : nil
    }

    /// The attributes of that name, each once: channels can share one.
    private static func attributes(_ name: String, of channels: [IIOChannel]) -> [IIOAttribute] {
        channels.compactMap { $0.attribute(name) }.reduce(into: []) { found, attribute in
            if !found.contains(where: { $0.path == attribute.path }) { found.append(attribute) }
        }
    }

    /// Reads the channels one after the other, without allocating anything of ours.
    ///
    /// Processed values are in the unit already: their offset and scale are 0 and 1. Throws EINVAL for other texts than
    /// numbers.
    package func read() throws(SystemError) -> Vector3 {
        guard let values else { throw SystemError("poll", folder.path, errno: .invalid) }
        return try Vector3(values) { attribute throws(SystemError) in try attribute.readNumber() }
    }

    package func endReading() {
        for value in values ?? [] { value.close() }
    }

    package func openBuffer() throws(SystemError) -> any SensorBuffer {
        guard let scans else { throw SystemError("open the buffer of", folder.path, errno: .notSupported) }
        return try ScanBuffer(of: scans)
    }

    package func stopBuffer() throws(SystemError) {
        guard let scans else { return }
        _ = try scans.open()
        try scans.stop()
        try scans.disableChannels()
    }

    package func prepare(atLeast minimum: Double) throws(SystemError) {
        _ = try setSamplingFrequency(atLeast: minimum)
        // An accelerometer's channels, as iio-sensor-proxy does from its start on, and other programs expect. While
        // another program reads scans, the choice is its own.
        guard description.canBuffer, description.kind == .accelerometer else { return }
        for file in scanSwitches {
            do throws(SystemError) {
                try folder.write("1", to: folder.path + "/" + file)
            } catch {
                // udev's rules may not have run yet; opening the buffer reports what stays refused.
                if error.errno.code == EBUSY || error.errno.code == EACCES { return }
                throw error
            }
        }
    }

    // MARK: - Settings

    package func settings(_ setting: SensorSetting) throws(SystemError) -> [FoundSetting] {
        var found: [FoundSetting] = []
        do throws(SystemError) {
            for attribute in setting == .rate ? frequency : hysteresis {
                found.append(FoundSetting(file: attribute.path, text: try attribute.read()))
            }
        } catch {
            // The driver offers the file of the sensitivity for hubs without the field too.
            guard setting == .sensitivity, error.errno == .invalid else { throw error }
        }
        return found
    }

    package func restore(_ setting: FoundSetting) throws(SystemError) {
        let known = (frequency + hysteresis).first { $0.path == setting.file }
        // The files of another sensor of the device are known by their paths only.
        let attribute = known ?? IIOAttribute(folder: folder, remote: nil, path: setting.file)
        if setting.isOurs(try attribute.read()) { try attribute.write(setting.text) }
    }

    package func setSamplingFrequency(atLeast target: Double) throws(SystemError) -> Double? {
        guard let file = frequency.first else { return nil }
        let current = try file.readNumber()
        let list = try frequencyAvailable?.read()
        let rates = list.map { SamplingRates($0) } ?? .unknown
        guard let rate = rates.raised(from: current, toAtLeast: target) else { return current }
        for attribute in frequency { try attribute.write(AttributeText.shortest(rate)) }
        return try file.readNumber()
    }

    package func setChangeSensitivity(_ change: Double) throws(SystemError) -> Double {
        // The kernel reads six decimal places.
        let number = (change / sensitivityUnit * 1e6).rounded() / 1e6
        for attribute in hysteresis { try attribute.write(AttributeText.shortest(number)) }
        return (try hysteresis.first?.readNumber() ?? 0) * sensitivityUnit
    }

    /// The m/s² in the unit of the sensitivity, which is that of the HID field: g or m/s².
    ///
    /// hid-sensor-attributes.c converts only the scale: 9.80665e-N for a field in g, 1e-N for one in m/s².
    private var sensitivityUnit: Double {
        var digits = description.scale.x
        guard digits.isNormal, digits > 0, digits < 10 else { return 1 }
        while digits < 1 { digits *= 10 }
        let isG = abs(digits / AccelerometerSample.standardGravity - 1) < 0.002
        return isG ? AccelerometerSample.standardGravity : 1
    }
}
