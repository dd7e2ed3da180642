// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import POSIX
import SystemdBus

/// A sensor of Qualcomm's sensor core, which sends its readings in datagrams.
final class SSCSensor: SensorDevice, Sendable {
    let description: SensorDescription
    let warnings: [String]
    fileprivate let suid: SUID
    fileprivate let service: QRTRAddress
    fileprivate let request: SSCRequest

    /// Describes a sensor of a service; nil for one that has not been found or is not available.
    ///
    /// `node` is the sensor core's device of this machine.
    init?(_ sensor: SSCDirectory.Sensor, of service: QRTRAddress?, _ node: Device) {
        guard let service, let suid = sensor.suid, let attributes = sensor.attributes else { return nil }
        let kind = sensor.kind
        let name = attributes.name.isEmpty ? kind.ssc.type : attributes.name
        let rate = attributes.rate(atLeast: kind.ssc.rate) ?? kind.ssc.rate
        var warnings: [String] = []
        let traits: SensorTraits
        switch kind {
        case .accelerometer:
            var mounting = AccelerometerMounting(
                path: node.syspath,
                name: name,
                udev: node,
                label: attributes.rigidBody.map { $0 == 0 ? "accel-display" : $0 == 1 ? "accel-base" : "" },
                DescriptionProgress(name),
                warnings: &warnings
            )
            // Readings are in the device frame; a matrix of udev's is in the configured one.
            if mounting.matrixSource.isEmpty { mounting.convention = .kernel }
            traits = .accelerometer(mounting)
        case .ambientLight: traits = .ambientLight(.lux)
        case .proximity: traits = .proximity(nearLevel: 0.5)
        case .compass: traits = .compass
        case .hinge: traits = .hinge
        }
        description = SensorDescription(
            id: "ssc:" + kind.ssc.type,
            name: name,
            sysfsPath: node.syspath,
            traits: traits,
            period: 1 / rate,
            canPoll: false,
            canBuffer: true
        )
        self.warnings = warnings
        self.suid = suid
        self.service = service
        request = attributes.isStreaming ? .stream(rate: rate) : .changes
    }

    func openBuffer() throws(SystemError) -> any SensorBuffer { try SSCStream(of: self) }
}

/// The readings of a sensor of the sensor core, on a socket of their own.
// Sendable unchecked: the helper opens it and closes it after the loop has stopped reading; DeviceDriver sees to that.
final class SSCStream: SensorBuffer, @unchecked Sendable {
    /// Seconds that opening waits for a first reading, as the chip may have to be powered up.
    ///
    /// All sensors share a helper, which must end within the five seconds that logind gives before sleep.
    private static let startTime = 1.0

    let warnings: [String] = []
    private let sensor: SSCSensor
    private let socket: QRTRSocket
    private var first: RawScan?

    /// Asks the sensor for readings.
    init(of sensor: SSCSensor) throws(SystemError) {
        self.sensor = sensor
        socket = try QRTRSocket(size: 4096)
        try socket.send(sensor.request.datagram(to: sensor.suid), to: sensor.service)
        let end = MonotonicClock.now + Self.startTime
        while first == nil, MonotonicClock.now < end {
            var request = pollfd(fd: socket.descriptor.rawValue, events: Int16(POLLIN), revents: 0)
            _ = poll(&request, 1, Int32((end - MonotonicClock.now) * 1000) + 1)
            first = try next()
        }
    }

    var pollDescriptor: Int32? { socket.descriptor.rawValue }

    /// The last reading that has come; allocates nothing.
    ///
    /// Other programs can make the core send faster than was asked for, and old readings are of no use.
    func next() throws(SystemError) -> RawScan? {
        var scan = first.take()
        for _ in 0..<QRTRSocket.batch {
            guard let (datagram, sender) = try socket.receive() else { break }
            if sender == sensor.service, let value = try value(in: datagram) { scan = RawScan(raw: value, time: nil) }
        }
        return scan
    }

    private func value(in datagram: ArraySlice<UInt8>) throws(SystemError) -> Vector3? {
        var value: Vector3?
        switch QMIMessage(datagram) {
        case .response(let error): if error != 0 { throw failure("the sensor core refuses with error \(error)") }
        case .indication(let message):
            for (event, sender) in SSCEvents(message) where sender == sensor.suid {
                if case .failure(let error) = event { throw failure("the sensor reports error \(error)") }
                value = sensor.description.kind.sscValue(event) ?? value
            }
        case nil: break
        }
        return value
    }

    private func failure(_ reason: String) -> SystemError {
        SystemError("read", sensor.description.id, errno: .noDevice, hint: reason)
    }

    /// The sensor core ends requests with their socket, too, but the report of its end may be lost.
    func close() {
        try? socket.send(SSCRequest.end.datagram(to: sensor.suid), to: sensor.service)
    }
}
