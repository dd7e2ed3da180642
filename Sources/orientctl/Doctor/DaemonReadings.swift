// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// The daemon's gravity for some seconds, read while the sensor is claimed.
struct DaemonReadings {
    /// One sample for each change.
    private(set) var samples: [AccelerometerSample] = []

    /// The sensor in use; nil if the daemon has none.
    let sensor: SensorStatus?

    /// Seconds from the first answer to the last.
    let duration: Double

    init(_ bus: Bus, seconds: Double) throws(BusError) {
        try bus.callDaemon("Claim")
        let start = MonotonicClock.now
        var clock = TraceClock()
        var last = Vector3.zero
        repeat {
            let gravity = try bus.readManager().gravity
            if gravity != last {
                last = gravity
                let acceleration = gravity * -AccelerometerSample.standardGravity
                let time = clock.time(at: MonotonicClock.now)
                samples.append(AccelerometerSample(time: time, acceleration: acceleration))
            }
            CLinux.poll(nil, 0, 4)
        } while MonotonicClock.now - start < seconds
        duration = MonotonicClock.now - start
        let sensors = try bus.readSensors().map { $0.status }
        sensor = sensors.first { $0.state == .sampling } ?? sensors.first { $0.location != .base }
        try bus.callDaemon("Release")
    }
}
