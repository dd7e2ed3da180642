// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// Counts the items of one kind, such as claims, that each connection holds, and drops them when it ends.
final class Holdings {
    /// How many items a connection, and all connections together, may hold.
    ///
    /// GetManagedObjects lists every request: 4096 of them take the daemon 35 ms a call, 1024 take 9 ms.
    static let limits = (connection: 64, total: 1024)

    private final class Holder {
        var count = 1
        let watch: PeerWatch

        init(watch: PeerWatch) {
            self.watch = watch
        }
    }

    private let kind: String
    private let bus: Bus
    private let onChange: (Holdings) -> Void
    private let onDrop: (String) -> Void
    private var holders: [String: Holder] = [:]
    /// The connections that hold an item, in the order of their first one.
    private(set) var connections: [String] = []
    private(set) var total = 0

    /// The items that polkit has not decided on yet, by connection, and their total.
    private var reservations: [String: Int] = [:]
    private var reserved = 0

    /// `kind` is a plural noun for errors.
    ///
    /// `onChange` is called after each change; before that, `onDrop` with the name of a connection that has ended and
    /// is no longer counted.
    init(
        of kind: String,
        bus: Bus,
        onChange: @escaping (Holdings) -> Void = { _ in },
        onDrop: @escaping (String) -> Void = { _ in }
    ) {
        self.kind = kind
        self.bus = bus
        self.onChange = onChange
        self.onDrop = onDrop
    }

    func isHeld(by connection: String) -> Bool { holders[connection] != nil }

    /// Reserves an item for `connection` before polkit is asked; call ``settle(_:isAllowed:)`` after its decision.
    ///
    /// Throws `LimitExceeded`: reserved items count as held ones.
    func reserve(_ connection: String) throws(BusError) {
        guard total + reserved < Self.limits.total else {
            throw .limitExceeded("all \(Self.limits.total) \(kind) are taken")
        }
        let held = (holders[connection]?.count ?? 0) + (reservations[connection] ?? 0)
        guard held < Self.limits.connection else {
            throw .limitExceeded("this connection holds \(Self.limits.connection) \(kind), the most it may")
        }
        reservations[connection, default: 0] += 1
        reserved += 1
    }

    /// Ends a reservation; returns whether the item is held now: it `isAllowed` and was not removed meanwhile.
    ///
    /// Throws `Disconnected` if the connection has ended, and `LimitExceeded` if too many connections hold items.
    func settle(_ connection: String, isAllowed: Bool) throws(BusError) -> Bool {
        guard removeReservation(of: connection), isAllowed else { return false }
        if let holder = holders[connection] {
            holder.count += 1
        } else {
            do throws(SystemError) {
                let watch = try PeerWatch(connection, on: bus) { [self] in drop(connection) }
                holders[connection] = Holder(watch: watch)
                connections.append(connection)
            } catch {
                guard error.errno == .tooManyUsers else {
                    throw BusError("org.freedesktop.DBus.Error.Disconnected", "\(error)")
                }
                throw .limitExceeded("\(PeerWatch.most) connections hold something, the maximum")
            }
        }
        change(by: 1)
        return true
    }

    /// Adds an item at once; throws as ``reserve(_:)`` and ``settle(_:isAllowed:)`` do.
    func hold(_ connection: String) throws(BusError) {
        try reserve(connection)
        _ = try settle(connection, isAllowed: true)
    }

    /// Removes a reserved item of `connection`, or else one that it holds, if any.
    func removeLatest(of connection: String) {
        if !removeReservation(of: connection) { removeHeld(by: connection) }
    }

    /// Removes an item that `connection` holds, if any.
    func removeHeld(by connection: String) {
        guard let holder = holders[connection] else { return }
        holder.count -= 1
        if holder.count == 0 { _ = remove(connection) }
        change(by: -1)
    }

    /// Removes a reservation of `connection`; returns false if it has none.
    private func removeReservation(of connection: String) -> Bool {
        guard let count = reservations[connection] else { return false }
        reservations[connection] = count > 1 ? count - 1 : nil
        reserved -= 1
        return true
    }

    private func drop(_ connection: String) {
        guard let holder = remove(connection) else { return }
        total -= holder.count
        onDrop(connection)
        onChange(self)
    }

    private func remove(_ connection: String) -> Holder? {
        connections.removeAll { $0 == connection }
        return holders.removeValue(forKey: connection)
    }

    private func change(by difference: Int) {
        total += difference
        onChange(self)
    }
}

extension BusError {
    static func limitExceeded(_ message: String) -> BusError {
        BusError(Names.limitError, message)
    }
}
