// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// Reads the sensor in three poses, in which the user at the terminal holds the device one after the other.
final class CalibrateSession {
    /// Seconds without a reading after which the last one is repeated: some sensors report changes only.
    private static let repeatDelay = 0.2

    private let guide: CalibrateGuide
    private let loop: EventLoop
    private let path: String
    private let source: DeviceSource
    private var silence: Timer?
    private var failure: CommandError?

    /// The readings of the poses so far.
    private var readings: [Vector3] = []

    /// Whether the instructions for the first pose have been printed.
    private var hasStarted = false
    private var isEnding = false

    /// Detects when the device is still; nil while the user turns it.
    private var detector: RestDetector?
    private var latest: Vector3?

    /// Prepares the accelerometer without opening it.
    init(_ accelerometer: any SensorDevice, rate: Double, guide: CalibrateGuide) throws(SystemError) {
        self.guide = guide
        loop = try EventLoop()
        path = accelerometer.description.devicePath
        // Scaled, but without the matrix: in the sensor's own axes.
        let description = accelerometer.description
        let frame = SensorFrame(offset: description.offset, scale: description.scale, convention: .kernel)
        source = try DeviceSource(accelerometer, scaling: .acceleration(frame), rate: rate, loop: loop)
        silence = try loop.timer { [unowned(unsafe) self] in if let latest { add(latest) } }
    }

    /// Guides the user through the poses and returns the reading in each; throws if that is interrupted.
    func run() throws(CommandError) -> [Vector3] {
        let termination = try systemCall(readPoses())
        if let failure { throw failure }
        termination.cancel()
        return readings
    }

    /// Runs the loop until all poses are read, or the user or the sensor ends that.
    private func readPoses() throws(SystemError) -> TerminationWatch {
        let keyboard = try loop.watch(STDIN_FILENO) { [self] in readLine() }
        let termination = try loop.onTermination { [self] in end(CommandError("interrupted; nothing was written")) }
        source.onEvent = { [self] event in handle(event) }
        source.start()
        _ = try loop.run()
        withExtendedLifetime(keyboard) {}
        return termination
    }

    // MARK: - The user

    private func showInstructions() {
        hasStarted = true
        for line in guide.lines(for: MountCalibration.Pose.allCases[readings.count]) { StandardError.print(line) }
        StandardError.write("Then press Enter and hold it still: ")
    }

    /// Reads the line that Enter has ended, and begins to look for a rest.
    private func readLine() {
        var line = [UInt8](repeating: 0, count: 256)
        let count = read(STDIN_FILENO, &line, line.count)
        if count == -1, Errno.current == .interrupted { return }
        guard count > 0 else { return end(CommandError("the terminal was closed; nothing was written")) }
        guard hasStarted, !isEnding, detector == nil else { return }
        detector = RestDetector()
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

    private func handle(_ event: SourceEvent) {
        switch event {
        case .report(.closed(let warnings)): for warning in warnings { complain("warning: \(warning)") }
        case .report(.started(let warnings)):
            for warning in warnings { complain("warning: \(warning)") }
            // After libiio's own messages, and only once although the mode may change.
            if !hasStarted { showInstructions() }
        case .sample(let measurement):
            guard case .acceleration(let sample) = measurement else { return }
            latest = sample.acceleration
            add(sample.acceleration)
        case .report(.stalled(let problem)), .report(.silent(let problem)): complain("warning: \(problem)")
        case .ended: end(CommandError("\(path) was removed"))
        case .report(.failed(let reason)):
            // A device node can be opened once, and orientd may have it open.
            let hint = latest == nil ? "; if orientd uses it, stop it meanwhile: sudo systemctl stop orientd" : ""
            end(CommandError(reason + hint))
        }
    }

    private func add(_ reading: Vector3) {
        guard var detector else { return }
        detector.update(reading, at: loop.now)
        show(progress: detector.progress)
        guard let rest = detector.reading else {
            self.detector = detector
            silence?.arm(after: Self.repeatDelay)
            return
        }
        self.detector = nil
        silence?.disarm()
        readings.append(rest)
        StandardError.write("\n")
        if readings.count < MountCalibration.Pose.allCases.count { showInstructions() } else { end(nil) }
    }

    /// Ends once the source has restored the sensor's settings.
    private func end(_ failure: CommandError?) {
        self.failure = self.failure ?? failure
        guard !isEnding else { return }
        isEnding = true
        if failure != nil { StandardError.write("\n") }
        silence?.disarm()
        source.close { [self] in loop.exit() }
    }
}
