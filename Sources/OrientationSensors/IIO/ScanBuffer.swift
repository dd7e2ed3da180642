// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import POSIX

/// A running buffer of an IIO sensor, until it is closed.
///
/// A device has one buffer at a time.
// Sendable unchecked: the helper opens it and closes it after the loop has stopped reading; DeviceDriver sees to that.
final class ScanBuffer: SensorBuffer, @unchecked Sendable {
    let warnings: [String]

    /// Stays silent when the device is unplugged: the kernel reports that to readers and to udev only.
    var pollDescriptor: Int32? { file?.rawValue }

    private let source: ScanSource
    private var file: FileDescriptor?
    private let scan: UnsafeMutableRawBufferPointer
    private let places: [Place]
    private let timestamp: Place?

    /// A channel's word in a scan.
    private struct Place {
        let element: ScanElement
        let offset: Int
    }

    /// Chooses the trigger, enables the channels and starts the buffer.
    ///
    /// Throws EBUSY if another program has opened the device.
    init(of source: ScanSource) throws(SystemError) {
        self.source = source
        warnings = source.chooseTrigger()
        let stamps = source.monotonicTimestamp()
        let elements = source.elements + [stamps].compactMap { $0 }
        let layout = ScanLayout(elements)
        let file: FileDescriptor
        do throws(SystemError) {
            file = try source.start(with: elements)
        } catch {
            throw SystemError("open the buffer of", source.path, errno: error.errno)
        }
        self.file = file
        let all = elements.indices.map { Place(element: elements[$0], offset: layout.offsets[$0]) }
        places = Array(all.prefix(source.elements.count))
        timestamp = stamps == nil ? nil : all.last
        scan = .allocate(byteCount: layout.size, alignment: 8)
    }

    deinit {
        close()
        scan.deallocate()
    }

    func close() {
        guard file != nil else { return }
        file = nil
        // Fails only for a device that is gone.
        try? source.stop()
        try? source.disableChannels()
    }

    /// A buffer that runs cannot be resized.
    func extend(to scans: Int) throws(SystemError) {
        try source.stop()
        try source.run(keeping: scans)
    }

    /// Allocates nothing.
    func next() throws(SystemError) -> RawScan? {
        guard let file, let start = scan.baseAddress else { return nil }
        let count = retryingInterrupted { CLinux.read(file.rawValue, start, scan.count) }
        if count < 0, Errno.current.code == EAGAIN { return nil }
        try checkSystem("read a scan from", source.path, count)
        guard count == scan.count else {
            throw SystemError("read a whole scan from", source.path, errno: Errno(count == 0 ? EIO : EBADMSG))
        }
        return RawScan(
            raw: Vector3(places) { $0.element.value(at: start + $0.offset) },
            time: timestamp.flatMap { Self.time(ofStamp: $0.element.integer(at: start + $0.offset)) }
        )
    }

    /// The time of a stamp; nil for one that is not of the last seconds: some hubs use a clock of their own.
    private static func time(ofStamp nanoseconds: Int64) -> Double? {
        let time = Double(nanoseconds) / 1e9
        return (-0.1...2).contains(MonotonicClock.now - time) ? time : nil
    }
}
