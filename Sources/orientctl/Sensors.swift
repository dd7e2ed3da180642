// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import SystemdBus

/// `orientctl sensors`: every accelerometer that the daemon knows, with what drives nothing included.
enum Sensors {
    static let command = Command("sensors [--json]") { invocation throws(CommandError) in
        let client = OrientationClient(bus: try invocation.connect())
        let sensors = try asking { () throws(BusError) in try client.sensors() }
        if invocation.isJSON {
            try emit(sensors.map { json($0.path, $0.status).line })
        } else if sensors.isEmpty {
            try emit(["no accelerometer"])
        } else {
            try emit(sensors.flatMap { lines($0.path, $0.status) })
        }
        return .done
    }

    /// One line about a sensor.
    static func summary(_ status: SensorStatus) -> String {
        let rate = status.sampleRate > 0 ? " at \(decimal(status.sampleRate, places: 0)) Hz" : ""
        let error = status.lastError.isEmpty ? "" : ": \(status.lastError)"
        return printable("\(status.name) (\(status.location)), \(status.mode)\(rate), \(status.state.name)\(error)")
    }

    private static func lines(_ path: String, _ status: SensorStatus) -> [String] {
        let rows = stride(from: 0, to: status.mountMatrix.count, by: 3).map { start in
            status.mountMatrix[start..<min(start + 3, status.mountMatrix.count)]
                .map { decimal($0, places: $0 == $0.rounded() ? 0 : 3) }.joined(separator: ", ")
        }
        let place = status.sysfsPath.isEmpty ? [] : ["  \(printable(status.sysfsPath))"]
        return [Terminal.styled(path, .accent), "  \(summary(status))"] + place
            + ["  mount matrix \(rows.joined(separator: "; "))"]
    }

    static func json(_ path: String, _ status: SensorStatus) -> JSONObject {
        let object = JSONObject()
        object.set("Path", path)
        for property in SensorStatus.properties { object.set(property.name, property.value(status)) }
        return object
    }
}
