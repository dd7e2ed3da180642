// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX

/// A device as its helper uses it: its open buffer, and the settings that it has changed.
// Sendable unchecked: the jobs of one helper use it one after the other; the loop reads `buffer` while no job is under
// way that opens or closes it.
final class DeviceAccess: @unchecked Sendable {
    /// The rate in Hz that every sensor is raised to: at its lowest, a chip can take seconds for one value.
    private static let leastFrequency = 10.0

    let device: any SensorDevice
    private(set) var buffer: (any SensorBuffer)?
    private let isPrepared: Bool
    /// The settings of the device, which its sensors share.
    private let settings: SettingsToRestore
    private let folders: String?
    /// The files of the settings that were noted for this sensor.
    private var noted: [String] = []

    /// `isPrepared`: another program prepares the device.
    init(
        _ device: any SensorDevice,
        isPrepared: Bool,
        settings: SettingsToRestore,
        folders: String? = environment("RUNTIME_DIRECTORY")
    ) {
        self.device = device
        self.isPrepared = isPrepared
        self.settings = settings
        self.folders = folders
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
            case .close: return .done(warnings: close())
            }
            return .done(warnings: [])
        } catch {
            return .failed("\(error)")
        }
    }

    private func prepare() -> [String] {
        if isPrepared { return [] }
        var warnings = settings.recover(device, folders: folders)
        do throws(SystemError) {
            try device.prepare(atLeast: Self.leastFrequency)
        } catch {
            warnings.append("\(error)")
        }
        return warnings
    }

    private func open(rate: Double, buffered: Bool) throws(SystemError) -> DeviceOpening {
        var opening = DeviceOpening()
        // Any failure but that of a device that is gone leaves a way to read it.
        func warn(_ error: SystemError, _ consequence: String) throws(SystemError) {
            if error.errno == .noDevice { throw error }
            opening.warnings.append("\(error); \(consequence)")
        }
        func save() throws(SystemError) {
            do throws(SystemError) {
                try settings.save()
            } catch {
                try warn(error, "a crash would leave the sensor's settings changed")
            }
        }
        // Notes a setting before it is changed, since a crash at any moment can be repaired, and then what it has become.
        // Without its files, the sensor has no such setting.
        func change<Value>(
            _ setting: SensorSetting,
            _ body: ([FoundSetting]) throws(SystemError) -> Value
        ) throws(SystemError) -> Value? {
            let found = try device.settings(setting)
            guard !found.isEmpty else { return nil }
            settings.note(found, of: device)
            noted += found.map { $0.file }
            try save()
            let result = Result { () throws(SystemError) in try body(found) }
            if settings.noteChange(to: try device.settings(setting)) { try save() }
            return try result.get()
        }
        do throws(SystemError) {
            // Scans come at the chip's rate; when polled, a slow chip returns old values.
            let target = buffered ? rate : max(rate, Self.leastFrequency)
            opening.rate =
                try change(.rate) { _ throws(SystemError) in try device.setSamplingFrequency(atLeast: target) } ?? nil
        } catch {
            try warn(error, "sampling goes on at the rate the sensor has")
        }
        do throws(SystemError) {
            // The others, which never rest, keep the sensitivity that somebody chose for them.
            if buffered, device.description.kind == .accelerometer {
                let change: Void? = try change(.sensitivity) { found throws(SystemError) in
                    let isSet = found.contains { AttributeText.number($0.text) != 0 }
                    if isSet { _ = try device.setChangeSensitivity(0) }
                }
                opening.hasSensitivity = change != nil
            }
        } catch {
            try warn(error, "sampling goes on with the sensitivity the sensor has")
        }
        guard buffered else { return opening }
        do throws(SystemError) {
            let buffer = try device.openBuffer()
            self.buffer = buffer
            opening.isBuffered = true
            opening.warnings += buffer.warnings
        } catch {
            // A program that has the node open has the buffer; some drivers refuse values meanwhile, others do not.
            guard device.description.canPoll, error.errno != .busy || (try? device.read()) != nil else { throw error }
            try warn(error, "polling instead")
        }
        return opening
    }

    private func setSensitivity(_ change: Double) throws(SystemError) -> Double {
        let present = try device.settings(.sensitivity)
        settings.adopt(present)
        settings.expectChange(of: present)
        // A file that cannot be written was a warning when the device was opened.
        try? settings.save()
        do throws(SystemError) {
            let kept = try device.setChangeSensitivity(change)
            if settings.noteChange(to: try device.settings(.sensitivity)) { try? settings.save() }
            return kept
        } catch {
            // A sensor that refuses any sensitivity streams on.
            let found = try device.settings(.sensitivity).first?.text
            guard change == 0, found.flatMap({ AttributeText.number($0) }) == 0 else { throw error }
            return 0
        }
    }

    private func closeBuffer() {
        buffer?.close()
        buffer = nil
    }

    private func close() -> [String] {
        closeBuffer()
        device.endReading()
        defer { noted = [] }
        return settings.release(noted, of: device)
    }
}
