// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// The three poses of one device, held by the person at the terminal one after the other.
final class CalibrateSession {
    /// Seconds without a reading after which the last one is taken again: some sensors tell of changes only.
    private static let longestWait = 0.2

    private let guide: CalibrateGuide
    private let loop: EventLoop
    private let path: String
    private let source: DeviceSource
    private var silence: Timer?
    private var failure: CommandError?

    /// The readings of the poses so far.
    private var readings: [Vector3] = []

    /// Whether the first pose was asked for.
    private var isAsking = false
    private var isEnding = false

    /// What tells when the device is still; nil while the person turns it.
    private var detector: RestDetector?
    private var latest: Vector3?

    /// Prepares the accelerometer, which is not opened yet.
    init(_ accelerometer: any SensorDevice, rate: Double, guide: CalibrateGuide) throws(CommandError) {
        let loop = try calling { () throws(SystemError) in try EventLoop() }
        self.guide = guide
        self.loop = loop
        path = accelerometer.description.devicePath
        // Scaled, but before the matrix: in the axes of the sensor itself.
        let frame = SensorFrame(
            offset: accelerometer.description.offset,
            scale: accelerometer.description.scale,
            convention: .kernel
        )
        source = try calling { () throws(SystemError) in
            try DeviceSource(accelerometer, scaling: .acceleration(frame), rate: rate, loop: loop)
        }
        silence = try calling { () throws(SystemError) in
            try loop.timer { [unowned(unsafe) self] in repeatLatest() }
        }
    }

    /// Leads through the poses and returns what the sensor read in each; throws when the person ends it before.
    func run() throws(CommandError) -> [Vector3] {
        let (keyboard, termination) = try calling { () throws(SystemError) in
            (
                try loop.watch(STDIN_FILENO) { [self] in answered() },
                try loop.onTermination { [self] in end(CommandError("interrupted; nothing was written")) }
            )
        }
        source.onEvent = { [self] event in take(event) }
        source.start()
        _ = try calling { () throws(SystemError) in try loop.run() }
        withExtendedLifetime((keyboard, termination)) {}
        if let failure { throw failure }
        termination.cancel()
        return readings
    }

    // MARK: - The person

    private func ask() {
        isAsking = true
        for line in guide.lines(for: MountCalibration.Pose.allCases[readings.count]) { StandardError.print(line) }
        StandardError.write("Then press Enter and hold it still: ")
    }

    /// Takes the line that Enter has ended.
    private func answered() {
        var line = [UInt8](repeating: 0, count: 256)
        let count = read(STDIN_FILENO, &line, line.count)
        if count == -1, Errno.current == .interrupted { return }
        guard count > 0 else { return end(CommandError("the terminal has gone; nothing was written")) }
        guard isAsking, !isEnding, detector == nil else { return }
        detector = RestDetector()
        show(progress: 0)
        if latest != nil { silence?.arm(after: Self.longestWait) }
    }

    private func show(progress: Double) {
        let width = 20
        let done = Int(progress * Double(width))
        let bar = String(repeating: "#", count: done) + String(repeating: ".", count: width - done)
        StandardError.write("\rHold it still: \(bar)")
    }

    // MARK: - The sensor

    private func take(_ event: SourceEvent) {
        switch event {
        case .started(let warnings):
            for warning in warnings { complain("warning: \(warning)") }
            // Not before, so that what libiio itself prints does not come in between; and once, though the mode changes.
            if !isAsking { ask() }
        case .sample(let measurement):
            guard case .acceleration(let sample) = measurement else { return }
            latest = sample.acceleration
            take(sample.acceleration)
        case .stalled(let problem):
            complain("warning: \(problem)")
        case .ended:
            end(CommandError("\(path) has ended"))
        case .failed(let reason):
            // A node opens once, and desktops have orientd read it all the time.
            let hint = latest == nil ? "; if orientd has it: sudo systemctl stop orientd, and start it afterwards" : ""
            end(CommandError(reason + hint))
        }
    }

    private func repeatLatest() {
        if let latest { take(latest) }
    }

    private func take(_ reading: Vector3) {
        guard var detector else { return }
        detector.update(reading, at: loop.now)
        show(progress: detector.progress)
        guard let rest = detector.reading else {
            self.detector = detector
            silence?.arm(after: Self.longestWait)
            return
        }
        self.detector = nil
        silence?.disarm()
        readings.append(rest)
        StandardError.write("\n")
        if readings.count < MountCalibration.Pose.allCases.count { ask() } else { end(nil) }
    }

    /// Ends when the sensor is back as it was found.
    private func end(_ failure: CommandError?) {
        self.failure = self.failure ?? failure
        guard !isEnding else { return }
        isEnding = true
        if failure != nil { StandardError.write("\n") }
        silence?.disarm()
        source.onEvent = nil
        source.stop { [self] in loop.exit() }
    }
}
