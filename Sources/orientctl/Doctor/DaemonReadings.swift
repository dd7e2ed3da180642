// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// The daemon's gravity, polled while it samples.
struct DaemonReadings {
    /// One sample for each change.
    private(set) var samples: [AccelerometerSample] = []

    /// The sensor in use; nil if the daemon has none.
    private(set) var sensor: SensorStatus?

    /// Why the daemon does not sample for this user.
    private(set) var refusal: BusError?

    /// Seconds from the first answer to the last.
    private(set) var duration = 0.0

    init(_ bus: Bus, seconds: Double) {
        do throws(BusError) {
            try bus.callDaemon("Claim")
            let start = MonotonicClock.now
            var clock = TraceClock()
            var last = Vector3.zero
            repeat {
                let gravity = try bus.readManager().gravity
                if gravity != last {
                    last = gravity
                    let time = clock.time(at: MonotonicClock.now)
                    let acceleration = gravity * -AccelerometerSample.standardGravity
                    samples.append(AccelerometerSample(time: time, acceleration: acceleration))
                }
                CLinux.poll(nil, 0, 4)
            } while MonotonicClock.now - start < seconds
            duration = MonotonicClock.now - start
            let sensors = try bus.readSensors().map { $0.status }
            sensor = sensors.first { $0.state == .sampling } ?? sensors.first { $0.location != .base }
            try bus.callDaemon("Release")
        } catch {
            refusal = error
        }
    }
}
