// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// `net.hadess.SensorProxy` as this daemon serves it: the sensors, for clients of iio-sensor-proxy.
final class SensorProxy: SensorProxyDelegate {
    /// The unit of iio-sensor-proxy, which has the name wherever it is installed.
    private static let unit = "iio-sensor-proxy.service"

    private let bus: Bus
    private let supervisor: SensorSupervisor
    private let driver: MachineDriver
    private var object: SensorProxyObject?

    /// Exports the objects on `bus`; ``takeName(log:)`` afterwards.
    init(
        bus: Bus,
        loop: EventLoop,
        authority: PolkitAuthority,
        supervisor: SensorSupervisor,
        driver: MachineDriver
    ) throws(SystemError) {
        self.bus = bus
        self.supervisor = supervisor
        self.driver = driver
        object = try SensorProxyObject(bus: bus, loop: loop, authority: authority, delegate: self)
    }

    // MARK: - The name

    /// Says whether to serve, and logs why not where nobody has chosen.
    static func isWanted(_ choice: Bool?, log: Log) -> Bool {
        if let choice { return choice }
        guard let path = UnitFile.path(of: unit) else { return true }
        let reason = "because iio-sensor-proxy is installed (\(path)); SensorProxy=yes serves it"
        log.info("\(SensorProxyObject.service) is not served, \(reason)")
        return false
    }

    /// Takes the name, or waits until it is free; a bus that does not grant it is no reason to end.
    func takeName(log: Log) {
        do throws(SystemError) {
            guard let owner = try bus.ownWhenFree(SensorProxyObject.service) else { return }
            log.info("\(owner) has \(SensorProxyObject.service); it is served here when that one ends")
        } catch {
            log.warning("\(error)")
        }
    }

    // MARK: - Values

    /// Publishes the edge to turn displays by, and the device's tilt.
    func publish(edge: DeviceOrientation, tilt: Tilt) {
        change { ($0.edge, $0.tilt) = (edge, tilt) }
    }

    /// Publishes a reading of a sensor that only this name serves; ignores readings that are not finite.
    func publish(_ measurement: Measurement) {
        change { status in
            switch measurement {
            case .light(let level, let unit) where level.isFinite:
                (status.lightLevel, status.lightIsInLux) = (level, unit == .lux)
            case .proximity(let isNear): status.isNear = isNear
            // NaN is never what it was before: it would be told again and again.
            case .heading(let degrees) where degrees.isFinite: status.heading = degrees
            case .acceleration, .light, .heading: break
            }
        }
    }

    /// Publishes the coming or going of a sensor.
    func sensorChanged(_ kind: SensorKind) {
        change { status in
            switch kind {
            case .accelerometer: status.hasAccelerometer = supervisor.hasSensor(kind)
            case .ambientLight: status.hasAmbientLight = supervisor.hasSensor(kind)
            case .proximity: status.hasProximity = supervisor.hasSensor(kind)
            case .compass: status.hasCompass = supervisor.hasSensor(kind)
            }
        }
    }

    private func change(_ body: (inout SensorProxyStatus) -> Void) {
        guard let object else { return }
        var status = object.status
        body(&status)
        object.status = status
        object.answerIfKnown()
    }

    // MARK: - Claims

    func hasFirstReading(of kind: SensorKind) -> Bool {
        guard kind != .accelerometer else { return driver.hasFirstAnswer }
        return !supervisor.mayDeliverReadings(kind) || supervisor.reading(of: kind) != nil
    }

    func claimsChanged(of kind: SensorKind, clients: [String]) {
        guard kind == .accelerometer else { return supervisor.read(kind, !clients.isEmpty) }
        driver.deliver(.proxyClaims(clients))
    }

    /// Answers the claims that wait, whatever is known.
    func answerWaiting() { object?.answerWaiting() }
}
