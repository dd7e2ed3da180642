// SPDX-License-Identifier: Apache-2.0

import OrientationCore

@testable import OrientationSensors

/// Datagrams of the sensor core, and of any other program, to the search for sensors and to their readings.
///
/// Each has a byte that says who sends it, two of its length, and so many bytes. Each is complete, or only the payload
/// of an event, so that more inputs are valid.
enum SSCFuzzer {
    private static let node: UInt32 = 1
    private static let senders = [
        QRTRAddress(node: node, port: QRTRAddress.listPort), QRTRAddress(node: 5, port: 9),
        QRTRAddress(node: 5, port: 8),
        QRTRAddress(node: 1, port: 9),
    ]

    static func run(_ bytes: [UInt8]) {
        var input = FuzzedBytes(bytes)
        let types = SensorKind.allCases.map { $0.ssc.type } + [SSCDirectory.cover]
        var directory = SSCDirectory(types, node: node, usesOwnNode: false)
        var time = 0.0
        while !input.isEmpty {
            let kind = input.byte()
            let content = input.take(Int(input.byte()) | Int(input.byte()) << 8)
            let sender = senders[Int(kind) % 4]
            time += Double(kind >> 4)
            switch kind & 12 {
            case 0: read(content)
            case 4: directory.receive(Array(datagram(content))[...], from: sender, at: time)
            default: directory.receive(content[...], from: sender, at: time)
            }
            if let deadline = directory.deadline, deadline <= time { directory.ask(at: time) }
            check(directory, at: time)
            directory.outbox = []
        }
    }

    /// Frames a message of events.
    private static func datagram(_ message: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = [4, 0, 0, 0x22, 0, 0, 0, 2]
        frame.addInteger(UInt16(truncatingIfNeeded: message.count + 2))
        frame.addInteger(UInt16(truncatingIfNeeded: message.count))
        return frame + message
    }

    private static func read(_ message: [UInt8]) {
        for (event, _) in SSCEvents(message[...]) {
            for kind in SensorKind.allCases {
                guard let value = kind.sscValue(event) else { continue }
                if kind == .proximity { precondition(value.x == 0 || value.x == 1) }
                if kind == .compass { precondition(abs(value.x) <= 180) }
                if kind == .ambientLight { precondition(value.x >= 0) }
            }
            if case .attributes(let attributes) = event {
                let rate = attributes.rate(atLeast: 10)
                precondition(rate > 0 && rate.isFinite)
            }
        }
    }

    private static func check(_ directory: SSCDirectory, at time: Double) {
        precondition(directory.service.map { $0.node != node } ?? true, "a service of this processor is used")
        precondition(directory.service != nil || directory.sensors.isEmpty)
        precondition(directory.deadline.map { $0 > time } ?? true)
        // A datagram cannot make it send many.
        precondition(directory.outbox.count <= 12)
        precondition(Set(directory.sensors.map { $0.type }).count == directory.sensors.count)
    }
}
