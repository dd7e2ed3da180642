// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX

/// A device as its helper uses it: what is open of it, and the settings that it had before.
// Sendable unchecked: the jobs of one helper use it one after the other; the loop reads `buffer` while no job is under
// way that opens or closes it.
final class DeviceAccess: @unchecked Sendable {
    /// The rate in Hz that every sensor is raised to: at its lowest, a chip can take seconds for one value.
    private static let leastFrequency = 10.0

    let device: any SensorDevice
    private(set) var buffer: (any SensorBuffer)?
    private let isPrepared: Bool
    private let settingsFile: SettingsFile?
    /// The number of the device's directory: another device of the same path has another one.
    private let inode: UInt64?
    private var previous = FoundSettings()

    /// `isPrepared`: the device is the business of another program, which prepares it.
    init(_ device: any SensorDevice, isPrepared: Bool, folders: String? = environment("RUNTIME_DIRECTORY")) {
        (self.device, self.isPrepared) = (device, isPrepared)
        settingsFile = SettingsFile(of: device.description, folders: folders)
        inode = FileDescriptor.inode(of: device.description.sysfsPath)
    }

    /// Throws ENODEV once the device was unplugged: what is at its path now is another one, with another access.
    private func checkPresence() throws(SystemError) {
        let path = device.description.sysfsPath
        guard FileDescriptor.inode(of: path) == inode else { throw SystemError("use", path, errno: .noDevice) }
    }

    /// Does a job for a sensor that is to be read at `rate` Hz, with a buffer for `scans`; can block for seconds.
    func run(_ job: DeviceJob, rate: Double, scans: Int) -> DeviceJobResult {
        do throws(SystemError) {
            switch job {
            case .prepare: return .done(warnings: prepare())
            case .open(let buffered): return .opened(try open(rate: rate, buffered: buffered))
            case .setSensitivity(let change): return .sensitivity(try setSensitivity(change))
            case .extend: try buffer?.extend(to: scans)
            case .closeBuffer: closeBuffer()
            case .close: close()
            }
            return .done(warnings: [])
        } catch {
            return .failed("\(error)")
        }
    }

    private func prepare() -> [String] {
        if isPrepared { return [] }
        if let settingsFile {
            settingsFile.read()?.restore(device)
            settingsFile.remove()
            settingsFile.removeLeftovers()
        }
        do throws(SystemError) {
            try device.prepare(atLeast: Self.leastFrequency)
            return []
        } catch {
            return ["\(error)"]
        }
    }

    private func open(rate: Double, buffered: Bool) throws(SystemError) -> DeviceOpening {
        var opening = DeviceOpening()
        let warn = { (error: SystemError, consequence: String) in opening.warnings.append("\(error); \(consequence)") }
        do throws(SystemError) {
            previous.rate = try device.samplingFrequency
        } catch {
            warn(error, "sampling goes on at the rate the sensor has")
        }
        do throws(SystemError) {
            // The others, which never rest, keep the sensitivity that somebody chose for them.
            if buffered, device.description.kind == .accelerometer {
                previous.sensitivity = try device.changeSensitivity
            }
        } catch {
            warn(error, "sampling goes on with the sensitivity the sensor has")
        }
        // A call that hung may have returned only after the device was plugged in again.
        try checkPresence()
        // Before the first change: a crash at any moment can be repaired.
        do throws(SystemError) {
            try settingsFile?.write(previous)
        } catch {
            warn(error, "a crash would leave the sensor's settings changed")
        }
        do throws(SystemError) {
            if previous.rate != nil {
                // Scans come at the chip's rate; when polled, a slow chip returns old values.
                try device.setSamplingFrequency(atLeast: buffered ? rate : max(rate, Self.leastFrequency))
                opening.rate = try device.samplingFrequency
            }
        } catch {
            warn(error, "sampling goes on at the rate the sensor has")
        }
        do throws(SystemError) {
            if let sensitivity = previous.sensitivity {
                if sensitivity != 0 { _ = try device.setChangeSensitivity(0) }
                opening.hasSensitivity = true
            }
        } catch {
            warn(error, "sampling goes on with the sensitivity the sensor has")
        }
        guard buffered else { return opening }
        do throws(SystemError) {
            let buffer = try device.openBuffer()
            self.buffer = buffer
            opening.isBuffered = true
            opening.warnings += buffer.warnings
        } catch {
            // A node opens once: whoever has it would keep polled values from us as well.
            guard error.errno != .busy, error.errno != .noDevice, device.description.canPoll else { throw error }
            warn(error, "polling instead")
        }
        return opening
    }

    private func setSensitivity(_ change: Double) throws(SystemError) -> Double {
        do throws(SystemError) {
            return try device.setChangeSensitivity(change)
        } catch {
            // A sensor that refuses any sensitivity streams on.
            guard change == 0, try device.changeSensitivity == 0 else { throw error }
            return 0
        }
    }

    private func closeBuffer() {
        buffer?.close()
        buffer = nil
    }

    private func close() {
        do throws(SystemError) {
            try checkPresence()
            closeBuffer()
            device.endReading()
            previous.restore(device)
            previous = FoundSettings()
            settingsFile?.remove()
        } catch {
            buffer?.abandon()
            device.endReading()
        }
    }
}
