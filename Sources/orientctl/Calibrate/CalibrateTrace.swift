// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import OrientationSensors

/// The three poses in a recording: its rests, in their order.
enum CalibrateTrace {
    /// Returns the sensor's reading in each pose, before the frame that the trace was recorded through.
    static func readings(in path: String, recordedThrough frame: SensorFrame) throws(CommandError) -> [Vector3] {
        var phases = RestPhases()
        var reader = try systemCall(TraceReader(operand: path))
        while let record = try systemCall(reader.next()) {
            switch record {
            case .sample(let sample): phases.update(sample.acceleration, at: sample.time)
            case .event: break
            case .malformed(let error):
                try error.rejectOtherFile(path)
                complain("\(path):\(error.line): \(error)")
            }
        }
        let (found, wanted) = (phases.phases, MountCalibration.Pose.allCases.count)
        guard found.count == wanted else {
            let times = found.map { decimal($0.time, places: 1) + " s" }.joined(separator: ", ")
            let places = times.isEmpty ? "" : ", at \(times)"
            throw CommandError("\(path): the device rests in \(found.count) poses instead of \(wanted)\(places)")
        }
        return found.map { frame.reading(of: $0.reading) }
    }
}
