// SPDX-License-Identifier: Apache-2.0

import CSystemd
package import POSIX

/// Which bus to connect to.
package enum BusAddress: Hashable, Sendable {
    case system
    case session
    /// A D-Bus server address, such as `unix:path=/run/bus`.
    case address(String)

    /// Understands `system`, `session`, and anything else as an address.
    package init(_ text: String) {
        switch text {
        case "system": self = .system
        case "session": self = .session
        default: self = .address(text)
        }
    }
}

extension BusAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .system: "the system bus"
        case .session: "the session bus"
        case .address(let address): "the bus at \(address)"
        }
    }
}

/// A connection to a D-Bus message bus.
package final class Bus {
    private let bus: OpaquePointer
    package let address: BusAddress

    /// Seconds that a call waits for its answer, unless a person may be asked first.
    package var timeout = 25.0

    /// The connections that a ``PeerWatch`` watches, by unique name.
    var watchedPeers: [String: WatchedPeer] = [:]

    /// Connects, and has said hello when this returns.
    package init(_ address: BusAddress) throws(SystemError) {
        self.address = address
        var bus: OpaquePointer?
        switch address {
        case .system: try check("connect to", "\(address)", sd_bus_open_system(&bus))
        case .session: try check("connect to", "\(address)", sd_bus_open_user(&bus))
        case .address(let text): try Bus.open(text, &bus)
        }
        guard let bus else { throw SystemError("connect to", "\(address)", errno: .invalid) }
        self.bus = bus
        // Opening only begins to connect: asking for our own name waits for the end of it.
        var name: UnsafePointer<CChar>?
        try check("connect to", "\(address)", sd_bus_get_unique_name(bus, &name))
    }

    private static func open(_ address: String, _ bus: inout OpaquePointer?) throws(SystemError) {
        try check("connect to", address, sd_bus_new(&bus))
        var result = sd_bus_set_address(bus, address)
        if result >= 0 { result = sd_bus_set_bus_client(bus, 1) }
        if result >= 0 { result = sd_bus_set_trusted(bus, 0) }
        if result >= 0 { result = sd_bus_start(bus) }
        guard result < 0 else { return }
        sd_bus_unref(bus)
        throw SystemError("connect to", address, errno: Errno(result))
    }

    deinit {
        sd_bus_flush_close_unref(bus)
    }

    package func attach(to loop: EventLoop) throws(SystemError) {
        try check("attach the bus", loop.withPointer { sd_bus_attach_event(bus, $0, 0) })
    }

    // MARK: - Names

    /// Takes `name`; a present owner that allows it gives way when `replacing`.
    ///
    /// Throws `EEXIST` when another connection has it.
    package func own(_ name: String, replacing: Bool) throws(SystemError) {
        var flags = UInt64(SD_BUS_NAME_ALLOW_REPLACEMENT)
        if replacing { flags |= UInt64(SD_BUS_NAME_REPLACE_EXISTING) }
        let result = sd_bus_request_name(bus, name, flags)
        guard result == -EEXIST else {
            try check("own the name", name, result)
            return
        }
        throw SystemError("own the name", "\(name), which \(describedOwner(of: name)) has", errno: Errno(result))
    }

    /// Takes `name` now, or as soon as its present owner gives it up; returns that one, for people to read.
    package func ownWhenFree(_ name: String) throws(SystemError) -> String? {
        let result = sd_bus_request_name(bus, name, UInt64(SD_BUS_NAME_QUEUE))
        try check("own the name", name, result)
        return result == 0 ? describedOwner(of: name) : nil
    }

    /// Whoever has `name`, for people to read.
    private func describedOwner(of name: String) -> String {
        owner(of: name)?.description ?? "another connection"
    }

    /// Calls `handler` once the bus has gone: its daemon ended, or threw us out.
    package func onDisconnect(_ handler: @escaping () -> Void) throws(SystemError) -> BusSlot {
        let match = "type='signal',path='/org/freedesktop/DBus/Local',interface='org.freedesktop.DBus.Local'"
        return try subscribe(match + ",member='Disconnected'") { _ in handler() }
    }

    /// Calls `handler` when the bus daemon has given `name` of ours to another connection.
    package func onNameLost(_ name: String, _ handler: @escaping () -> Void) throws(SystemError) -> BusSlot {
        let match = "type='signal',sender='org.freedesktop.DBus',member='NameLost',arg0='\(name)'"
        return try subscribe(match) { _ in handler() }
    }

    /// Calls `handler` with the unique name of who has taken `name`, or with nil when it has become free.
    package func onOwnerChange(of name: String, _ handler: @escaping (String?) -> Void) throws(SystemError) -> BusSlot {
        let match = "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(name)'"
        return try subscribe(match) { message in
            do throws(BusError) {
                _ = try message.readString()
                _ = try message.readString()
                let owner = try message.readString()
                handler(owner.isEmpty ? nil : owner)
            } catch {
                preconditionFailure("the bus daemon's own signal is malformed: \(error)")
            }
        }
    }

    // MARK: - Serving

    /// Makes `interface` callable at `path`, until the returned slot is gone.
    ///
    /// A method of `interface` may let go of that slot.
    package func export(_ interface: BusInterface, at path: String) throws(SystemError) -> BusSlot {
        var slot: OpaquePointer?
        // libsystemd reads the vtable until it frees the slot: after a method of it has returned, whoever let go of it.
        let userdata = Unmanaged.passRetained(interface).toOpaque()
        let result = interface.withVtable {
            sd_bus_add_object_vtable(bus, &slot, path, interface.name, $0, userdata)
        }
        if result < 0 { release(userdata) }
        try check("export \(interface.name) at", path, result)
        return try BusSlot(owning: slot)
    }

    /// Serves org.freedesktop.DBus.ObjectManager for everything below `path`.
    package func addObjectManager(at path: String) throws(SystemError) -> BusSlot {
        var slot: OpaquePointer?
        try check("serve ObjectManager at", path, sd_bus_add_object_manager(bus, &slot, path))
        return try BusSlot(owning: slot)
    }

    // A signal that finds the connection closed has nobody to go to: onDisconnect tells of that, once.

    /// Announces new values of `properties`, which are read through their getters.
    package func announce(_ properties: [String], of interface: String, at path: String) {
        guard !properties.isEmpty else { return }
        var names = properties.map { duplicate($0) }
        names.append(nil)
        sd_bus_emit_properties_changed_strv(bus, path, interface, &names)
        for name in names { deallocate(name) }
    }

    /// Announces an object with all its interfaces, as ObjectManager does.
    package func announceObject(at path: String) {
        sd_bus_emit_object_added(bus, path)
    }

    /// Announces that an object goes, with all its interfaces, as ObjectManager does.
    ///
    /// Let go of the object's slots after this, in the same turn of the loop: interfaces that are no longer exported
    /// are not announced.
    package func announceObjectRemoved(at path: String) {
        sd_bus_emit_object_removed(bus, path)
    }

    /// Sends the signal `member` with the values that `arguments` appends; to `destination` alone where there is one.
    package func emit(
        _ member: String,
        of interface: String,
        at path: String,
        to destination: String? = nil,
        _ arguments: (BusMessage) -> Void
    ) {
        var message: OpaquePointer?
        guard sd_bus_message_new_signal(bus, &message, path, interface, member) >= 0, let message else { return }
        let signal = BusMessage(owning: message)
        if let destination { sd_bus_message_set_destination(message, destination) }
        arguments(signal)
        sd_bus_send(bus, message, nil)
    }

    // MARK: - Calling

    /// Calls a method and waits for the answer, at most ``timeout`` seconds.
    ///
    /// One that `isInteractive` allows polkit to ask a person first, and waits for longer than ``PolkitAuthority`` does.
    package func call(
        _ destination: String,
        _ path: String,
        _ interface: String,
        _ member: String,
        isInteractive: Bool = false,
        _ arguments: (BusMessage) -> Void = { _ in }
    ) throws(BusError) -> BusMessage {
        let message = try newCall(destination, path, interface, member, isInteractive, arguments)
        var error = sd_bus_error()
        defer { sd_bus_error_free(&error) }
        var reply: OpaquePointer?
        let result = message.withPointer { sd_bus_call(bus, $0, microseconds(nil, isInteractive), &error, &reply) }
        guard result >= 0, let reply else {
            throw BusError(String(optional: error.name), String(optional: error.message))
        }
        return BusMessage(owning: reply)
    }

    /// Asks for a property that is a string, and waits as ``call(_:_:_:_:isInteractive:_:)`` does.
    package func property(
        _ name: String,
        of interface: String,
        at path: String,
        on destination: String
    ) throws(BusError) -> String {
        let reply = try call(destination, path, "org.freedesktop.DBus.Properties", "Get") { call in
            call.append(interface)
            call.append(name)
        }
        return try reply.readVariant()
    }

    /// Calls a method and hands the answer, or the error it is, to `completion` later.
    ///
    /// Without a `timeout`, in seconds, it waits as long as ``call(_:_:_:_:isInteractive:_:)``.
    package func callLater(
        _ destination: String,
        _ path: String,
        _ interface: String,
        _ member: String,
        isInteractive: Bool = false,
        timeout: Double? = nil,
        _ arguments: (BusMessage) -> Void,
        completion: @escaping (BusMessage) -> Void
    ) throws(BusError) {
        let message = try newCall(destination, path, interface, member, isInteractive, arguments)
        var slot: OpaquePointer?
        let userdata = Box(completion).retained()
        let result = message.withPointer {
            sd_bus_call_async(
                bus,
                &slot,
                $0,
                { message, userdata, _ in handOver(message, userdata) },
                userdata,
                microseconds(timeout, isInteractive)
            )
        }
        guard result >= 0 else {
            release(userdata)
            throw BusError("org.freedesktop.DBus.Error.Failed", "cannot call \(destination): \(Errno(result))")
        }
        // The call owns its slot from here on: it goes with the answer, or with the bus.
        sd_bus_slot_set_destroy_callback(slot, release)
        sd_bus_slot_set_floating(slot, 1)
        sd_bus_slot_unref(slot)
    }

    private func newCall(
        _ destination: String,
        _ path: String,
        _ interface: String,
        _ member: String,
        _ isInteractive: Bool,
        _ arguments: (BusMessage) -> Void
    ) throws(BusError) -> BusMessage {
        var message: OpaquePointer?
        let result = sd_bus_message_new_method_call(bus, &message, destination, path, interface, member)
        guard result >= 0, let message else {
            throw BusError("org.freedesktop.DBus.Error.Failed", "cannot call \(destination): \(Errno(result))")
        }
        sd_bus_message_set_allow_interactive_authorization(message, isInteractive ? 1 : 0)
        let call = BusMessage(owning: message)
        arguments(call)
        return call
    }

    /// How long a call waits for its answer; a person who may be asked needs longer than a machine.
    private func microseconds(_ timeout: Double?, _ isInteractive: Bool) -> UInt64 {
        UInt64((timeout ?? (isInteractive ? PolkitAuthority.timeouts.person + 5 : self.timeout)) * 1e6)
    }

    /// Hands every message that `match` describes to `handler`, until the returned slot is gone.
    package func subscribe(
        _ match: String,
        _ handler: @escaping (BusMessage) -> Void
    ) throws(SystemError) -> BusSlot {
        var slot: OpaquePointer?
        let userdata = Box(handler).retained()
        let result = sd_bus_add_match(
            bus,
            &slot,
            match,
            { message, userdata, _ in
                _ = handOver(message, userdata)
                return 0  // others may have subscribed to the same message
            },
            userdata
        )
        if result < 0 { release(userdata) }
        try check("subscribe to", match, result)
        return try BusSlot(owning: slot)
    }

    func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        body(bus)
    }
}

/// Hands a message to the closure in `userdata`.
private func handOver(_ message: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?) -> Int32 {
    guard let message, let userdata else { return 0 }
    Box<(BusMessage) -> Void>.closure(in: userdata)(BusMessage(borrowing: message))
    return 1
}

/// Something registered with the bus, until this is gone.
package final class BusSlot {
    private let slot: OpaquePointer

    /// Takes over a reference, and the userdata, if any, with it.
    fileprivate init(owning slot: OpaquePointer?) throws(SystemError) {
        guard let slot else { throw SystemError("register with the bus", errno: .invalid) }
        self.slot = slot
        sd_bus_slot_set_destroy_callback(slot, release)
    }

    deinit {
        sd_bus_slot_unref(slot)
    }
}
