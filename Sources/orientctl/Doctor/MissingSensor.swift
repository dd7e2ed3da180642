// SPDX-License-Identifier: Apache-2.0

import SystemdBus

/// What there is on a machine without an accelerometer, where no sensor hub explains that.
enum MissingSensor {
    static var finding: Finding {
        func names(_ devices: [Device]) -> String {
            devices.map { $0.attribute("name") ?? $0.name }.joined(separator: ", ")
        }
        // Not the buses themselves, which are in the same subsystems.
        let chips = (SensorHubs.all("i2c") + SensorHubs.all("spi")).filter { $0.attribute("modalias") != nil }
        let withoutDriver = names((chips + SensorHubs.accelerometers).filter { $0.property("DRIVER") == nil })
        guard withoutDriver.isEmpty else {
            let text = "\(SensorHubs.missing): no driver is loaded for \(withoutDriver), which may be one"
            return .fail(text, remedy: .loadDrivers)
        }
        let others = names(SensorHubs.all("iio", "iio:device*"))
        let found = others.isEmpty ? "none" : "other sensors only (\(others))"
        let text =
            "\(SensorHubs.missing): the kernel has found \(found); orientctl(1), DIAGNOSIS, lists what to look at"
        return .fail(text, remedy: .command("sudo journalctl -k -b -g 'iio|accel|sensor'"))
    }
}
