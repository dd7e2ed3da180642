// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
package import POSIX

/// What a sensor core answers when it is asked once for its sensors, for checks and bug reports.
package struct SensorCoreProbe: Sendable {
    /// How far the search for sensors gets.
    package enum Stage: Sendable {
        case noService
        /// The core has no configuration, so it has no sensors.
        case noRegistry
        /// The types of the available sensors, in the core's words.
        case sensors([String])
    }

    /// With it, the core itself determines the orientation; only reported.
    package static let orientation = "device_orient"

    package let stage: Stage
    /// Whether a program has published the service on this processor.
    package let isImitated: Bool
    /// The first datagrams, each with its direction, address, and bytes in hexadecimal; serial numbers are 0.
    package let exchange: [String]

    /// Asks until all sensors have answered, or for `seconds`; blocks meanwhile.
    package init(seconds: Double) throws(SystemError) {
        let socket = try QRTRSocket(size: 16384)
        let types = SensorCore.types(of: SensorKind.allCases) + [Self.orientation]
        var directory = SSCDirectory(types, node: socket.node, usesOwnNode: SensorCore.usesOwnNode)
        var exchange: [String] = []
        func note(_ direction: String, _ address: QRTRAddress, _ datagram: ArraySlice<UInt8>) {
            // Some dozens are needed; any program can send many.
            guard exchange.count < 500 else { return }
            exchange.append("\(direction) \(address.node):\(address.port) \(Self.hexadecimal(datagram))")
        }
        var now = MonotonicClock.now
        let end = now + seconds
        directory.ask(at: now)
        while now < end, let deadline = directory.deadline {
            if deadline <= now { directory.ask(at: now) }
            socket.exchange(&directory, at: now, note)
            socket.wait(until: min(end, directory.deadline ?? end))
            now = MonotonicClock.now
        }
        let available = directory.sensors.filter { $0.attributes != nil }.map { $0.type }
        stage = directory.service == nil ? .noService : directory.sensors.isEmpty ? .noRegistry : .sensors(available)
        isImitated = directory.isImitated
        self.exchange = exchange
    }

    /// Zeroes what follows the number 31, of the attribute that is a serial number, also where the datagram is cut off.
    static func hexadecimal(_ datagram: ArraySlice<UInt8>) -> String {
        var bytes = datagram
        for index in datagram.indices where datagram[index...].starts(with: [1 << 3, 31]) {
            var rest = datagram[(index + 2)...]
            let secret: Range<Int> =
                switch rest.takeField() {
                case (_, .bytes(let values))?: values.indices
                case nil: rest.indices
                default: 0..<0
                }
            for place in secret { bytes[place] = 0 }
        }
        return bytes.reduce(into: "") { $0 += ($1 < 16 ? "0" : "") + String($1, radix: 16) }
    }
}
