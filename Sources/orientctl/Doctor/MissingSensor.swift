// SPDX-License-Identifier: Apache-2.0

import SystemdBus

/// What there is on a machine without an accelerometer, where no sensor hub explains that.
struct MissingSensor {
    /// The names of devices on the buses of sensors that have no driver.
    var withoutDriver: [String] = []
    /// The names of sensors of other kinds.
    var others: [String] = []

    var finding: Finding {
        guard withoutDriver.isEmpty else {
            let names = withoutDriver.joined(separator: ", ")
            let text = "\(SensorHubs.missing): no driver is loaded for \(names), which may be one"
            return .fail(text, remedy: .loadDrivers)
        }
        let found = others.isEmpty ? "none" : "other sensors only (\(others.joined(separator: ", ")))"
        let text =
            "\(SensorHubs.missing): the kernel has found \(found); orientctl(1), DIAGNOSIS, lists what to look at"
        return .fail(text, remedy: .command("sudo journalctl -k -b -g 'iio|accel|sensor'"))
    }

    static var ofThisMachine: MissingSensor {
        func name(_ device: Device) -> String { device.attribute("name") ?? device.name }
        // Not the buses themselves, which are in the same subsystems.
        let chips = (SensorHubs.all("i2c") + SensorHubs.all("spi")).filter { $0.attribute("modalias") != nil }
        return MissingSensor(
            withoutDriver: (chips + SensorHubs.accelerometers).filter { $0.property("DRIVER") == nil }.map(name),
            others: SensorHubs.all("iio", "iio:device*").map(name)
        )
    }
}
