// SPDX-License-Identifier: Apache-2.0

import CLinux
package import OrientationCore
package import POSIX
package import SystemdBus

/// A device that is turned by a quarter every three seconds, for trying things out without a sensor.
package final class SimulatedSource: SensorSource {
    private static let restTime = 2.5
    private static let turnTime = 0.5

    package var onEvent: ((SourceEvent) -> Void)?
    package let mode = SensorMode.simulation
    package let sampleRate: Double

    private let loop: EventLoop
    private var timer: Timer?
    private var count = 0
    private var isRunning = false

    package init(rate: Double, loop: EventLoop) throws(SystemError) {
        sampleRate = rate
        self.loop = loop
        timer = try loop.timer(owned(by: self) { $0.tick() })
    }

    package var isClosed: Bool { !isRunning }

    package func start() {
        guard !isRunning else { return }
        isRunning = true
        onEvent?(.report(.started(warnings: [])))
        tick()
    }

    package func stop() {
        isRunning = false
        timer?.disarm()
    }

    private func tick() {
        timer?.arm(after: 1 / sampleRate)
        let acceleration = Self.acceleration(at: Double(count) / sampleRate)
        count += 1
        onEvent?(.sample(AccelerometerSample(time: loop.now, acceleration: acceleration)))
    }

    /// Upright at first, leaning back by 20°, then turned counter-clockwise again and again.
    static func acceleration(at time: Double) -> Vector3 {
        let period = restTime + turnTime
        let turns = (time / period).rounded(.down)
        let progress = max(0, (time - turns * period - restTime) / turnTime)
        let angle = (turns + progress) * .pi / 2
        let inPlane = 9.80665 * cos(20 * .pi / 180)
        return Vector3(inPlane * sin(angle), inPlane * cos(angle), 9.80665 * sin(20 * .pi / 180))
    }
}
