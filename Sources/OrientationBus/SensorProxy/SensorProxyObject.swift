// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// The values that `net.hadess.SensorProxy` publishes.
package struct SensorProxyStatus: Hashable {
    package var hasAccelerometer = false
    /// The edge that is up, portrait being the display's own top.
    package var edge = DeviceOrientation.unknown
    package var tilt = Tilt.undefined

    package var hasAmbientLight = false
    package var lightIsInLux = true
    package var lightLevel = 0.0

    package var hasProximity = false
    package var isNear = false

    package var hasCompass = false
    /// In degrees clockwise from north.
    package var heading = 0.0

    package init() {}
}

/// What the proxy needs done by the rest of the daemon.
package protocol SensorProxyDelegate: AnyObject {
    /// Says whether a reading has come since sampling began, or none is to be expected.
    func hasFirstReading(of sensor: SensorKind) -> Bool

    /// The sensor is claimed from now on, or no longer.
    func claimsChanged(of sensor: SensorKind, areHeld: Bool)
}

/// The objects of `net.hadess.SensorProxy`, as iio-sensor-proxy has them, for the desktops that know that.
package final class SensorProxyObject {
    package static let service = "net.hadess.SensorProxy"

    private static let path = "/net/hadess/SensorProxy"
    private static let compassPath = path + "/Compass"

    private let sensors: [ProxiedSensor]
    private let slots: [BusSlot]

    /// Exports the objects on `bus`; own the name afterwards.
    package init(
        bus: Bus,
        loop: EventLoop,
        authority: PolkitAuthority,
        delegate: any SensorProxyDelegate
    ) throws(SystemError) {
        let main = BusInterface(Self.service, members: 16)
        let compass = BusInterface(Self.service + ".Compass", members: 4)
        func sensor(
            _ sensor: SensorKind,
            of interface: BusInterface,
            at path: String
        ) throws(SystemError) -> ProxiedSensor {
            try ProxiedSensor(
                sensor,
                of: interface,
                at: path,
                bus: bus,
                loop: loop,
                authority: authority,
                delegate: delegate
            )
        }
        let accelerometer = try sensor(.accelerometer, of: main, at: Self.path)
        accelerometer.addPresence("HasAccelerometer") { $0.hasAccelerometer }
        accelerometer.add("AccelerometerOrientation") { Self.orientation($0.edge) }
        accelerometer.add("AccelerometerTilt") { $0.tilt.name }
        accelerometer.addMethods(claim: "ClaimAccelerometer", release: "ReleaseAccelerometer")

        let light = try sensor(.ambientLight, of: main, at: Self.path)
        light.addPresence("HasAmbientLight") { $0.hasAmbientLight }
        light.add("LightLevelUnit") { $0.lightIsInLux ? "lux" : "vendor" }
        light.add("LightLevel", joined: true) { $0.lightLevel }
        light.addMethods(claim: "ClaimLight", release: "ReleaseLight")

        let proximity = try sensor(.proximity, of: main, at: Self.path)
        proximity.addPresence("HasProximity") { $0.hasProximity }
        proximity.add("ProximityNear") { $0.isNear }
        proximity.addMethods(claim: "ClaimProximity", release: "ReleaseProximity")

        let heading = try sensor(.compass, of: compass, at: Self.compassPath)
        heading.addPresence("HasCompass") { $0.hasCompass }
        heading.add("CompassHeading") { $0.heading }
        heading.addMethods(claim: "ClaimCompass", release: "ReleaseCompass")

        sensors = [accelerometer, light, proximity, heading]
        slots = [try bus.export(main, at: Self.path), try bus.export(compass, at: Self.compassPath)]
    }

    /// The present values; assigning tells those who have claimed of what differs.
    package var status = SensorProxyStatus() {
        didSet {
            guard status != oldValue else { return }
            for sensor in sensors { sensor.publish(status) }
        }
    }

    /// Answers the claims that wait, if there is something to answer now.
    package func answerIfKnown() {
        for sensor in sensors { sensor.answerIfKnown() }
    }

    /// Answers the claims that wait, whatever is known.
    package func answerWaiting() {
        for sensor in sensors { sensor.answer() }
    }

    private static func orientation(_ edge: DeviceOrientation) -> String {
        switch edge {
        case .portrait: "normal"
        case .portraitUpsideDown: "bottom-up"
        case .landscapeLeft: "right-up"
        case .landscapeRight: "left-up"
        case .unknown, .faceUp, .faceDown: "undefined"
        }
    }
}
