// SPDX-License-Identifier: Apache-2.0

import OrientationCore
package import POSIX
package import SystemdBus

/// Qualcomm's sensor core: the sensors that its firmware offers now, and those that come and go.
///
/// It listens in the loop as long as it lives. Nothing is opened on a machine without such a core.
package final class SensorCore {
    /// Called when sensors were added, or all were removed.
    package var onChange: ((DeviceMonitor.Change, Device) -> Void)?
    /// Its device of this machine.
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
        let nodes = try Device.entries(ofSubsystem: "misc").filter {
            $0.name.hasPrefix("fastrpc-adsp") || $0.name.hasPrefix("fastrpc-sdsp")
        }.compactMap { try? Device(syspath: $0.folder + $0.name) }
        guard let node = nodes.first(where: { !SensorKind.ofSensorCore($0).isEmpty }) ?? nodes.first else { return nil }
        let kinds = usesAll ? SensorKind.ofSensorCore : SensorKind.ofSensorCore(node)
        if kinds.isEmpty { return nil }
        self.node = node
        self.loop = loop
        socket = try QRTRSocket(size: 16384)
        directory = SSCDirectory(kinds, node: socket.node, usesOwnNode: environment("ORIENTD_SSC_OWN_NODE") == "1")
        watch = try loop.watch(socket.descriptor.rawValue, owned(by: self) { $0.receive() })
        timer = try loop.timer(
            owned(by: self) {
                $0.directory.ask(at: loop.now)
                $0.update()
            }
        )
        refresh()
    }

    /// Asks anew which services there are, for when one does not answer.
    package func refresh() {
        directory.list()
        update()
    }

    private func receive() {
        do throws(SystemError) {
            for _ in 0..<QRTRSocket.batch {
                guard let (datagram, sender) = try socket.receive() else { return }
                directory.receive(datagram, from: sender, at: loop.now)
                update()
            }
        } catch {
            // Another program has taken over the list of services.
            found.warnings = ["\(error)"]
            refresh()
        }
    }

    /// Sends what is due, and reports what has changed.
    private func update() {
        for (datagram, address) in directory.outbox {
            // What is lost is sent again when its answer is missing.
            try? socket.send(datagram, to: address)
        }
        directory.outbox = []
        if let deadline = directory.deadline { timer?.arm(after: deadline - loop.now) } else { timer?.disarm() }
        if directory.isImitated { found.warnings = ["a program of this machine imitates the sensor core; ignored"] }
        // Between two services, none is described.
        let sensors = directory.sensors.filter { $0.attributes != nil }
        guard sensors != described else { return }
        described = sensors
        found.sensors = sensors.compactMap { SSCSensor($0, of: directory.service, node) }
        onChange?(sensors.isEmpty ? .removed : .added, node)
    }
}
