// SPDX-License-Identifier: Apache-2.0

import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// What `orientctl doctor` says of accelerometers that may be in another place than orientd takes them for.
enum SensorPlaces {
    /// An accelerometer of unknown place, with the glob of its record in hwdb; nil where udev does not look it up.
    struct Unknown: Hashable {
        let name: String
        let match: String?
        /// The kernel's name of the parent, as in rules of udev.
        let parent: String
    }

    static func findings(_ system: SystemState) -> [Finding] {
        guard system.configuration.source.isLocal else { return [] }
        return unknown(system) + unused()
    }

    private static func unknown(_ system: SystemState) -> [Finding] {
        // Another one that is known to be in the display is used.
        guard let used = system.accelerometer?.description, used.mounting?.location == .unknown else { return [] }
        let others = system.accelerometers.map { $0.description }.filter {
            $0.mounting?.location == .unknown && $0.isSubstitute == used.isSubstitute && $0.id != used.id
        }
        return finding(([used] + others).map { Unknown($0) }).map { [$0] } ?? []
    }

    /// Says how to mark accelerometers of unknown place, of which the first is used; nil if there are not several.
    static func finding(_ sensors: [Unknown]) -> Finding? {
        guard sensors.count > 1, let first = sensors.first else { return nil }
        let matches = sensors.compactMap { $0.match }
        let isInHwdb = Set(matches).count == sensors.count
        let file = isInHwdb ? HwdbEntry.standardPath : "/etc/udev/rules.d/61-sensor-local.rules"
        let lines = sensors.map { sensor in
            let place = sensor == first ? "display" : "base"
            return isInHwdb
                ? "\"\(sensor.match ?? "")\" \" ACCEL_LOCATION=\(place)\""
                : "'SUBSYSTEM==\"iio\", KERNELS==\"\(sensor.parent)\", ENV{ACCEL_LOCATION}=\"\(place)\"'"
        }
        let text = """
            the places of \(sensors.count) accelerometers are unknown: \(first.name) is used as the display's, and may be \
            that of the base; these lines in \(file), with display and base exchanged if need be, say where they are: \
            \(lines.joined(separator: ", "))
            """
        let update = isInHwdb ? "systemd-hwdb update" : "udevadm control --reload"
        return .warn(text, remedy: .change("sudoedit \(file); sudo \(update); sudo udevadm trigger -s iio"))
    }

    private static func unused() -> [Finding] {
        let nodes = Device.found("input", "event*").map { node in
            (name: EventNode.deviceName(of: node), node, EventNode.exclusion(of: node))
        }
        let devices = Device.found("iio", "iio:device*").filter { $0.attribute("in_accel_x_raw") != nil }.map {
            device in
            (name: device.attribute("name") ?? "", device, AccelerometerMounting.exclusion(of: device))
        }
        return (nodes + devices).compactMap { name, device, reason in
            reason.map { .ok("\(name) at \(device.name) is not used: \($0)") }
        }
    }
}

extension SensorPlaces.Unknown {
    fileprivate init(_ description: SensorDescription) {
        let device = try? Device(syspath: description.sysfsPath)
        name = "\(description.name) at \(description.id)"
        match = device.flatMap { HwdbEntry.match(for: $0) }
        // As the path has it: udev's database knows a parent only if it is a device.
        let folders = description.sysfsPath.utf8.split(separator: UInt8(ascii: "/"))
        parent = folders.dropLast().last.map { String(Substring($0)) } ?? ""
    }
}
