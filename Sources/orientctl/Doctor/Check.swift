// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import SystemdBus

/// A check of `orientctl doctor`.
struct Check: Sendable {
    /// One or two words.
    let name: String
    private let run: @Sendable (SystemState) -> [Finding]

    /// Every check, in the order of the output; each is made whatever the others find.
    static let all: [Check] = [
        Check("kernel", HardwareChecks.kernel),
        // A missing accelerometer is one finding.
        .ofSensor("node", HardwareChecks.node), .ofSensor("scale", HardwareChecks.scale),
        .ofSensor("mount matrix", HardwareChecks.mountMatrix), .ofSensor("hwdb", HardwareChecks.hwdb),
        Check("tablet switch", HardwareChecks.tabletSwitch),
        .ofReadings("gravity", ReadingChecks.gravity), .ofReadings("noise", ReadingChecks.noise),
        .ofReadings("sampling", ReadingChecks.sampling),
        Check("bus", ServiceChecks.bus), .onBus("service", ServiceChecks.service),
        .onBus("rotation") { _, system in
            guard let status = system.status else { return .warn("cannot be checked without orientd") }
            return ServiceChecks.rotation(
                status,
                usualMode: system.configuration.machine.autorotateMode(
                    chassis: system.chassis.flatMap { Idiom(name: $0) },
                    hasTabletMode: status.tabletModeSource != .none
                ),
                closedLids: HardwareChecks.closedLids(system),
                isDisplayOn: BuiltInDisplay.isOn
            )
        },
        Check("rotator", ServiceChecks.rotators), Check("desktop", Desktop.findings),
        .onBus("sensor proxy", ServiceChecks.sensorProxy), .onBus("polkit", ServiceChecks.polkit),
        Check("state", ServiceChecks.state),
        Check("configuration") { [ServiceChecks.configuration($0)] },
        Check("session", SessionChecks.findings),
    ]

    private init(_ name: String, _ run: @escaping @Sendable (SystemState) -> [Finding]) {
        self.name = name
        self.run = run
    }

    /// Makes a check that is left out without an accelerometer.
    private static func ofSensor(
        _ name: String,
        _ run: @escaping @Sendable (any SensorDevice, SystemState) -> [Finding]
    ) -> Check {
        Check(name) { system in system.accelerometer.map { run($0, system) } ?? [] }
    }

    /// Makes a check that is left out unless this machine or orientd has an accelerometer; a recording is none.
    private static func ofReadings(_ name: String, _ run: @escaping @Sendable (SystemState) -> Finding) -> Check {
        Check(name) { system in
            let hasRemote = system.sensors.contains {
                $0.status.location != .base && $0.status.state != .lost && $0.status.mode.hasDevice
            }
            return system.accelerometer != nil || hasRemote ? [run(system)] : []
        }
    }

    private static func onBus(_ name: String, _ run: @escaping @Sendable (Bus, SystemState) -> Finding) -> Check {
        Check(name) { system in [system.bus.map { run($0, system) } ?? .warn("cannot be checked without a bus")] }
    }

    func findings(in system: SystemState) -> [Finding] {
        run(system).map { finding in
            var finding = finding
            // The checks of the session have names of their own.
            if finding.subject.isEmpty { finding.subject = name }
            return finding
        }
    }
}
