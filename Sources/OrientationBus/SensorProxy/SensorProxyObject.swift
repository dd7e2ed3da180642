// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// The objects of `net.hadess.SensorProxy`, compatible with those of iio-sensor-proxy.
package final class SensorProxyObject {
    package static let service = "net.hadess.SensorProxy"

    private static let path = "/net/hadess/SensorProxy"

    private let accelerometer, light, proximity, compass: ProxiedSensor
    private var sensors: [ProxiedSensor] { [accelerometer, light, proximity, compass] }
    private var reading = ProxiedReading()
    private let slots: [BusSlot]

    /// Exports the objects on `bus`; own the name afterwards.
    ///
    /// `onClaims` is called when a claim comes or goes, with the clients that claim that sensor, in the order of claiming.
    package init(
        bus: Bus,
        loop: EventLoop,
        clients: Clients,
        onClaims: @escaping (SensorKind, _ clients: [String]) -> Void
    ) throws(SystemError) {
        let main = (interface: BusInterface(Self.service), path: Self.path)
        let other = (interface: BusInterface(Self.service + ".Compass"), path: Self.path + "/Compass")
        func sensor(
            _ kind: SensorKind,
            _ methods: (claim: StaticString, release: StaticString),
            _ presence: StaticString,
            _ signals: [ProxiedSensor.Signal]
        ) throws(SystemError) -> ProxiedSensor {
            let object = kind == .compass ? other : main
            return try ProxiedSensor(
                kind,
                methods: methods,
                presence: presence,
                signals,
                of: object.interface,
                at: object.path,
                on: bus,
                loop,
                clients,
                onClaims: onClaims
            )
        }
        accelerometer = try sensor(
            .accelerometer,
            ("ClaimAccelerometer", "ReleaseAccelerometer"),
            "HasAccelerometer",
            [[("AccelerometerOrientation", "undefined")], [("AccelerometerTilt", "undefined")]]
        )
        light = try sensor(
            .ambientLight,
            ("ClaimLight", "ReleaseLight"),
            "HasAmbientLight",
            [[("LightLevelUnit", "lux"), ("LightLevel", .decimal(0))]]
        )
        proximity = try sensor(
            .proximity,
            ("ClaimProximity", "ReleaseProximity"),
            "HasProximity",
            [[("ProximityNear", .flag(false))]]
        )
        compass = try sensor(
            .compass,
            ("ClaimCompass", "ReleaseCompass"),
            "HasCompass",
            [[("CompassHeading", .decimal(0))]]
        )
        slots = [
            try bus.export(main.interface, at: main.path), try bus.export(other.interface, at: other.path),
        ]
    }

    /// Publishes whether there is a sensor of a kind, and answers the claims of one of which no reading is to be expected.
    package func setPresence(of kind: SensorKind, _ isPresent: Bool, isRead: Bool) {
        for sensor in sensors where sensor.kind == kind {
            sensor.isPresent = isPresent
            if kind != .accelerometer { sensor.isRead = isRead }
        }
    }

    /// Publishes the edge and the tilt of the device, and answers the claims that wait for them; at the end, all.
    package func publish(_ effects: Effects) {
        if effects.proxied != reading {
            reading = effects.proxied
            accelerometer.publish([[.text(reading.edge.proxiedName)], [.text(reading.tilt.name)]])
        }
        accelerometer.isRead = effects.hasFirstAnswer
        if effects.step == .end { for sensor in sensors { sensor.isRead = true } }
    }

    /// Publishes a level of light, in lux or in a unit of the vendor's.
    package func publish(light level: Double, isInLux: Bool) {
        publish([.text(isInLux ? "lux" : "vendor"), .decimal(level)], of: light, level)
    }

    package func publish(isNear: Bool) { publish([.flag(isNear)], of: proximity) }

    /// Publishes a heading in degrees clockwise from north.
    package func publish(heading: Double) { publish([.decimal(heading)], of: compass, heading) }

    /// Publishes a reading, unless its number is not finite: NaN would be announced each time.
    private func publish(_ values: [PropertyValue], of sensor: ProxiedSensor, _ number: Double = 0) {
        if number.isFinite { sensor.publish([values]) }
        sensor.isRead = true
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
