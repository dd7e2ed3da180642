// SPDX-License-Identifier: Apache-2.0

import SystemdBus

/// Who has claimed the sensor, and how often: counted per connection, and gone with it.
final class ClaimRegistry {
    /// The most claims that one connection, and all together, may hold.
    static let limits = (connection: 64, total: 4096)

    private final class Holder {
        var count = 1
        let watch: PeerWatch

        init(watch: PeerWatch) {
            self.watch = watch
        }
    }

    private let bus: Bus
    private let onChange: (Int) -> Void
    private var holders: [String: Holder] = [:]
    private(set) var total = 0

    /// Claims that polkit has not decided on yet, by connection, and how many they are.
    private var requests: [String: Int] = [:]
    private var requested = 0

    /// Creates an empty registry; `onChange` is called with the new number of claims after each change.
    init(bus: Bus, onChange: @escaping (Int) -> Void) {
        self.bus = bus
        self.onChange = onChange
    }

    /// Notes that `connection` asks for one more claim, before polkit is asked about it.
    ///
    /// Throws `LimitExceeded`, so that what waits for polkit is as bounded as the claims are.
    func request(_ connection: String) throws(BusError) {
        guard total + requested < Self.limits.total else {
            throw .limitExceeded("all \(Self.limits.total) claims are taken")
        }
        let held = (holders[connection]?.count ?? 0) + (requests[connection] ?? 0)
        guard held < Self.limits.connection else {
            throw .limitExceeded("this connection holds \(Self.limits.connection) claims, the most it may")
        }
        requests[connection, default: 0] += 1
        requested += 1
    }

    /// Ends a request: with a claim when it `isAllowed` and was not released meanwhile, which the result tells.
    ///
    /// Throws the disconnection of a caller that has gone meanwhile.
    func settle(_ connection: String, isAllowed: Bool) throws(BusError) -> Bool {
        guard withdrawRequest(of: connection), isAllowed else { return false }
        if let holder = holders[connection] {
            holder.count += 1
        } else {
            do throws(SystemError) {
                let watch = try PeerWatch(connection, on: bus) { [self] in drop(connection) }
                holders[connection] = Holder(watch: watch)
            } catch {
                throw BusError("org.freedesktop.DBus.Error.Disconnected", "\(error)")
            }
        }
        change(by: 1)
        return true
    }

    /// Takes back one claim of `connection`, the latest request first; without any this does nothing.
    func remove(_ connection: String) {
        if withdrawRequest(of: connection) { return }
        guard let holder = holders[connection] else { return }
        holder.count -= 1
        if holder.count == 0 { holders[connection] = nil }
        change(by: -1)
    }

    /// Forgets one request of `connection`; false when it has none.
    private func withdrawRequest(of connection: String) -> Bool {
        guard let count = requests[connection] else { return false }
        requests[connection] = count > 1 ? count - 1 : nil
        requested -= 1
        return true
    }

    private func drop(_ connection: String) {
        guard let holder = holders.removeValue(forKey: connection) else { return }
        change(by: -holder.count)
    }

    private func change(by difference: Int) {
        total += difference
        onChange(total)
    }
}

extension BusError {
    static func limitExceeded(_ message: String) -> BusError {
        BusError(Names.errorPrefix + "LimitExceeded", message)
    }
}
