// SPDX-License-Identifier: Apache-2.0

import PrivateBus
import SystemdBus

/// A service in a loop and a client of it, on a bus of their own.
struct Peers {
    static let name = "org.example.Test"
    static let path = "/org/example/test"

    let privateBus: PrivateBus
    let loop: EventLoop
    let service: Bus

    /// For blocking calls inside `loop.serve`; not attached to the loop.
    let client: Bus

    init() throws {
        privateBus = try PrivateBus()
        loop = try EventLoop()
        service = try privateBus.connect(loop)
        try service.own(Self.name, replacing: false)
        client = try privateBus.connect()
    }

    /// Calls a method of the service, which answers meanwhile.
    func call(
        _ interface: String,
        _ member: String,
        isInteractive: Bool = false,
        _ arguments: @escaping (BusMessage) -> Void = { _ in }
    ) throws -> BusMessage {
        try loop.serve { [client] in
            try client.call(Self.name, Self.path, interface, member, isInteractive: isInteractive, arguments)
        }
    }

    func property(_ name: String, of interface: String) throws -> BusMessage {
        try call("org.freedesktop.DBus.Properties", "Get") {
            $0.append(interface)
            $0.append(name)
        }
    }
}

/// Something to hold in a closure, in order to see whether the closure is still there.
final class Token {}
