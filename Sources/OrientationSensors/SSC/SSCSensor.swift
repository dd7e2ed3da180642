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

    /// Describes a sensor of a service; `node` is the sensor core's device of this machine, where there is one.
    init(_ found: SSCDirectory.Found, _ attributes: SSCAttributes, of service: QRTRAddress, _ node: Device?) {
        let kind = found.kind
        let name = attributes.name.isEmpty ? kind.ssc.type : attributes.name
        let rate = attributes.rate(atLeast: kind.ssc.rate)
        var warnings: [String] = []
        let traits: SensorTraits =
            switch kind {
            case .accelerometer: .accelerometer(Self.mounting(name, attributes, node, &warnings))
            case .ambientLight: .ambientLight(.lux)
            case .proximity: .proximity(nearLevel: 0.5)
            case .compass: .compass
            case .hinge: .hinge
            }
        description = SensorDescription(
            id: "ssc:" + kind.ssc.type,
            name: name,
            sysfsPath: node?.syspath ?? "",
            traits: traits,
            period: 1 / (rate ?? kind.ssc.rate),
            canPoll: false,
            canBuffer: true
        )
        self.warnings = warnings
        self.service = service
        suid = found.suid
        request = attributes.isStreaming ? .stream(rate: rate ?? kind.ssc.rate) : .changes
    }

    /// Its readings are in the device frame; only a matrix of udev's is in the configured one.
    private static func mounting(
        _ name: String,
        _ attributes: SSCAttributes,
        _ node: Device?,
        _ warnings: inout [String]
    ) -> AccelerometerMounting {
        let path = node?.syspath ?? ""
        var mounting = AccelerometerMounting(
            path: path,
            name: name,
            udev: node,
            DescriptionProgress(name),
            warnings: &warnings
        )
        if mounting.matrixSource.isEmpty { mounting.convention = .kernel }
        if mounting.location == .unknown {
            mounting.location = attributes.rigidBody == 1 ? .base : attributes.rigidBody == 0 ? .display : .unknown
        }
        return mounting
    }

    func read() throws(SystemError) -> Vector3 {
        throw SystemError("poll", description.id, errno: .notSupported)
    }

    func openBuffer() throws(SystemError) -> any SensorBuffer { try SSCStream(of: self) }
}

/// The readings of a sensor of the sensor core, for as long as a socket is open.
// Sendable unchecked: the helper opens it and closes it after the loop has stopped reading; DeviceDriver sees to that.
final class SSCStream: SensorBuffer, @unchecked Sendable {
    /// Milliseconds that opening waits for a first reading, as the chip may have to be powered up.
    private static let startTime: Int32 = 2000

    let warnings: [String] = []
    private let sensor: SSCSensor
    private var socket: QRTRSocket?
    /// The last reading that was received, and has not been returned.
    private var reading: Vector3?
    private var problem: String?

    /// Asks the sensor for readings.
    init(of sensor: SSCSensor) throws(SystemError) {
        self.sensor = sensor
        let socket = try QRTRSocket(size: 4096)
        self.socket = socket
        try send(sensor.request)
        let end = MonotonicClock.now + Double(Self.startTime) / 1000
        while reading == nil, MonotonicClock.now < end {
            var request = pollfd(fd: socket.descriptor.rawValue, events: Int16(POLLIN), revents: 0)
            _ = poll(&request, 1, Int32((end - MonotonicClock.now) * 1000) + 1)
            try receive()
        }
    }

    var pollDescriptor: Int32? { socket?.descriptor.rawValue }

    /// The next reading, of those in one datagram the last; allocates nothing.
    func next() throws(SystemError) -> RawScan? {
        if reading == nil { try receive() }
        return reading.take().map { RawScan(raw: $0, time: nil) }
    }

    /// Receives datagrams until one has a reading; throws where the sensor reports an error.
    private func receive() throws(SystemError) {
        guard let socket else { return }
        for _ in 0..<QRTRSocket.batch where reading == nil {
            let hasMore = try socket.receive { datagram, sender in
                if sender == sensor.service { take(datagram) }
            }
            if let problem { throw SystemError("read", sensor.description.id, errno: .noDevice, hint: problem) }
            if !hasMore { return }
        }
    }

    private func take(_ datagram: ArraySlice<UInt8>) {
        switch QMIMessage(datagram) {
        case .response(let error): if error != 0 { problem = "the sensor core refuses with error \(error)" }
        case .indication(let message):
            SSCEvent.forEach(in: message) { event, sender in
                guard sender == sensor.suid else { return }
                if case .failure(let number) = event { problem = "the sensor reports error \(number)" }
                if let value = sensor.description.kind.sscValue(event) { reading = value }
            }
        case nil: break
        }
    }

    private func send(_ request: SSCRequest) throws(SystemError) {
        try socket?.send(request.datagram(to: sensor.suid), to: sensor.service)
    }

    /// The sensor core ends requests with the socket, too, but its report of that may be lost.
    func close() {
        try? send(.end)
        socket = nil
    }
}
