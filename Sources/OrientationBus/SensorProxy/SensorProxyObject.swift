// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// The values that `net.hadess.SensorProxy` publishes.
package struct SensorProxyStatus: Hashable {
    package var hasAccelerometer = false
    package var accelerometer = ProxiedReading()

    package var hasAmbientLight = false
    package var lightIsInLux = true
    package var lightLevel = 0.0

    package var hasProximity = false
    package var isNear = false

    package var hasCompass = false
    /// In degrees clockwise from north.
    package var heading = 0.0

    /// The sensors that were read since sampling began, or of which no reading is to be expected: claims are answered.
    package var read: Set<SensorKind> = []

    package init() {}
}

/// The objects of `net.hadess.SensorProxy`, compatible with those of iio-sensor-proxy.
package final class SensorProxyObject {
    package static let service = "net.hadess.SensorProxy"

    private static let path = "/net/hadess/SensorProxy"
    private static let compassPath = path + "/Compass"

    private let sensors: [ProxiedSensor]
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
        let main = BusInterface(Self.service, members: 16)
        let compass = BusInterface(Self.service + ".Compass", members: 4)
        var sensors: [ProxiedSensor] = []
        for members in Self.members {
            let (interface, path) = members.kind == .compass ? (compass, Self.compassPath) : (main, Self.path)
            sensors.append(try ProxiedSensor(members, of: interface, at: path, bus, loop, clients, onClaims: onClaims))
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
                [.derived("AccelerometerOrientation") { $0.accelerometer.edge.proxiedName }],
                [.name("AccelerometerTilt") { $1(&$0.accelerometer.tilt) }],
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

    /// The current values; assigning sends those that differ to the claimants, and answers claims.
    package var status = SensorProxyStatus() {
        didSet {
            guard status != oldValue else { return }
            for sensor in sensors { sensor.publish(status) }
        }
    }

    /// Answers all waiting claims, whatever is known.
    package func answerWaiting() {
        for sensor in sensors { sensor.answerWaiting() }
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
