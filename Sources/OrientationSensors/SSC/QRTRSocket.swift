// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// A port of a processor of a Qualcomm chip.
struct QRTRAddress: Equatable, Sendable {
    let node, port: UInt32

    /// The port of each node's list of services; only the kernel and the administrator can send from it.
    static let listPort: UInt32 = 0xffff_fffe
}

/// A socket for datagrams between the processors of a Qualcomm chip; never blocks.
final class QRTRSocket {
    /// The most datagrams to receive at once, so that a flood does not keep the loop.
    static let batch = 64

    let descriptor: FileDescriptor
    /// The node of this processor.
    let node: UInt32
    private var buffer: [UInt8]

    /// Datagrams of more than `size` bytes are cut off.
    init(size: Int) throws(SystemError) {
        let subject = "a socket of QRTR"
        descriptor = FileDescriptor(owning: try checkSystem("open", subject, orientd_qrtr_socket()))
        var address = sockaddr_qrtr()
        try checkSystem("find the address of", subject, orientd_qrtr_own_address(descriptor.rawValue, &address))
        node = address.sq_node
        buffer = [UInt8](repeating: 0, count: size)
    }

    func send(_ datagram: [UInt8], to address: QRTRAddress) throws(SystemError) {
        let count = retryingInterrupted {
            orientd_qrtr_send(descriptor.rawValue, address.node, address.port, datagram, datagram.count)
        }
        try checkSystem("send to", "port \(address.port) of node \(address.node)", count)
    }

    /// Calls `body` with the next datagram and its sender; returns false where there is none.
    ///
    /// Allocates nothing.
    func receive(_ body: (_ datagram: ArraySlice<UInt8>, _ sender: QRTRAddress) -> Void) throws(SystemError) -> Bool {
        var sender = sockaddr_qrtr()
        let count = retryingInterrupted {
            orientd_qrtr_receive(descriptor.rawValue, &sender, &buffer, buffer.count)
        }
        if count < 0, Errno.current == .again { return false }
        try checkSystem("receive from", "a socket of QRTR", count)
        body(buffer[..<count], QRTRAddress(node: sender.sq_node, port: sender.sq_port))
        return true
    }
}

/// A packet of the list of services.
enum QRTRList {
    /// The number of the sensor core's service.
    static let sensorService: UInt32 = 400

    case added(QRTRAddress)
    case removed(QRTRAddress)
    /// All that exist were listed; those that come later follow.
    case complete

    /// Nil for a packet that is cut off, or about another service.
    init?(_ packet: ArraySlice<UInt8>) {
        var rest = packet
        guard let command: UInt32 = rest.takeInteger(), let service: UInt32 = rest.takeInteger(),
            rest.takeInteger(of: UInt32.self) != nil, let node: UInt32 = rest.takeInteger(),
            let port: UInt32 = rest.takeInteger()
        else { return nil }
        switch (command, service) {
        case (4, 0) where node == 0 && port == 0: self = .complete
        case (4, Self.sensorService): self = .added(QRTRAddress(node: node, port: port))
        case (5, Self.sensorService): self = .removed(QRTRAddress(node: node, port: port))
        default: return nil
        }
    }

    /// The packets that ask for the list from its beginning on, and for what changes in it.
    static let requests = [11, 10].map { (command: UInt32) in
        var packet: [UInt8] = []
        for word in [command, sensorService, 0, 0, 0] { packet.addInteger(word) }
        return packet
    }
}
