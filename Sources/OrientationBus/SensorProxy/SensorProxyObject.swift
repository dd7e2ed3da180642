// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// The values that `net.hadess.SensorProxy` publishes.
package struct SensorProxyStatus: Hashable {
    package var hasAccelerometer = false
    /// The edge to turn displays by, portrait being the display's own top up.
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

/// The daemon as the proxy uses it.
package protocol SensorProxyDelegate: AnyObject {
    /// Returns whether a reading came since sampling began, or none is expected.
    func hasFirstReading(of sensor: SensorKind) -> Bool

    /// Called when a claim comes or goes, with the unique names of the clients that hold one, in the order of claiming.
    func claimsChanged(of sensor: SensorKind, clients: [String])
}

/// The objects of `net.hadess.SensorProxy`, compatible with those of iio-sensor-proxy.
package final class SensorProxyObject {
    package static let service = "net.hadess.SensorProxy"

    private static let path = "/net/hadess/SensorProxy"
    private static let compassPath = path + "/Compass"

    private let sensors: [ProxiedSensor]
    private let slots: [BusSlot]

    /// Exports the objects on `bus`; take the name afterwards.
    package init(
        bus: Bus,
        loop: EventLoop,
        authority: PolkitAuthority,
        delegate: any SensorProxyDelegate
    ) throws(SystemError) {
        let main = BusInterface(Self.service, members: 16)
        let compass = BusInterface(Self.service + ".Compass", members: 4)
        var sensors: [ProxiedSensor] = []
        for members in Self.members {
            let (interface, path) = members.kind == .compass ? (compass, Self.compassPath) : (main, Self.path)
            let sensor = try ProxiedSensor(members, of: interface, at: path, bus, loop, authority, delegate)
            sensors.append(sensor)
        }
        self.sensors = sensors
        slots = [try bus.export(main, at: Self.path), try bus.export(compass, at: Self.compassPath)]
    }

    private static let members: [ProxiedSensor.Members] = [
        .init(
            kind: .accelerometer,
            claim: "ClaimAccelerometer",
            release: "ReleaseAccelerometer",
            presence: .value("HasAccelerometer") { $1(&$0.hasAccelerometer) },
            signals: [
                [.derived("AccelerometerOrientation") { $0.edge.proxiedName }],
                [.name("AccelerometerTilt") { $1(&$0.tilt) }],
            ]
        ),
        .init(
            kind: .ambientLight,
            claim: "ClaimLight",
            release: "ReleaseLight",
            presence: .value("HasAmbientLight") { $1(&$0.hasAmbientLight) },
            signals: [
                [
                    .derived("LightLevelUnit") { $0.lightIsInLux ? "lux" : "vendor" },
                    .value("LightLevel") { $1(&$0.lightLevel) },
                ]
            ]
        ),
        .init(
            kind: .proximity,
            claim: "ClaimProximity",
            release: "ReleaseProximity",
            presence: .value("HasProximity") { $1(&$0.hasProximity) },
            signals: [[.value("ProximityNear") { $1(&$0.isNear) }]]
        ),
        .init(
            kind: .compass,
            claim: "ClaimCompass",
            release: "ReleaseCompass",
            presence: .value("HasCompass") { $1(&$0.hasCompass) },
            signals: [[.value("CompassHeading") { $1(&$0.heading) }]]
        ),
    ]

    /// The current values; assigning sends those that differ to the claimants.
    package var status = SensorProxyStatus() {
        didSet {
            guard status != oldValue else { return }
            for sensor in sensors { sensor.publish(status) }
        }
    }

    /// Answers the waiting claims of each sensor that has a reading.
    package func answerIfKnown() {
        for sensor in sensors { sensor.answerIfKnown() }
    }

    /// Answers all waiting claims.
    package func answerWaiting() {
        for sensor in sensors { sensor.answer() }
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
