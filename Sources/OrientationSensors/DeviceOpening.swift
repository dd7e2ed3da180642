// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX

/// A device that was opened to be read, and how it was found.
struct DeviceOpening: Sendable {
    /// The running buffer; nil where the device is to be polled.
    private(set) var buffer: (any SensorBuffer)?
    /// Why the device cannot be read at all.
    private(set) var error: SystemError?
    private(set) var previous = FoundSettings()
    /// In Hz; nil where the device has no such setting.
    private(set) var rate: Double?
    /// Whether the device has a change sensitivity, which is 0 now.
    private(set) var hasSensitivity = false
    private(set) var warnings: [String] = []

    /// Opens the device for `rate` Hz, with its buffer if `buffered`; can block for seconds.
    init(of device: any SensorDevice, rate: Double, buffered: Bool) {
        do throws(SystemError) {
            // Scans come at the chip's rate; when polled, a slow chip returns old values.
            let rate = buffered ? rate : max(rate, DeviceSource.leastFrequency)
            previous.rate = try device.requestSamplingFrequency(rate)
            self.rate = try device.samplingFrequency
        } catch {
            warnings.append("\(error); sampling goes on at the rate the sensor has")
        }
        do throws(SystemError) {
            // The others, which never rest, keep the sensitivity that somebody chose for them.
            if buffered, device.description.kind == .accelerometer {
                previous.sensitivity = try device.changeSensitivity
            }
            do throws(SystemError) {
                try SettingsFile(of: device.description)?.write(previous)
            } catch {
                warnings.append("\(error); a crash would leave the sensor's settings changed")
            }
            if let sensitivity = previous.sensitivity {
                if sensitivity != 0 { _ = try device.setChangeSensitivity(0) }
                hasSensitivity = true
            }
        } catch {
            warnings.append("\(error); sampling goes on with the sensitivity the sensor has")
        }
        guard buffered else { return }
        do throws(SystemError) {
            let buffer = try device.openBuffer()
            self.buffer = buffer
            warnings += buffer.warnings
        } catch {
            // A node opens once: whoever has it would keep polled values from us as well.
            if error.errno == .busy || error.errno == .noDevice || !device.description.canPoll {
                self.error = error
            } else {
                warnings.append("\(error); polling instead")
            }
        }
    }
}
