// SPDX-License-Identifier: Apache-2.0

import OrientationCore
package import POSIX
package import SystemdBus

/// Qualcomm's sensor core: the sensors that its firmware offers now, and those that come and go.
///
/// It listens in the loop as long as it lives. Nothing is opened on a machine without such a core.
package final class SensorCore {
    /// Called when all sensors were removed, when some were added, and when what is wrong changes.
    package var onChange: ((DeviceMonitor.Change, Device) -> Void)?
    /// Called with whether the cover of a tablet is closed, also if that is not new.
    package var onCover: ((Bool) -> Void)?
    /// Its device of this machine; the one for the accelerometer where there are several.
    package let node: Device
    /// Its sensors now, and what is wrong with it.
    package private(set) var found = FoundSensors()

    private let loop: EventLoop
    private let socket: QRTRSocket
    private var watch: EventSource?
    private var timer: Timer?
    private var directory: SSCDirectory
    /// What ``found`` is of.
    private var described: [SSCDirectory.Sensor] = []

    /// Listens to the core, if udev says of its device which sensors are to be used; nil where it does not.
    ///
    /// `usesAll`: uses all that it has, whatever udev says.
    package init?(usesAll: Bool, loop: EventLoop) throws(SystemError) {
        let nodes = try Self.nodes
        func isNamed(_ kind: SensorKind, _ node: Device) -> Bool {
            node.property("IIO_SENSOR_PROXY_TYPE", contains: kind.ssc.word)
        }
        let kinds = SensorKind.allCases.filter { kind in usesAll || nodes.contains { isNamed(kind, $0) } }
        guard let node = nodes.first(where: { isNamed(.accelerometer, $0) }) ?? nodes.first, !kinds.isEmpty else {
            return nil
        }
        self.node = node
        self.loop = loop
        socket = try QRTRSocket(size: 16384)
        directory = SSCDirectory(Self.types(of: kinds), node: socket.node, usesOwnNode: Self.usesOwnNode)
        watch = try loop.watch(socket.descriptor.rawValue, owned(by: self) { $0.update() })
        timer = try loop.timer(
            owned(by: self) {
                $0.directory.ask(at: loop.now)
                $0.update()
            }
        )
        directory.ask(at: loop.now)
        update()
    }

    /// The devices of this machine's sensor cores.
    package static var nodes: [Device] {
        get throws(SystemError) { try Device.all(inSubsystem: "misc", named: "fastrpc-[as]dsp*") }
    }

    /// The types of sensors of those kinds; the cover of a tablet is used with the accelerometer.
    static func types(of kinds: [SensorKind]) -> [String] {
        kinds.map { $0.ssc.type } + (kinds.contains(.accelerometer) ? [SSCDirectory.cover] : [])
    }

    /// For tests: services of this processor, which are imitations otherwise, count.
    static var usesOwnNode: Bool { environment("ORIENTD_SSC_OWN_NODE") == "1" }

    /// Asks anew which services there are, for when one does not answer.
    package func refresh() {
        directory.list(at: loop.now)
        update()
    }

    /// Receives what has come, sends what is due, and reports what has changed.
    private func update() {
        socket.exchange(&directory, at: loop.now)
        if let deadline = directory.deadline { timer?.arm(after: deadline - loop.now) } else { timer?.disarm() }
        onCover?(directory.isCovered)
        let warnings = directory.isImitated ? ["a program of this machine imitates the sensor core; ignored"] : []
        let sensors = directory.sensors.filter { $0.attributes != nil }
        guard sensors != described || warnings != found.warnings else { return }
        let isMissing = !described.allSatisfy(sensors.contains)
        described = sensors
        found.warnings = warnings
        found.sensors = sensors.compactMap { SSCSensor($0, of: directory.service, node) }
        // After a restart, or with another name, a sensor is another one.
        if isMissing { onChange?(.removed, node) }
        if !sensors.isEmpty || !warnings.isEmpty { onChange?(.added, node) }
    }
}
