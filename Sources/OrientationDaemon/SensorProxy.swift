// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

extension SensorProxyObject {
    /// The unit of iio-sensor-proxy, which has the name wherever it is installed.
    private static let unit = "iio-sensor-proxy.service"

    /// Says whether to serve, and logs why not where nobody has chosen.
    static func isWanted(_ choice: Bool?, log: Log) -> Bool {
        if let choice { return choice }
        guard let path = UnitFile.path(of: unit) else { return true }
        let reason = "because iio-sensor-proxy is installed (\(path)); SensorProxy=yes serves it"
        log.info("\(service) is not served, \(reason)")
        return false
    }

    /// Publishes a reading of a sensor that only this name serves.
    func publish(_ measurement: Measurement) {
        switch measurement {
        case .acceleration, .angle: break
        case .light(let level, let unit):
            publish([.text(unit == .lux ? "lux" : "vendor"), .decimal(level)], of: .ambientLight)
        case .proximity(let isNear): publish([.flag(isNear)], of: .proximity)
        case .heading(let degrees): publish([.decimal(degrees)], of: .compass)
        }
    }

    /// Owns the name, or waits until it is free; a bus that does not grant it is no reason to end.
    static func ownName(on bus: Bus, log: Log) {
        do throws(SystemError) {
            guard let owner = try bus.ownWhenFree(service) else { return }
            log.info("\(owner) has \(service); it is served here when that one ends")
        } catch {
            log.warning("\(error)")
        }
    }
}
