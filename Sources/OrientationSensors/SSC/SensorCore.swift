// SPDX-License-Identifier: Apache-2.0

import OrientationCore
package import POSIX
package import SystemdBus

/// Qualcomm's sensor core: the sensors that its firmware offers now, and those that come and go.
///
/// It listens in the loop as long as it lives. Nothing is opened before it is created, which is for machines that have
/// such a core.
package final class SensorCore {
    /// Seconds until another attempt where the kernel refuses a socket: at first, and at most.
    private static let pauses = (first: 2.0, last: 300.0)

    /// Called when sensors have come or gone; false when all have gone.
    package var onChange: ((_ hasSensors: Bool) -> Void)?
    private var sensors: [any SensorDevice] = []
    /// The directory of its device in sysfs; empty where there is none.
    package let path: String
    private var problem: String?

    private let node: Device?
    private let kinds: [SensorKind]
    private let loop: EventLoop
    private var socket: QRTRSocket?
    private var watch: EventSource?
    private var timer: Timer?
    private var directory: SSCDirectory
    private var pause = pauses.first
    /// What ``sensors`` is of.
    private var known: (service: QRTRAddress?, sensors: [SSCDirectory.Found]) = (nil, [])

    /// Listens to the core, if udev says of its device which sensors are to be used.
    ///
    /// `isForced`: uses all of them, whatever udev says. Nil where neither is so.
    package init?(isForced: Bool, loop: EventLoop) throws(SystemError) {
        let names = try Device.entries(ofSubsystem: "misc").filter {
            $0.name.hasPrefix("fastrpc-adsp") || $0.name.hasPrefix("fastrpc-sdsp")
        }
        let nodes = names.compactMap { try? Device(syspath: $0.folder + $0.name) }
        node = nodes.first { !SensorKind.ofSensorCore($0).isEmpty } ?? nodes.first
        kinds = isForced ? SensorKind.ofSensorCore : node.map { SensorKind.ofSensorCore($0) } ?? []
        path = node?.syspath ?? ""
        self.loop = loop
        directory = SSCDirectory([], node: 0, usesOwnNode: false)
        if kinds.isEmpty { return nil }
        timer = try loop.timer(owned(by: self) { $0.expire() })
        open()
    }

    /// Its sensors now, and what is wrong with it.
    package var found: FoundSensors {
        var found = FoundSensors()
        found.sensors = sensors
        if let problem { found.warnings.append(problem) }
        if directory.isImitated {
            found.warnings.append("a program of this machine imitates the sensor core, which is ignored")
        }
        return found
    }

    /// Asks anew which services there are, for when one does not answer.
    package func refresh() {
        guard socket != nil else { return }
        directory.list()
        update()
    }

    private func open() {
        do throws(SystemError) {
            let socket = try QRTRSocket(size: 16384)
            watch = try loop.watch(socket.descriptor.rawValue, owned(by: self) { $0.receive() })
            self.socket = socket
            let usesOwnNode = environment("ORIENTD_SSC_OWN_NODE") == "1"
            directory = SSCDirectory(kinds, node: socket.node, usesOwnNode: usesOwnNode)
            problem = nil
            pause = Self.pauses.first
            refresh()
        } catch {
            close(error)
        }
    }

    /// Begins anew later: other programs can make a socket useless.
    private func close(_ error: SystemError) {
        problem = "\(error)"
        watch = nil
        socket = nil
        directory = SSCDirectory([], node: 0, usesOwnNode: false)
        update()
        timer?.arm(after: pause)
        pause = min(2 * pause, Self.pauses.last)
    }

    private func receive() {
        do throws(SystemError) {
            for _ in 0..<QRTRSocket.batch {
                guard try socket?.receive({ directory.receive($0, from: $1, at: loop.now) }) == true else { return }
                update()
            }
        } catch {
            close(error)
        }
    }

    private func expire() {
        guard socket != nil else { return open() }
        directory.ask(at: loop.now)
        update()
    }

    /// Sends what is due, and reports what has changed.
    private func update() {
        for (datagram, address) in directory.outbox {
            // What is lost is sent again when its answer is missing.
            try? socket?.send(datagram, to: address)
        }
        directory.outbox = []
        if let deadline = directory.deadline { timer?.arm(after: deadline - loop.now) } else { timer?.disarm() }
        let found = (service: directory.service, sensors: directory.found)
        if found.service != known.service, !sensors.isEmpty {
            sensors = []
            known = (nil, [])
            onChange?(false)
        }
        guard let service = found.service, found.sensors != known.sensors || found.service != known.service else {
            return
        }
        known = found
        sensors = found.sensors.compactMap { sensor in
            sensor.attributes.map { SSCSensor(sensor, $0, of: service, node) }
        }
        if !sensors.isEmpty { onChange?(true) }
    }
}
