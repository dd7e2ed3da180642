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

    /// Publishes the orientation, and answers the claims that wait for it.
    func publish(_ effects: Effects) {
        guard
            effects.proxied != status.accelerometer
                || effects.hasFirstAnswer != status.read.contains(.accelerometer)
        else { return }
        var status = status
        status.accelerometer = effects.proxied
        status.setRead(.accelerometer, effects.hasFirstAnswer)
        self.status = status
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

extension SensorProxyStatus {
    /// Stores a reading of a sensor that only this name serves; keeps the last value if it is not finite.
    mutating func store(_ measurement: Measurement) {
        switch measurement {
        case .acceleration: break
        case .light(let level, let unit):
            read.insert(.ambientLight)
            if level.isFinite { (lightLevel, lightIsInLux) = (level, unit == .lux) }
        case .proximity(let isNear):
            read.insert(.proximity)
            self.isNear = isNear
        case .heading(let degrees):
            read.insert(.compass)
            // NaN never equals the last reading: it would be announced each time.
            if degrees.isFinite { heading = degrees }
        }
    }

    /// Stores whether there is a sensor of a kind.
    mutating func setPresence(of kind: SensorKind, _ isPresent: Bool) {
        switch kind {
        case .accelerometer: hasAccelerometer = isPresent
        case .ambientLight: hasAmbientLight = isPresent
        case .proximity: hasProximity = isPresent
        case .compass: hasCompass = isPresent
        }
    }

    /// Stores whether claims of a kind can be answered: it was read, or no reading is to be expected.
    mutating func setRead(_ kind: SensorKind, _ isRead: Bool) {
        if isRead { read.insert(kind) } else { read.remove(kind) }
    }
}
