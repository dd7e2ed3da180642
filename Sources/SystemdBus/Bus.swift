// SPDX-License-Identifier: Apache-2.0

import CSystemd
package import POSIX

/// Which bus to connect to.
package enum BusAddress: Hashable, Sendable, CustomStringConvertible {
    case system
    case session
    /// A D-Bus server address, such as `unix:path=/run/bus`.
    case address(String)

    /// Parses `system`, `session` and addresses, which have a colon; nil for anything else.
    package init?(_ text: String) {
        switch text {
        case "system": self = .system
        case "session": self = .session
        case _ where text.utf8.contains(UInt8(ascii: ":")): self = .address(text)
        default: return nil
        }
    }

    fileprivate static let standardSystemAddress = "unix:path=/run/dbus/system_bus_socket"

    /// The address in the environment that takes the place of the system bus's; nil if none does.
    package static var otherSystemAddress: String? {
        environment("DBUS_SYSTEM_BUS_ADDRESS").flatMap { $0 == standardSystemAddress ? nil : $0 }
    }

    package var description: String {
        switch self {
        case .system: "the system bus"
        case .session: "the session bus"
        case .address(let address): "the bus at \(address)"
        }
    }

    /// What to do when there is no such bus.
    fileprivate var hint: String {
        switch self {
        case .system:
            BusAddress.otherSystemAddress.map { "DBUS_SYSTEM_BUS_ADDRESS is '\($0)'" }
                ?? "try: sudo systemctl start dbus.socket"
        case .session:
            environment("DBUS_SESSION_BUS_ADDRESS").map { "DBUS_SESSION_BUS_ADDRESS is '\($0)'" }
                ?? "this session may have no bus"
        case .address: ""
        }
    }
}

