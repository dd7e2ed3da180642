// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// Reads the sensor in three poses, in which the user at the terminal holds the device one after the other.
final class CalibrateSession {
    /// Seconds without a reading after which the last one is repeated: some sensors report changes only.
    private static let repeatDelay = 0.2

    /// Whether the unrotated display is wider than high.
    private let isWide: Bool
    private let reader: SourceReader
    private var silence: Timer?
    private var keyboard: EventSource?

    private var readings: [Vector3] = []

    private enum Phase {
        /// The sensor is being opened.
        case opening
        /// The user turns the device, and then presses Enter.
        case turning
        /// The user holds it still.
        case holding(RestDetector)
    }

    private var phase = Phase.opening
    private var latest: Vector3?

    /// Prepares the accelerometer without opening it.
    init(_ accelerometer: any SensorDevice, rate: Double, isWide: Bool) throws(SystemError) {
        self.isWide = isWide
        let loop = try EventLoop()
        // Scaled, but without the matrix: in the sensor's own axes.
        let description = accelerometer.description
        let frame = SensorFrame(offset: description.offset, scale: description.scale, convention: .kernel)
        let source = try DeviceSource(accelerometer, scaling: .acceleration(frame), rate: rate, loop: loop)
        reader = SourceReader(source, loop)
        silence = try loop.timer { [self] in if let latest { add(latest) } }
    }

    /// Guides the user through the poses and returns the reading in each; throws if that is interrupted.
    func run() throws(CommandError) -> [Vector3] {
        // After libiio's own messages, and only once although the mode may change.
        reader.onStart = { [self] in if case .opening = phase { showInstructions() } }
        reader.onSample = { [self] sample in
            latest = sample.acceleration
            add(sample.acceleration)
        }
        keyboard = try systemCall(reader.loop.watch(STDIN_FILENO) { [self] in readLine() })
        do throws(CommandError) {
            try reader.run()
            if reader.isInterrupted { throw CommandError("interrupted; nothing was written") }
        } catch {
            StandardError.write("\n")
            throw error
        }
        return readings
    }

    // MARK: - The user

    private func showInstructions() {
        phase = .turning
        let pose = MountCalibration.Pose.allCases[readings.count]
        for line in pose.instructions(isWide: isWide) { StandardError.print(line) }
        StandardError.write("Then press Enter and hold it still: ")
    }

    /// Reads the line that Enter has ended, and begins to look for a rest.
    private func readLine() {
        var line = [UInt8](repeating: 0, count: 256)
        let count = read(STDIN_FILENO, &line, line.count)
        if count == -1, Errno.current == .interrupted { return }
        guard count > 0 else {
            return reader.end(.failed(CommandError("the terminal was closed; nothing was written")))
        }
        guard case .turning = phase, reader.ending == nil else { return }
        phase = .holding(RestDetector())
        show(progress: 0)
        if latest != nil { silence?.arm(after: Self.repeatDelay) }
    }

    private func show(progress: Double) {
        let width = 20
        let done = Int(progress * Double(width))
        let bar = String(repeating: "#", count: done) + String(repeating: ".", count: width - done)
        StandardError.write("\rHold it still: \(bar)")
    }

    // MARK: - The sensor

    private func add(_ reading: Vector3) {
        guard case .holding(var detector) = phase, reader.ending == nil else { return }
        detector.update(reading, at: reader.loop.now)
        show(progress: detector.progress)
        guard let rest = detector.reading else {
            phase = .holding(detector)
            silence?.arm(after: Self.repeatDelay)
            return
        }
        silence?.disarm()
        readings.append(rest)
        StandardError.write("\n")
        if readings.count < MountCalibration.Pose.allCases.count { showInstructions() } else { reader.end() }
    }
}
