// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import OrientationSensors
import POSIX

/// The three poses in a recording: the rests in it, in their order.
enum CalibrateTrace {
    /// Returns what the sensor read in each pose, before the frame that the trace was recorded through.
    static func readings(
        in path: String,
        recordedThrough frame: SensorFrame
    ) throws(CommandError) -> [Vector3] {
        let phases = try phases(in: path)
        let wanted = MountCalibration.Pose.allCases.count
        guard phases.count == wanted else {
            let times = phases.map { decimal($0.time, places: 1) + " s" }.joined(separator: ", ")
            throw CommandError(
                "\(path): the device is still in \(phases.count) poses, not in \(wanted)"
                    + (times.isEmpty ? "" : "; at \(times)")
            )
        }
        return phases.map { frame.reading(of: $0.reading) }
    }

    private static func phases(in path: String) throws(CommandError) -> [RestPhases.Phase] {
        var phases = RestPhases()
        try calling { () throws(SystemError) in
            var reader = try TraceReader(operand: path)
            while let record = try reader.next() {
                switch record {
                case .sample(let sample): phases.update(sample.acceleration, at: sample.time)
                case .event: break
                case .malformed(let error): complain("\(path):\(error.line): \(error)")
                }
            }
        }
        return phases.phases
    }
}
