// SPDX-License-Identifier: Apache-2.0

import CIIO
import CLinux
import OrientationCore
import POSIX

/// A running buffer of an IIO sensor, until it is closed.
///
/// A device has one buffer at a time.
// Sendable unchecked: the helper opens it and closes it after the loop has stopped reading; DeviceSource sees to that.
final class ScanBuffer: SensorBuffer, @unchecked Sendable {
    let warnings: [String]

    /// Stays silent when the device is unplugged: the kernel reports that to readers and to udev only.
    let pollDescriptor: Int32?

    // Keeps the context alive, which owns the device.
    private let sensor: IIOSensor
    private var buffer: OpaquePointer?
    private let scanSize: Int
    private let places: [Place]
    private let timestamp: Place?

    /// A channel's word in a scan.
    private struct Place {
        let element: ScanElement
        let offset: Int
    }

    /// Enables the channels, chooses the trigger and starts the buffer.
    ///
    /// Throws EBUSY when another program has the device open.
    init(of sensor: IIOSensor) throws(SystemError) {
        let device = sensor.device
        warnings = Self.chooseTrigger(of: device)
        let stamps = Self.monotonicStamps(of: device)
        for channel in device.channels where channel.isScanElement { iio_channel_disable(channel.pointer) }
        for channel in sensor.channels { iio_channel_enable(channel.pointer) }
        if let stamps { iio_channel_enable(stamps.pointer) }

        let created = iio_device_create_buffer(device.pointer, 1, false)
        let buffer = try checkSystem("open the buffer of", device.path, created)
        do {
            try check("read without waiting from", device.path, iio_buffer_set_blocking_mode(buffer, false))
            let size = iio_device_get_sample_size(device.pointer)
            let scanSize = try check("find the scan size of", device.path, size)
            func place(_ channel: IIOChannel) throws(SystemError) -> Place {
                guard let element = channel.scanElement else {
                    throw SystemError("understand the scan format of", device.path, errno: .invalid)
                }
                if let start = iio_buffer_start(buffer), let first = iio_buffer_first(buffer, channel.pointer) {
                    let offset = UnsafeRawPointer(first) - UnsafeRawPointer(start)
                    if offset >= 0, offset + element.byteCount <= scanSize {
                        return Place(element: element, offset: offset)
                    }
                }
                throw SystemError("find \(channel.id) in the scans of", device.path, errno: .invalid)
            }
            places = try sensor.channels.map(place)
            timestamp = if let stamps { try place(stamps) } else { nil }
            self.scanSize = scanSize
        } catch {
            iio_buffer_destroy(buffer)
            throw error
        }
        let descriptor = iio_buffer_get_poll_fd(buffer)
        pollDescriptor = descriptor >= 0 ? descriptor : nil
        self.buffer = buffer
        self.sensor = sensor
    }

    deinit { close() }

    func close() {
        guard let buffer else { return }
        self.buffer = nil
        iio_buffer_destroy(buffer)
    }

    /// Allocates nothing of ours.
    func next() throws(SystemError) -> RawScan? {
        guard let buffer else { return nil }
        let count = iio_buffer_refill(buffer)
        if count == -Int(EAGAIN) { return nil }
        try check("read a scan from", sensor.device.path, count)
        guard count >= scanSize, let start = iio_buffer_start(buffer) else {
            throw SystemError("read a whole scan from", sensor.device.path, errno: Errno(EBADMSG))
        }
        let scan = UnsafeRawPointer(start)
        return RawScan(
            raw: Vector3(places) { $0.element.value(at: scan + $0.offset) },
            time: timestamp.flatMap { Self.time(ofStamp: $0.element.integer(at: scan + $0.offset)) }
        )
    }

    /// The time of a stamp; nil for one that is not of the last seconds: some hubs use a clock of their own.
    private static func time(ofStamp nanoseconds: Int64) -> Double? {
        let time = Double(nanoseconds) / 1e9
        return (-0.1...2).contains(MonotonicClock.now - time) ? time : nil
    }

    /// The timestamp channel, where its clock is CLOCK_MONOTONIC or could be set to it.
    ///
    /// IIO uses CLOCK_REALTIME by default, and that clock jumps.
    private static func monotonicStamps(of device: IIODevice) -> IIOChannel? {
        guard
            let channel = device.channels.first(where: { $0.id == "timestamp" && $0.isInput }),
            channel.scanElement != nil,
            let clock = device.attribute("current_timestamp_clock")
        else { return nil }
        if (try? clock.read()) == "monotonic" { return channel }
        try? clock.write("monotonic")
        return (try? clock.read()) == "monotonic" ? channel : nil
    }

    /// Sets the driver's trigger where none is set; returns what went wrong.
    private static func chooseTrigger(of device: IIODevice) -> [String] {
        guard device.hasTrigger == false, let trigger = device.ownTrigger else { return [] }
        let result = iio_device_set_trigger(device.pointer, trigger.pointer)
        guard result < 0 else { return [] }
        let name = AttributeText.quoted(trigger.name)
        return ["\(device.path)/trigger/current_trigger: cannot set \(name): \(Errno(result)), going on without"]
    }
}
