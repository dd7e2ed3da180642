// SPDX-License-Identifier: Apache-2.0

import CSystemd
package import POSIX

/// Who may send the signals of a subscription.
///
/// Every user of a computer can send any signal to any connection of its system bus, which only stamps it with the
/// sender's unique name; libsystemd does not compare that with the sender of a match.
package enum SignalSender: Hashable {
    case busDaemon
    /// The connection that owns this name when it sends the signal.
    case owner(of: String)

    fileprivate var name: String {
        switch self {
        case .busDaemon: "org.freedesktop.DBus"
        case .owner(let name): name
        }
    }
}

/// The connection that owns a name, as the bus daemon announces it.
final class SubscribedOwner {
    fileprivate(set) var uniqueName: String?
    fileprivate var slot: BusSlot?
}

extension Bus {
    /// Calls `handler` with each signal of `sender` that matches, until the returned slot is released.
    ///
    /// `rule` is a match rule without type and sender, such as `member='Changed'`. Signals of others are ignored;
    /// ``onInvalidSignal`` is called for one that `handler` throws for. Unless it `waits` for the bus daemon, one that
    /// refuses the match closes the connection.
    package func subscribe(
        _ rule: String,
        from sender: SignalSender,
        waits: Bool = true,
        _ handler: @escaping (BusMessage) throws(BusError) -> Void
    ) throws(SystemError) -> BusSlot {
        var owner: SubscribedOwner?
        if case .owner(let name) = sender { owner = try follow(name, waits: waits) }
        let receive: (BusMessage) -> Void = owned(by: self) { bus, signal in
            let isGenuine = owner.map { $0.uniqueName == signal.sender } ?? (signal.sender == sender.name)
            guard isGenuine else { return }
            do throws(BusError) {
                try handler(signal)
            } catch {
                bus.reportInvalid("invalid \(signal.member) of \(sender.name), ignored: \(error)")
            }
        }
        return try addMatch("type='signal',sender='\(sender.name)',\(rule)", waits: waits, receive)
    }

    /// Returns who owns `name`, kept up to date from now on.
    ///
    /// The bus daemon answers in order: whoever subscribes next gets no signal before the owner is known.
    private func follow(_ name: String, waits: Bool) throws(SystemError) -> SubscribedOwner {
        if let owner = subscribedOwners[name] { return owner }
        let owner = SubscribedOwner()
        owner.slot = try onOwnerChange(of: name, waits: waits, owned(by: owner) { $0.uniqueName = $1 })
        let completion: (Result<BusMessage, BusError>) -> Void = owned(by: self) { bus, answer in
            do throws(BusError) {
                owner.uniqueName = try answer.get().readString()
            } catch {
                // A name without an owner is announced when it has one.
                if !error.isServiceMissing { bus.reportInvalid("cannot follow \(name): \(error)") }
            }
        }
        callDaemon("GetNameOwner", name, completion: completion)
        subscribedOwners[name] = owner
        return owner
    }

    /// Calls a method of the bus daemon that takes a name, and waits for the reply.
    func askDaemon(_ member: String, _ name: String) throws(BusError) -> BusMessage {
        let daemon = SignalSender.busDaemon.name
        return try call(daemon, "/org/freedesktop/DBus", daemon, member) { $0.append(name) }
    }

    /// Calls a method of the bus daemon that takes a name, without waiting for the reply.
    package func callDaemon(
        _ member: String,
        _ name: String,
        completion: @escaping (Result<BusMessage, BusError>) -> Void
    ) {
        let daemon = SignalSender.busDaemon.name
        callLater(daemon, "/org/freedesktop/DBus", daemon, member, { $0.append(name) }, completion: completion)
    }

    /// Calls `handler` with the unique name of each new owner of `name`; nil when it has none any more.
    package func onOwnerChange(
        of name: String,
        waits: Bool = true,
        _ handler: @escaping (String?) -> Void
    ) throws(SystemError) -> BusSlot {
        let rule = "member='NameOwnerChanged',arg0='\(name)'"
        return try subscribe(rule, from: .busDaemon, waits: waits) { signal throws(BusError) in
            try signal.skip()
            try signal.skip()
            let owner = try signal.readString()
            handler(owner.isEmpty ? nil : owner)
        }
    }

    /// Calls `handler` when the connection with the unique name `client` has ended.
    package func onEnd(of client: String, _ handler: @escaping () -> Void) throws(SystemError) -> BusSlot {
        let rule = "member='NameOwnerChanged',arg0='\(client)',arg2=''"
        return try subscribe(rule, from: .busDaemon, waits: false) { _ in handler() }
    }

    /// Calls `handler` once the connection has been closed by the bus daemon.
    package func onDisconnect(_ handler: @escaping () -> Void) throws(SystemError) -> BusSlot {
        // libsystemd makes this signal, whose path and interface no bus daemon passes on.
        let match = "type='signal',path='/org/freedesktop/DBus/Local',interface='org.freedesktop.DBus.Local'"
        return try addMatch(match + ",member='Disconnected'", waits: true) { signal in
            if signal.sender == "org.freedesktop.DBus.Local" { handler() }
        }
    }

    // MARK: - Names

    /// Owns `name`, with `replacing` also in place of an owner that allows it; throws `EEXIST` if another one keeps it.
    ///
    /// Calls `onLoss` when another connection has taken it, until the returned slot is released.
    @discardableResult
    package func own(
        _ name: String,
        replacing: Bool,
        onLoss: @escaping () -> Void = {}
    ) throws(SystemError) -> BusSlot {
        // Subscribed first: another connection may take the name at once.
        let slot = try subscribe("member='NameLost',arg0='\(name)'", from: .busDaemon, waits: false) { _ in onLoss() }
        var flags = UInt64(SD_BUS_NAME_ALLOW_REPLACEMENT)
        if replacing { flags |= UInt64(SD_BUS_NAME_REPLACE_EXISTING) }
        let result = withPointer { sd_bus_request_name($0, name, flags) }
        guard result == -EEXIST else {
            try check("own the name", name, result)
            return slot
        }
        throw SystemError("own the name", name, errno: .exists, reason: "\(describedOwner(of: name)) has it")
    }

    /// Takes `name` now, or queues for it; returns a description of the current owner in that case.
    package func ownWhenFree(_ name: String) throws(SystemError) -> String? {
        let result = withPointer { sd_bus_request_name($0, name, UInt64(SD_BUS_NAME_QUEUE)) }
        try check("own the name", name, result)
        return result == 0 ? describedOwner(of: name) : nil
    }

    private func describedOwner(of name: String) -> String {
        owner(of: name)?.description ?? "another connection"
    }
}
