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
    private let words: [ScanElement]
    private let timestamp: ScanElement?

    /// Chooses the trigger, enables the channels and starts the buffer.
    ///
    /// Throws EBUSY if another program has opened the device.
    init(of source: ScanSource) throws(SystemError) {
        self.source = source
        warnings = source.chooseTrigger()
        let stamps = source.monotonicTimestamp()
        var words = source.elements + [stamps].compactMap { $0 }
        let size = ScanElement.layOut(&words)
        let file: FileDescriptor
        do throws(SystemError) {
            file = try source.start(with: words)
        } catch {
            throw SystemError("open the buffer of", source.path, errno: error.errno)
        }
        self.file = file
        timestamp = stamps == nil ? nil : words.removeLast()
        self.words = words
        scan = .allocate(byteCount: size, alignment: 8)
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
            raw: Vector3(words) { $0.value(in: start) },
            time: timestamp.flatMap { Self.time(ofStamp: $0.integer(in: start)) }
        )
    }

    /// The time of a stamp; nil for one that is not of the last seconds: some hubs use a clock of their own.
    private static func time(ofStamp nanoseconds: Int64) -> Double? {
        let time = Double(nanoseconds) / 1e9
        return (-0.1...2).contains(MonotonicClock.now - time) ? time : nil
    }
}
