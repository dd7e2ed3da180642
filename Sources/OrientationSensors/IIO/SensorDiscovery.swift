// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import SystemdBus

/// Describes one sensor, with a warning and a default for each invalid value.
struct SensorDiscovery {
    let kind: SensorKind
    let device: IIODevice

    /// The channels that the sensor's values are from.
    let measuring: [IIOChannel]
    private(set) var warnings: [String] = []

    /// Describes the sensor; nil where it cannot be used, with a warning.
    mutating func describe(isProcessed: Bool, canPoll: Bool, canBuffer: Bool) -> SensorDescription? {
        let id = device.id
        let isLocal = device.isLocal
        guard let traits = traits() else { return nil }
        return SensorDescription(
            id: id,
            name: device.name,
            sysfsPath: isLocal ? device.path : "",
            devicePath: isLocal ? device.udev?.devnode ?? "/dev/" + id : "",
            offset: isProcessed ? .zero : Vector3(measuring) { offset($0) },
            scale: isProcessed ? Vector3(1, 1, 1) : Vector3(measuring) { scale($0) },
            traits: traits,
            period: period,
            // The firmware's light sensor, which never changes on some machines: hadess/iio-sensor-proxy#119, #172, #214.
            isSubstitute: device.name == "acpi-als",
            canPoll: canPoll,
            canBuffer: canBuffer
        )
    }

    private mutating func traits() -> SensorTraits? {
        switch kind {
        case .accelerometer: .accelerometer(mounting())
        // The kernel has no unit for intensities; drivers that offer nothing better scale them to something like lux.
        case .ambientLight: .ambientLight(.lux)
        case .proximity: nearLevel().map { .proximity(nearLevel: $0) }
        case .compass: .compass
        case .hinge: .hinge
        }
    }

    /// As long as the measurement allows: each reading is a wake-up.
    private var period: Double? {
        switch kind {
        case .accelerometer: nil
        case .ambientLight:
            // More often a chip returns the same value. Some drivers give hundreds: milliseconds.
            min(max(0.8, number("integration_time") ?? 0), 2)
        // A screen must go dark at the ear, and come back, without delay.
        case .proximity: 0.25
        case .compass: 0.2
        // A hub is powered up for each reading.
        case .hinge: 1
        }
    }

    private mutating func mounting() -> AccelerometerMounting {
        AccelerometerMounting(
            path: device.path,
            name: device.name,
            udev: device.udev,
            matrixFile: measuring[0].attribute("mount_matrix"),
            label: device.label,
            locationFile: device.attribute("location"),
            device.progress,
            warnings: &warnings
        )
    }

    /// The number of an attribute of the first channel; nil where there is none.
    private func number(_ attribute: String) -> Double? {
        measuring[0].attribute(attribute).flatMap { attribute in try? device.progress.number(of: attribute) }
    }

    /// The near level from udev's database, else from the firmware; values have no unit, so there is no default.
    private mutating func nearLevel() -> Double? {
        if let text = device.udev?.property("PROXIMITY_NEAR_LEVEL") {
            if let level = AttributeText.number(text), level > 0 { return level }
            warn("PROXIMITY_NEAR_LEVEL of " + device.path + ": " + AttributeText.quoted(text) + " is no level, ignored")
        }
        if let level = number("nearlevel"), level > 0 { return level }
        warn(device.path + ": neither PROXIMITY_NEAR_LEVEL nor in_proximity_nearlevel for a proximity sensor, not used")
        return nil
    }

    // MARK: - Scale and offset

    private mutating func scale(_ channel: IIOChannel) -> Double {
        guard let attribute = channel.attribute("scale") else {
            // cros_ec_lid_angle has none and reads degrees; every other angle of IIO is in radians.
            // One light step is one lux for some drivers; no driver's step of acceleration is 1 m/s².
            if kind == .accelerometer { warn(device.path + "/in_accel_scale: missing, using 1") }
            return 1
        }
        let scale = number(attribute, what: "a usable scale", otherwise: 1) { $0 > 0 }
        return kind == .hinge ? scale * 180 / .pi : scale
    }

    private mutating func offset(_ channel: IIOChannel) -> Double {
        guard let attribute = channel.attribute("offset") else { return 0 }
        return number(attribute, what: "a usable offset", otherwise: 0) { _ in true }
    }

    private mutating func number(
        _ attribute: IIOAttribute,
        what: String,
        otherwise substitute: Double,
        where isUsable: (Double) -> Bool
    ) -> Double {
        let instead = ", using " + AttributeText.shortest(substitute)
        do {
            let text = try device.progress.text(of: attribute)
            if let number = AttributeText.number(text), isUsable(number) { return number }
            warn(attribute.path + ": " + AttributeText.quoted(text) + " is not " + what + instead)
        } catch {
            warn(attribute.path + ": \(error.errno)" + instead)
        }
        return substitute
    }

    private mutating func warn(_ line: String) {
        // Three channels that share a file warn once.
        if !warnings.contains(line) { warnings.append(line) }
    }
}
