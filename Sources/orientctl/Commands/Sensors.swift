// SPDX-License-Identifier: Apache-2.0

import JSON
import OrientationBus
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// `orientctl sensors`: every accelerometer that the daemon knows, unused ones included.
enum Sensors {
    static let command = Command(
        name: "sensors",
        summary: "list the accelerometers",
        description: "Lists the accelerometers that orientd knows, also those that do not determine the orientation."
    ) { invocation throws(CommandError) in
        let bus = try invocation.connect()
        var sensors = try busCall(bus.readSensors())
        if sensors.isEmpty {
            ServiceChecks.awaitStart(bus)
            sensors = try busCall(bus.readSensors())
        }
        for value in sensors.flatMap({ $0.unknown }) { complain(value.ofLaterVersion) }
        let core = invocation.isJSON || bus.address != .system ? [] : coreOrientation
        try emit(invocation.isJSON ? sensors.map { json($0.path, $0.status).line } : text(sensors, core))
    }

    /// The sensors as text; `core` says what else there is.
    static func text(_ sensors: [ListedSensor], _ core: [String]) -> [String] {
        (sensors.isEmpty ? ["no accelerometer"] : sensors.flatMap { lines($0.path, $0.status) }) + core
    }

    /// The sensor by which Qualcomm's sensor core itself determines the orientation; asks the core, if there is one.
    private static var coreOrientation: [String] {
        guard let nodes = try? SensorCore.nodes, !nodes.isEmpty,
            case .sensors(let types)? = try? SensorCoreProbe(seconds: 1).stage,
            types.contains(SensorCoreProbe.orientation)
        else { return [] }
        return ["\(SensorCoreProbe.orientation) of Qualcomm's sensor core is not used"]
    }

    /// Describes a sensor in one line.
    static func summary(_ status: SensorStatus) -> String {
        let rate = status.sampleRate > 0 ? " at \(decimal(status.sampleRate, places: 0)) Hz" : ""
        let error = status.lastError.isEmpty ? "" : ": \(status.lastError)"
        let level = status.state == .sampling && status.sensingLevel != .stream ? " (\(status.sensingLevel))" : ""
        let state = status.hasRecordingEnded ? "recording has ended" : "\(status.state.name)\(level)\(error)"
        // An idle sensor has not been tried.
        let mode = status.mode == .simulation || status.state == .idle ? "" : ", \(status.mode)"
        let place = status.location == .unknown ? "place unknown" : status.location.name
        return printable("\(status.name) (\(place))\(mode)\(rate), \(state)")
    }

    private static func lines(_ path: String, _ status: SensorStatus) -> [String] {
        let rows = stride(from: 0, to: status.mountMatrix.count, by: 3).map { start in
            status.mountMatrix[start..<min(start + 3, status.mountMatrix.count)]
                .map { decimal($0, places: $0 == $0.rounded() ? 0 : 3) }.joined(separator: ", ")
        }
        let sysfs = status.sysfsPath.isEmpty ? [] : ["  \(printable(status.sysfsPath))"]
        return [Terminal.styled(path, .accent), "  \(summary(status))"] + sysfs
            + ["  mount matrix \(rows.joined(separator: "; "))"]
            + (status.faceUpReason.map { ["  face up reads \($0.words(status.faceUp))"] } ?? [])
    }

    static func json(_ path: String, _ status: SensorStatus) -> JSONValue {
        let object = JSONValue(["Path": .text(path)])
        for property in SensorStatus.properties { object.set(property.name, property.value(of: status)) }
        return object
    }
}

extension SensorFrame.FaceUpReason {
    /// The sign of z with what it follows from, for people.
    func words(_ sign: SensorFrame.FaceUp) -> String {
        switch self {
        case .matrix: "\(sign), from the matrix"
        case .driver: "\(sign), from the driver, no matrix"
        case .configured: "\(sign), configured"
        }
    }
}

extension SensorStatus {
    /// Whether this is a recording that the daemon has replayed to its end.
    var hasRecordingEnded: Bool { mode == .replay && lastError == SensorLog.recordingEnded }
}