/// A connection to a D-Bus message bus.
package final class Bus {
    private let bus: OpaquePointer
    package let address: BusAddress

    /// Seconds that a call waits for its reply, unless it is interactive.
    package var timeout = 25.0

    /// Called with a line about a signal of the right sender that is malformed; the same line once in a row.
    package var onInvalidSignal: (String) -> Void = { _ in }
    private var lastInvalid = ""

    /// Those whose signals are subscribed to, by the name that they own.
    var subscribedOwners: [String: SubscribedOwner] = [:]

    /// Connects, and returns once the bus daemon has given the connection a unique name.
    ///
    /// Anybody can send a message with 16 file descriptors to a connection that `receivesDescriptors`. libsystemd closes
    /// the connection if the process cannot open that many more.
    package init(_ address: BusAddress, receivesDescriptors: Bool = false) throws(SystemError) {
        self.address = address
        do throws(SystemError) {
            bus = try create("connect to", "\(address)") { bus in
                switch address {
                case .system: Bus.open(Bus.systemAddress, receivesDescriptors, &bus)
                case .session: sd_bus_open_user(&bus)
                case .address(let text): Bus.open(text, receivesDescriptors, &bus)
                }
            }
            // Opening only starts the connection; this call waits for it.
            var name: UnsafePointer<CChar>?
            try check("connect to", "\(address)", sd_bus_get_unique_name(bus, &name))
        } catch {
            // libsystemd finds no address.
            if case .session = address, error.errno.code == ENOMEDIUM {
                let reason = "no session's bus is here: DBUS_SESSION_BUS_ADDRESS and XDG_RUNTIME_DIR are not set"
                throw SystemError("connect to", "\(address)", errno: error.errno, reason: reason)
            }
            var error = error
            error.hint = address.hint
            throw error
        }
    }

    /// As libsystemd has it, which offers it only with a connection that receives descriptors.
    private static var systemAddress: String {
        BusAddress.otherSystemAddress ?? BusAddress.standardSystemAddress
    }

    private static func open(_ address: String, _ receivesDescriptors: Bool, _ bus: inout OpaquePointer?) -> Int32 {
        var result = sd_bus_new(&bus)
        if result >= 0 { result = sd_bus_negotiate_fds(bus, receivesDescriptors ? 1 : 0) }
        if result >= 0 { result = sd_bus_set_address(bus, address) }
        if result >= 0 { result = sd_bus_set_bus_client(bus, 1) }
        if result >= 0 { result = sd_bus_set_trusted(bus, 0) }
        if result >= 0 { result = sd_bus_start(bus) }
        if result < 0 { sd_bus_unref(bus) }
        return result
    }

    deinit { sd_bus_flush_close_unref(bus) }

    package func attach(to loop: EventLoop) throws(SystemError) {
        try check("attach the bus", loop.withPointer { sd_bus_attach_event(bus, $0, 0) })
    }

    // MARK: - Serving

    /// Exports `interface` at `path` until the returned slot is released; a method of `interface` may release it.
    package func export(_ interface: BusInterface, at path: String) throws(SystemError) -> BusSlot {
        // libsystemd reads the vtable until it frees the slot, which is after a method that released it has returned.
        let slot = try register("export \(interface.name) at", path, userdata: interface) { slot, userdata in
            interface.withVtable { sd_bus_add_object_vtable(bus, &slot, path, interface.name, $0, userdata) }
        }
        return BusSlot(owning: slot)
    }

    /// Implements org.freedesktop.DBus.ObjectManager for all objects below `path`.
    package func addObjectManager(at path: String) throws(SystemError) -> BusSlot {
        BusSlot(owning: try create("serve ObjectManager at", path) { sd_bus_add_object_manager(bus, &$0, path) })
    }

    /// Calls `handler` with every method call before libsystemd or an object handles it; true ends the call there.
    package func interceptCalls(_ handler: @escaping (BusMessage) -> Bool) throws(SystemError) -> BusSlot {
        let slot = try register("intercept calls", userdata: Box(handler)) { slot, userdata in
            sd_bus_add_filter(
                bus,
                &slot,
                { message, userdata, _ in
                    guard let message, let userdata, sd_bus_message_is_method_call(message, nil, nil) > 0 else {
                        return 0
                    }
                    return Box<(BusMessage) -> Bool>.closure(in: userdata)(BusMessage(borrowing: message)) ? 1 : 0
                },
                userdata
            )
        }
        return BusSlot(owning: slot)
    }

    // Signals ignore failures: onDisconnect reports a closed connection.

    /// Sends PropertiesChanged for `properties`, whose getters are called for the new values.
    package func announce(_ properties: [String], of interface: String, at path: String) {
        guard !properties.isEmpty else { return }
        withCStrings(properties) { sd_bus_emit_properties_changed_strv(bus, path, interface, $0) }
    }

    /// Sends InterfacesAdded for an object.
    package func announceObject(at path: String) { sd_bus_emit_object_added(bus, path) }

    /// Sends InterfacesRemoved for an object; release its slots afterwards, in the same iteration of the loop.
    package func announceObjectRemoved(at path: String) { sd_bus_emit_object_removed(bus, path) }

    /// Sends the signal `member` with the values that `arguments` appends; to `destination` only, if there is one.
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

    /// Calls a method and waits for the reply, for at most ``timeout`` seconds.
    ///
    /// An `isInteractive` call lets polkit ask the user first, and waits for longer than ``PolkitAuthority`` does.
    package func call(
        _ destination: String,
        _ path: String,
        _ interface: String,
        _ member: String,
        isInteractive: Bool = false,
        _ arguments: (BusMessage) -> Void = { _ in }
    ) throws(BusError) -> BusMessage {
        let message: BusMessage
        do throws(SystemError) {
            message = try newCall(destination, path, interface, member, isInteractive, arguments)
        } catch {
            throw BusError(error)
        }
        var error = sd_bus_error()
        defer { sd_bus_error_free(&error) }
        var reply: OpaquePointer?
        let result = message.withPointer { sd_bus_call(bus, $0, microseconds(nil, isInteractive), &error, &reply) }
        guard result >= 0, let reply else {
            throw BusError(String(optional: error.name), String(optional: error.message))
        }
        return BusMessage(owning: reply)
    }

    /// Reads a property: text, or another value as ``PropertyValue/text``.
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
        return try reply.readAnyVariant().text
    }

    /// Calls a method; `completion` is called later with the reply, unless the slot is cancelled.
    ///
    /// A call that cannot be sent completes at once, and has no slot. The default of `timeout`, in seconds, is that of
    /// ``call(_:_:_:_:isInteractive:_:)``.
    @discardableResult
    package func callLater(
        _ destination: String,
        _ path: String,
        _ interface: String,
        _ member: String,
        isInteractive: Bool = false,
        timeout: Double? = nil,
        _ arguments: (BusMessage) -> Void = { _ in },
        completion: @escaping (Result<BusMessage, BusError>) -> Void
    ) -> BusSlot? {
        let timeout = microseconds(timeout, isInteractive)
        do throws(SystemError) {
            let message = try newCall(destination, path, interface, member, isInteractive, arguments)
            let box = Box<(BusMessage) -> Void> { reply in
                completion(reply.error.map { .failure($0) } ?? .success(reply))
            }
            let call = try register("call", destination, userdata: box) { slot, userdata in
                message.withPointer { sd_bus_call_async(bus, &slot, $0, handOver, userdata, timeout) }
            }
            // The bus keeps the slot until the reply.
            sd_bus_slot_set_floating(call, 1)
            return BusSlot(owning: call)
        } catch {
            completion(.failure(BusError(error)))
            return nil
        }
    }

    private func newCall(
        _ destination: String,
        _ path: String,
        _ interface: String,
        _ member: String,
        _ isInteractive: Bool,
        _ arguments: (BusMessage) -> Void
    ) throws(SystemError) -> BusMessage {
        let message = try create("call", destination) {
            sd_bus_message_new_method_call(bus, &$0, destination, path, interface, member)
        }
        sd_bus_message_set_allow_interactive_authorization(message, isInteractive ? 1 : 0)
        let call = BusMessage(owning: message)
        arguments(call)
        return call
    }

    private func microseconds(_ timeout: Double?, _ isInteractive: Bool) -> UInt64 {
        UInt64((timeout ?? (isInteractive ? PolkitAuthority.timeouts.person + 5 : self.timeout)) * 1e6)
    }

    /// Calls `handler` with every message that matches, whoever sent it; ``subscribe(_:from:waits:_:)`` checks that.
    func addMatch(
        _ match: String,
        waits: Bool,
        _ handler: @escaping (BusMessage) -> Void
    ) throws(SystemError) -> BusSlot {
        let slot = try register("subscribe to", match, userdata: Box(handler)) { slot, userdata in
            waits
                ? sd_bus_add_match(bus, &slot, match, handOver, userdata)
                : sd_bus_add_match_async(bus, &slot, match, handOver, nil, userdata)
        }
        return BusSlot(owning: slot)
    }

    func reportInvalid(_ line: String) {
        if line != lastInvalid { onInvalidSignal(line) }
        lastInvalid = line
    }

    func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result { body(bus) }
}

/// Calls the closure in `userdata` with a message; returns 0, so that other handlers get the message too.
private func handOver(
    _ message: OpaquePointer?,
    _ userdata: UnsafeMutableRawPointer?,
    _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let userdata else { return 0 }
    Box<(BusMessage) -> Void>.closure(in: userdata)(BusMessage(borrowing: message))
    return 0
}

/// A registration with the bus, which ends when this is released; a call goes on.
package final class BusSlot {
    private let slot: OpaquePointer

    /// Takes ownership of a slot and of its userdata, if any.
    fileprivate init(owning slot: OpaquePointer) {
        self.slot = slot
        sd_bus_slot_set_destroy_callback(slot, release)
    }

    deinit { sd_bus_slot_unref(slot) }

    /// Ignores the reply of a call.
    package func cancel() { sd_bus_slot_set_floating(slot, 0) }
}
