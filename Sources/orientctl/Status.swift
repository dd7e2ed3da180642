// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import SystemdBus

/// `orientctl status`: how the device is held, with a picture of it on a terminal.
enum Status {
    static let command = Command("status [--json]") { invocation throws(CommandError) in
        let client = OrientationClient(bus: try invocation.connect())
        let snapshot = try current(client)
        let sensors = try asking { () throws(BusError) in try client.sensors() }
        if invocation.isJSON {
            print(json(snapshot, sensors).pretty)
        } else {
            show(lines(snapshot, sensors), snapshot)
        }
        return .done
    }

    /// What the daemon says, with an orientation of this moment where the sensor is at rest and may be used.
    private static func current(_ client: OrientationClient) throws(CommandError) -> ManagerSnapshot {
        let before = try asking { () throws(BusError) in try client.snapshot() }
        guard before.status.sensorState == .idle else { return before }
        do throws(BusError) {
            try client.claim()
        } catch {
            // Who may not run the sensor may still read what was last seen.
            return before
        }
        var now = try asking { () throws(BusError) in try client.snapshot() }
        try asking { () throws(BusError) in try client.release() }
        now.status.sensorState = before.status.sensorState
        now.claims = before.claims
        return now
    }

    // MARK: - Text

    private static func lines(
        _ snapshot: ManagerSnapshot,
        _ sensors: [(path: String, status: SensorStatus)]
    ) -> [(label: String, value: String)] {
        let status = snapshot.status
        let gravity = [snapshot.gravity.x, snapshot.gravity.y, snapshot.gravity.z]
        var lines = [
            ("Orientation", status.deviceOrientation.name),
            ("Face", status.faceOrientation.name),
            ("Transform", "\(status.outputTransform.name) (natural: \(status.naturalOrientation.name))"),
            ("Gravity", gravity.map { decimal($0, places: 2) }.joined(separator: " ") + " g"),
            ("Claims", "\(snapshot.claims)"),
        ]
        lines.append(("Sensor", sensors.isEmpty ? "none" : status.sensorState.rawValue))
        for sensor in sensors {
            lines.append(("", Sensors.summary(sensor.status)))
        }
        lines.append(("orientd", snapshot.version))
        return lines
    }

    private static func show(_ lines: [(label: String, value: String)], _ snapshot: ManagerSnapshot) {
        guard Terminal.isOutput else {
            for line in lines { print(line.label.isEmpty ? "  \(line.value)" : "\(line.label): \(line.value)") }
            return
        }
        let picture = Pose.picture(of: snapshot.status)
        for index in 0..<max(lines.count, picture.count) {
            let left = index < picture.count ? picture[index] : String(repeating: " ", count: Pose.width)
            guard index < lines.count else {
                print(Terminal.styled(left, .accent))
                continue
            }
            let label = lines[index].label
            let padded = label + String(repeating: " ", count: 12 - label.count)
            print("\(Terminal.styled(left, .accent))  \(Terminal.styled(padded, .faint))\(lines[index].value)")
        }
    }

    // MARK: - JSON

    private static func json(
        _ snapshot: ManagerSnapshot,
        _ sensors: [(path: String, status: SensorStatus)]
    ) -> JSONObject {
        let object = JSONObject()
        object.set("Version", snapshot.version)
        object.set("HasAccelerometer", snapshot.status.hasAccelerometer)
        object.set("SensorState", snapshot.status.sensorState.rawValue)
        object.set("DeviceOrientation", snapshot.status.deviceOrientation.name)
        object.set("FaceOrientation", snapshot.status.faceOrientation.name)
        object.set("OutputTransform", snapshot.status.outputTransform.name)
        object.set("NaturalOrientation", snapshot.status.naturalOrientation.name)
        object.set("Gravity", [snapshot.gravity.x, snapshot.gravity.y, snapshot.gravity.z])
        object.set("Claims", Int(snapshot.claims))
        object.set("Sensors", sensors.map { Sensors.json($0.path, $0.status) })
        return object
    }
}
