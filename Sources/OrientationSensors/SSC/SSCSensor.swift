// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import POSIX
import SystemdBus

/// A sensor of Qualcomm's sensor core, which sends its readings in datagrams.
// Sendable unchecked: the helper makes every call, and the stream that is polled alone changes.
final class SSCSensor: SensorDevice, @unchecked Sendable {
    let description: SensorDescription
    let warnings: [String]
    fileprivate let suid: SUID
    fileprivate let service: QRTRAddress
    private let attributes: SSCAttributes
    /// While the angle of the hinge is polled, where it comes from, and the last one.
    private var polled: (stream: SSCStream, value: Vector3?)?

    /// Describes a sensor of a service; nil for one that has not been found or is not available.
    ///
    /// `node` is the sensor core's device of this machine.
    init?(_ sensor: SSCDirectory.Sensor, of service: QRTRAddress?, _ node: Device) {
        guard let service, let suid = sensor.suid, let attributes = sensor.attributes,
            let kind = SensorKind.allCases.first(where: { $0.ssc.type == sensor.type })
        else { return nil }
        let name = attributes.name.isEmpty ? kind.ssc.type : attributes.name
        self.attributes = attributes
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
        var description = SensorDescription(
            id: "ssc:" + kind.ssc.type,
            name: name,
            sysfsPath: node.syspath,
            traits: traits,
            period: 1 / attributes.rate(atLeast: kind.ssc.rate),
            // One reading of an angle counts only if the next confirms it, and a sensor sends only what differs.
            canPoll: kind == .hinge,
            canBuffer: kind != .hinge
        )
        if kind == .accelerometer, !attributes.placement.isEmpty {
            let numbers = attributes.placement.map { "\($0)" }.joined(separator: " ")
            description.note = "the sensor core's placement is not applied: \(numbers)"
        }
        self.description = description
        self.warnings = warnings
        self.suid = suid
        self.service = service
    }

    /// What it is asked for: at rest, the lowest of its rates that has a reading for each time that it is read.
    ///
    /// Its own motion detection, which can keep an accelerometer silent, does not see slow turns.
    func request(_ sensing: Sensing) -> SSCRequest {
        if description.kind == .hinge { return .angles }
        let rate = sensing.period.map { 1 / $0 } ?? description.kind.ssc.rate
        return attributes.isStreaming ? .stream(rate: attributes.rate(atLeast: rate)) : .changes
    }

    func openBuffer() throws(SystemError) -> any SensorBuffer { try SSCStream(of: self) }

    func read() throws(SystemError) -> Vector3 {
        let stream = if let polled { polled.stream } else { try SSCStream(of: self) }
        let value = try stream.next()?.raw ?? polled?.value
        polled = (stream, value)
        guard let value else { throw SystemError("read", description.id, errno: .again) }
        return value
    }

    func endReading() {
        polled?.stream.close()
        polled = nil
    }
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
    /// What the sensor is to be asked for, and what it was asked for last.
    private var wanted: SSCRequest
    private var asked: SSCRequest?
    private var first: RawScan?

    /// Asks the sensor for readings.
    init(of sensor: SSCSensor) throws(SystemError) {
        self.sensor = sensor
        socket = try QRTRSocket(size: 4096)
        wanted = sensor.request(.stream)
        first = try next()
        let end = MonotonicClock.now + Self.startTime
        while first == nil, MonotonicClock.now < end {
            socket.wait(until: end)
            first = try next()
        }
    }

    var pollDescriptor: Int32? { socket.descriptor.rawValue }

    func sense(_ sensing: Sensing) { wanted = sensor.request(sensing) }

    /// The last reading that has come; allocates nothing.
    ///
    /// Other programs can make the core send faster than was asked for, and old readings are of no use.
    func next() throws(SystemError) -> RawScan? {
        if wanted != asked {
            // It replaces the former request of the same socket.
            try socket.send(wanted.datagram(to: sensor.suid), to: sensor.service)
            asked = wanted
        }
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
