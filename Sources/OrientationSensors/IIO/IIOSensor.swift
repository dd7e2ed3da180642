// SPDX-License-Identifier: Apache-2.0

import CIIO
import CLinux
package import OrientationCore
package import POSIX

/// A sensor of a context: what discovery found out about it, and its values one by one.
///
/// Keeps its context alive. Every call can block, for seconds on a hung chip.
// Sendable unchecked: as its context is, and the rest never changes.
package final class IIOSensor: SensorDevice, @unchecked Sendable {
    package let description: SensorDescription

    package let warnings: [String]

    let context: IIOContext
    let device: IIODevice
    let channels: [IIOChannel]
    private let values: [IIOAttribute]?
    private let frequency: [IIOAttribute]
    private let frequencyAvailable: IIOAttribute?

    /// Takes the `channels` of a device that measure `kind`, among `all` that it has; nil for any that cannot be read.
    ///
    /// With `mayBuffer` false only scans that are the one way to read it are used. What is odd about a sensor that
    /// cannot be used is added to `warnings`.
    init?(
        _ kind: SensorKind,
        of device: IIODevice,
        channels: [IIOChannel],
        among all: [IIOChannel],
        mayBuffer: Bool,
        warnings: inout [String]
    ) {
        let hasScans =
            device.context.isLocal && channels.allSatisfy { $0.scanElement != nil } && !device.crashesWithoutTrigger
        let raw = channels.mapAll { $0.attribute("raw") }
        // Where there are both, the driver knows more than an offset and a scale can say; but scans are raw, and so is
        // what near levels refer to.
        let prefersRaw = raw != nil && (hasScans || kind == .proximity)
        let processed = prefersRaw ? nil : channels.mapAll { $0.attribute("input") }
        guard raw != nil || processed != nil || hasScans else { return nil }

        context = device.context
        self.device = device
        self.channels = channels
        values = processed ?? raw

        // The kernel has the rate per channel, for all of one kind, for the device, or for all inputs: that last,
        // `in_sampling_frequency`, libiio takes for the attribute `frequency` of a channel `sampling`.
        let odd = all.first { $0.isInput && $0.id == "sampling" }
        var frequency: [IIOAttribute] = []
        for attribute in channels.compactMap({ $0.attribute("sampling_frequency") })
        where !frequency.contains(where: { $0.path == attribute.path }) {
            frequency.append(attribute)
        }
        if frequency.isEmpty {
            frequency = [device.attribute("sampling_frequency") ?? odd?.attribute("frequency")].compactMap { $0 }
        }
        self.frequency = frequency
        frequencyAvailable =
            channels[0].attribute("sampling_frequency_available")
            ?? device.attribute("sampling_frequency_available") ?? odd?.attribute("frequency_available")

        var discovery = SensorDiscovery(kind, of: device, channels: all, measuring: channels)
        let description = discovery.describe(
            isProcessed: processed != nil,
            canPoll: values != nil,
            canBuffer: hasScans && processed == nil && (mayBuffer || values == nil)
        )
        guard let description else {
            warnings += discovery.warnings
            return nil
        }
        self.description = description
        self.warnings = discovery.warnings
    }

    /// Reads the channels one after the other, without allocating anything of ours.
    ///
    /// The values are raw, for the scaling of `description`; of a device that has processed values only they are in
    /// the unit already, and offset and scale are 0 and 1. Throws EINVAL for a text that is no number.
    package func read() throws(SystemError) -> Vector3 {
        guard let values else { throw SystemError("poll", device.path, errno: .invalid) }
        return try Vector3(values) { attribute throws(SystemError) in try attribute.readNumber() }
    }

    package func openBuffer() throws(SystemError) -> any SensorBuffer {
        try ScanBuffer(of: self)
    }

    /// Chooses the channels of an accelerometer's scans, before any are wanted.
    ///
    /// iio-sensor-proxy leaves them chosen from its start on, and programs that look at devices find them so. Where
    /// somebody reads scans just now, the choice is theirs.
    package func chooseChannels() throws(SystemError) {
        guard description.canBuffer, description.kind == .accelerometer else { return }
        for channel in channels {
            let file = "scan_elements/in_\(channel.id)_en"
            let written = iio_device_attr_write_raw(device.pointer, file, "1\n", 2)
            if written == -Int(EBUSY) { return }
            try context.checkAnswer("write 1 to", device.path + "/" + file, written)
        }
    }

    // MARK: - Sampling frequency

    package var samplingFrequency: Double? {
        get throws(SystemError) { try frequency.first?.readNumber() }
    }

    /// The rates that the sensor offers.
    package var samplingRates: SamplingRates {
        get throws(SystemError) {
            guard let frequencyAvailable else { return .unknown }
            return SamplingRates(try frequencyAvailable.read())
        }
    }

    package func raiseSamplingFrequency(toAtLeast minimum: Double) throws(SystemError) {
        guard let current = try samplingFrequency else { return }
        guard let rate = try samplingRates.raised(from: current, toAtLeast: minimum) else { return }
        try writeFrequency(rate)
    }

    package func requestSamplingFrequency(_ target: Double) throws(SystemError) -> Double? {
        guard let previous = try samplingFrequency else { return nil }
        let rate = try samplingRates.rate(atLeast: target)
        if rate != previous { try writeFrequency(rate) }
        return previous
    }

    package func restoreSamplingFrequency(_ previous: Double?) throws(SystemError) {
        guard let previous else { return }
        try writeFrequency(previous)
    }

    private func writeFrequency(_ rate: Double) throws(SystemError) {
        for attribute in frequency { try attribute.write(rate) }
    }
}
