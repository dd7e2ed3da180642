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

    /// Waits for a datagram until a time on the monotonic clock; blocks meanwhile.
    func wait(until time: Double) {
        var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        _ = poll(&request, 1, Int32(max(0, time - MonotonicClock.now) * 1000) + 1)
    }

    /// The next datagram and its sender; nil where there is none.
    ///
    /// Allocates nothing, once the former datagram is not used any more.
    func receive() throws(SystemError) -> (datagram: ArraySlice<UInt8>, sender: QRTRAddress)? {
        var sender = sockaddr_qrtr()
        let count = retryingInterrupted {
            orientd_qrtr_receive(descriptor.rawValue, &sender, &buffer, buffer.count)
        }
        if count < 0, Errno.current == .again { return nil }
        try checkSystem("receive from", "a socket of QRTR", count)
        return (buffer[..<count], QRTRAddress(node: sender.sq_node, port: sender.sq_port))
    }

    /// Passes what has come to a search, and sends what is due; `note` gets each datagram and its direction.
    func exchange(
        _ directory: inout SSCDirectory,
        at time: Double,
        _ note: (String, QRTRAddress, ArraySlice<UInt8>) -> Void = { _, _, _ in }
    ) {
        do throws(SystemError) {
            for _ in 0..<Self.batch {
                guard let (datagram, sender) = try receive() else { break }
                note("<", sender, datagram)
                directory.receive(datagram, from: sender, at: time)
            }
        } catch {
            // A program that takes over the list of services resets all sockets: each has this error once.
            directory.list(at: time)
        }
        for (datagram, address) in directory.outbox {
            note(">", address, datagram[...])
            // What is lost is sent again when its answer is missing.
            try? send(datagram, to: address)
        }
        directory.outbox = []
    }
}
