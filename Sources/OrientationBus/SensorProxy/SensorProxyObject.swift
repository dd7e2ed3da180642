// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// The objects of `net.hadess.SensorProxy`, compatible with those of iio-sensor-proxy.
package final class SensorProxyObject {
    package static let service = "net.hadess.SensorProxy"

    private let accelerometer: ProxiedSensor
    /// One of each kind.
    private let sensors: [ProxiedSensor]
    private var reading = ProxiedReading()
    private let slots: [BusSlot]

    /// Exports the objects on `bus`; own the name afterwards.
    ///
    /// `onClaims` is called when a claim comes or goes, with the clients of that sensor in the order of their claims.
    package init(
        bus: Bus,
        loop: EventLoop,
        clients: Clients,
        onClaims: @escaping (SensorKind, _ clients: [String]) -> Void
    ) throws(SystemError) {
        let path = "/net/hadess/SensorProxy"
        let main = (interface: BusInterface(Self.service), path: path)
        let other = (interface: BusInterface(Self.service + ".Compass"), path: path + "/Compass")
        func sensor(_ kind: SensorKind) throws(SystemError) -> ProxiedSensor {
            let (interface, path) = kind == .compass ? other : main
            return try ProxiedSensor(kind, of: interface, at: path, on: bus, loop, clients, onClaims: onClaims)
        }
        accelerometer = try sensor(.accelerometer)
        sensors = [accelerometer, try sensor(.ambientLight), try sensor(.proximity), try sensor(.compass)]
        slots = [
            try bus.export(main.interface, at: main.path), try bus.export(other.interface, at: other.path),
        ]
    }

    /// Publishes whether there is a sensor of a kind, and answers the claims of one that will give no reading.
    package func setPresence(of kind: SensorKind, _ isPresent: Bool, isRead: Bool) {
        for sensor in sensors where sensor.kind == kind {
            sensor.isPresent = isPresent
            if kind != .accelerometer { sensor.waiting.hasFirstReading = isRead }
        }
    }

    /// Publishes the edge and the tilt of the device, and answers the claims that wait for them; at the end, all.
    package func publish(_ effects: Effects) {
        if effects.proxied != reading {
            reading = effects.proxied
            accelerometer.publish([[.text(reading.edge.proxiedName)], [.text(reading.tilt.name)]])
        }
        accelerometer.waiting.hasFirstReading = effects.hasFirstAnswer
        if effects.step == .end { for sensor in sensors { sensor.waiting.hasFirstReading = true } }
    }

    /// Publishes a reading of a sensor that is no accelerometer, by the values of its properties.
    ///
    /// Does not publish a number that is not finite: NaN would be announced each time.
    package func publish(_ values: [PropertyValue], of kind: SensorKind) {
        for sensor in sensors where sensor.kind == kind {
            let isValid = if case .decimal(let number)? = values.last { number.isFinite } else { true }
            if isValid { sensor.publish([values]) }
            sensor.waiting.hasFirstReading = true
        }
    }
}

extension DeviceOrientation {
    /// The name in net.hadess.SensorProxy of an edge that is up, `portrait` being the display's own top.
    package var proxiedName: String {
        switch self {
        case .portrait: "normal"
        case .portraitUpsideDown: "bottom-up"
        case .landscapeLeft: "right-up"
        case .landscapeRight: "left-up"
        case .unknown, .faceUp, .faceDown: "undefined"
        }
    }
}
